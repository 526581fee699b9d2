#include "fabric/routing/lane_phases.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "fabric/port_map.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/dragonfly_plus.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/torus.h"

namespace weft::fabric {
namespace {

/// Whether "waits for" between (directed cable, phase) pairs has a cycle, if every path of the routes is taken.
class Dependencies {
 public:
  explicit Dependencies(const Graph& graph)
      : graph_(graph), routes_(graph, RouteRule::kDimensionOrder), map_(graph, 1), phases_(graph, map_) {
    for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
      for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
        follow(from, EndpointId(to));
      }
    }
  }

  /// With so many phases; more are folded into the last.
  [[nodiscard]] bool has_cycle(std::uint32_t phases) const {
    std::vector<std::set<std::uint32_t>> waits(map_.size() * phases);
    for (const auto& [held, wanted] : waits_) {
      waits[held.port * phases + std::min(held.phase, phases - 1)].insert(wanted.port * phases +
                                                                          std::min(wanted.phase, phases - 1));
    }
    // Whoever waits for nobody is taken away, until none is left or all that are left wait for each other.
    bool any = true;
    std::vector<bool> gone(waits.size(), false);
    while (any) {
      any = false;
      for (std::size_t i = 0; i < waits.size(); ++i) {
        std::erase_if(waits[i], [&](std::uint32_t other) { return gone[other]; });
        if (!gone[i] && waits[i].empty()) {
          gone[i] = any = true;
        }
      }
    }
    return std::ranges::find(gone, false) != gone.end();
  }
  [[nodiscard]] std::uint32_t phases() const { return highest_ + 1; }

 private:
  struct Lane {
    PortIndex port = 0;  // that sends
    std::uint32_t phase = 0;

    friend auto operator<=>(const Lane&, const Lane&) = default;
  };

  void follow(std::uint32_t from, EndpointId to) {
    LinkEnd at = graph_.links[from].b;
    Lane held{.port = from};
    while (at.node.value() >= graph_.endpoints) {
      const NextHops hops = routes_.next_hops(at.node.value() - graph_.endpoints, to);
      ASSERT_EQ(hops.size(), 1U);
      const LinkEnd out{at.node, hops[0]};
      const Lane wanted{.port = map_.at(out),
                        .phase = phases_.next({.in = map_.at(at), .out = map_.at(out), .phase = held.phase})};
      highest_ = std::max(highest_, wanted.phase);
      waits_.insert({held, wanted});
      held = wanted;
      const Link& link = graph_.links[find_link(graph_, out)->value()];
      at = link.a == out ? link.b : link.a;
    }
    EXPECT_EQ(held.phase, 0U) << "hosts need further lanes";
  }

  const Graph& graph_;
  Routes routes_;
  PortMap map_;
  LanePhases phases_;
  std::uint32_t highest_ = 0;
  std::set<std::pair<Lane, Lane>> waits_;
};

TEST(LanePhases, OfATorusCloseNoCycleWithTwoLanesAndDoWithOne) {
  for (const std::vector<std::uint32_t>& sizes : {std::vector<std::uint32_t>{5}, {6, 4}, {5, 3}, {4, 2, 5}}) {
    const Graph graph = build_graph(TorusOptions{.sizes = sizes}).value();
    const Dependencies dependencies(graph);
    EXPECT_EQ(dependencies.phases(), 2U);
    EXPECT_TRUE(dependencies.has_cycle(1));
    EXPECT_FALSE(dependencies.has_cycle(2));
  }
}

// In a ring of three nobody waits for a second cable. In one of four only half of the switches go two hops upwards, and
// their ways do not overlap.
TEST(LanePhases, AreNotNeededInRingsOfThreeAndFour) {
  const Graph graph = build_graph(TorusOptions{.sizes = {3, 4}}).value();
  EXPECT_FALSE(Dependencies(graph).has_cycle(1));
}

TEST(LanePhases, RiseWhereAPathOfADragonflyTurnsUpwardsAgain) {
  const Graph graph =
      build_graph(DragonflyPlusOptions{.groups = 3, .leaves = 2, .spines = 1, .global_links = 1}).value();
  const LanePhases phases(graph, PortMap(graph, 1));
  const PortMap map(graph, 1);
  const auto port = [&](const char* from, const char* to) {
    for (const Link& link : graph.links) {
      if (graph[link.a.node].name == from && graph[link.b.node].name == to) {
        return map.at(link.a);
      }
      if (graph[link.b.node].name == from && graph[link.a.node].name == to) {
        return map.at(link.b);
      }
    }
    ADD_FAILURE() << from << " to " << to;
    return PortIndex{0};
  };
  const auto next = [&](const char* before, const char* at, const char* behind, std::uint32_t phase) {
    return phases.next({.in = port(at, before), .out = port(at, behind), .phase = phase});
  };
  EXPECT_EQ(next("host0/nic0", "group0/leaf0", "group0/spine0", 0), 0U);
  EXPECT_EQ(next("group0/leaf0", "group0/spine0", "group1/spine0", 0), 0U);
  EXPECT_EQ(next("group0/spine0", "group1/spine0", "group1/leaf1", 0), 0U);
  EXPECT_EQ(next("group0/spine0", "group1/spine0", "group2/spine0", 0), 1U);
  EXPECT_EQ(next("group1/spine0", "group1/leaf0", "group1/spine0", 0), 1U);
  EXPECT_EQ(next("group1/leaf0", "group1/spine0", "group2/spine0", 1), 1U);
  EXPECT_EQ(next("group1/spine0", "group2/spine0", "group2/leaf0", 1), 1U);
  EXPECT_EQ(next("group2/spine0", "group2/leaf0", "host16/nic0", 1), 0U);
}

}  // namespace
}  // namespace weft::fabric
