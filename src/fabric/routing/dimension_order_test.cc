#include "fabric/routing/dimension_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/torus.h"

namespace weft::fabric {
namespace {

using Sizes = std::vector<std::uint32_t>;

/// Follows the routes from switch to switch.
class Walk {
 public:
  explicit Walk(const Graph& graph) : graph_(graph), routes_(graph, RouteRule::kDimensionOrder) {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      for (const LinkEnd& end : {graph.links[i].a, graph.links[i].b}) {
        link_at_[{end.node.value(), end.port}] = i;
      }
    }
  }

  struct Hop {
    std::uint32_t link = 0;
    bool upwards = true;

    friend auto operator<=>(const Hop&, const Hop&) = default;
  };
  /// The hops between switches from the endpoint's switch to the destination's; of parallel cables the first. Empty and
  /// `lost` if it does not get there.
  std::vector<Hop> path(std::uint32_t from, std::uint32_t to, bool& lost) const {
    std::vector<Hop> hops;
    NodeIndex at = switch_of(from);
    lost = false;
    while (at != switch_of(to)) {
      const NextHops next = routes_.next_hops(at.value() - graph_.endpoints, EndpointId(to));
      if (next.empty() || hops.size() > graph_.links.size()) {
        lost = true;
        return {};
      }
      const std::uint32_t link = link_at_.at({at.value(), next[0]});
      const bool upwards = graph_.links[link].a == LinkEnd{at, next[0]};
      hops.push_back({link, upwards});
      at = upwards ? graph_.links[link].b.node : graph_.links[link].a.node;
    }
    return hops;
  }
  std::vector<Hop> path(std::uint32_t from, std::uint32_t to) const {
    bool lost = false;
    std::vector<Hop> hops = path(from, to, lost);
    EXPECT_FALSE(lost) << from << " to " << to;
    return hops;
  }
  void fail(std::uint32_t link) {
    routes_.set_link(LinkIndex(link), LinkState::kDown);
    routes_.recompute();
  }
  [[nodiscard]] std::uint8_t dimension(const Hop& hop) const { return graph_.links[hop.link].ring.dimension; }

 private:
  [[nodiscard]] NodeIndex switch_of(std::uint32_t endpoint) const { return graph_.links[endpoint].b.node; }

  const Graph& graph_;
  Routes routes_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> link_at_;
};

Graph torus(const Sizes& sizes) { return build_graph(TorusOptions{.sizes = sizes}).value(); }

std::vector<std::uint32_t> places_of(std::uint32_t ordinal, const Sizes& sizes) {
  std::vector<std::uint32_t> places;
  for (const std::uint32_t size : sizes) {
    places.push_back(ordinal % size);
    ordinal /= size;
  }
  return places;
}

/// Hops between two switches: the sum over the dimensions of the shorter way around.
std::size_t distance(std::uint32_t a, std::uint32_t b, const Sizes& sizes) {
  const auto from = places_of(a, sizes);
  const auto to = places_of(b, sizes);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::uint32_t up = (to[i] + sizes[i] - from[i]) % sizes[i];
    sum += std::min(up, sizes[i] - up);
  }
  return sum;
}

TEST(DimensionOrder, ReachesEveryPairInTheFewestHopsOneDimensionAfterTheOther) {
  for (const Sizes& sizes :
       {Sizes{2}, Sizes{7}, Sizes{8}, Sizes{4, 4}, Sizes{5, 3}, Sizes{2, 6}, Sizes{4, 3, 2}, Sizes{3, 4, 5}}) {
    const Graph graph = torus(sizes);
    const Walk walk(graph);
    for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
      for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
        const auto hops = walk.path(from, to);
        ASSERT_EQ(hops.size(), distance(from, to, sizes)) << from << " to " << to;
        ASSERT_TRUE(std::ranges::is_sorted(hops, {}, [&](const auto& hop) { return walk.dimension(hop); }));
      }
    }
  }
}

TEST(DimensionOrder, LeavesOneChoiceBesideParallelCables) {
  for (const std::uint32_t parallel : {1U, 3U}) {
    const Graph graph = build_graph(TorusOptions{.sizes = {4, 4}, .parallel_links = parallel}).value();
    const Routes routes(graph, RouteRule::kDimensionOrder);
    for (std::uint32_t node = 0; node < graph.switches(); ++node) {
      for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
        EXPECT_EQ(routes.next_hops(node, EndpointId(to)).size(), node == to ? 1 : parallel);
      }
    }
  }
}

/// Paths over the link and direction that most use, if `pairs` says who sends to whom.
template <class Pairs>
std::size_t worst_load(const Graph& graph, Pairs pairs) {
  const Walk walk(graph);
  std::map<Walk::Hop, std::size_t> load;
  std::size_t worst = 0;
  for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
    for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
      if (pairs(from, to)) {
        for (const Walk::Hop& hop : walk.path(from, to)) {
          worst = std::max(worst, ++load[hop]);
        }
      }
    }
  }
  return worst;
}

// Everyone to everyone: the paths over a cable of a ring of k, for each switch that a ring's switch stands for, are
// 1 + 2 + ... of those that go less than halfway, and half of the halfway ones, of odd length one more for some.
std::size_t uniform_per_ring(std::uint32_t size) {
  std::size_t paths = 0;
  for (std::uint32_t hops = 1; 2 * hops < size; ++hops) {
    paths += hops;
  }
  return size % 2 == 0 ? paths + (size / 2 + 1) / 2 : paths;
}

TEST(DimensionOrder, LoadsTheWorstLinkByTheClosedFormOfUniformTraffic) {
  for (const Sizes& sizes : {Sizes{5}, Sizes{6}, Sizes{8}, Sizes{4, 4}, Sizes{5, 3}, Sizes{4, 6, 3}}) {
    const Graph graph = torus(sizes);
    std::size_t expected = 0;
    for (const std::uint32_t size : sizes) {
      expected = std::max(expected, uniform_per_ring(size) * (graph.endpoints / size));
    }
    EXPECT_EQ(worst_load(graph, [](auto from, auto to) { return from != to; }), expected);
  }
}

// Everyone to the one just less than halfway up the first ring: all go upwards, and every cable carries as many paths
// as the way has hops.
TEST(DimensionOrder, LoadsTheWorstLinkByTheClosedFormOfTornadoTraffic) {
  for (const Sizes& sizes : {Sizes{5}, Sizes{8}, Sizes{6, 4}, Sizes{7, 3, 2}}) {
    const Graph graph = torus(sizes);
    const std::uint32_t up = (sizes[0] + 1) / 2 - 1;
    const auto tornado = [&](std::uint32_t from, std::uint32_t to) {
      return to == from - from % sizes[0] + (from % sizes[0] + up) % sizes[0];
    };
    EXPECT_EQ(worst_load(graph, tornado), up);
  }
}

TEST(DimensionOrder, TakesTheOtherWayAroundARingWithAFailedCable) {
  const Sizes sizes{6, 4};
  const Graph graph = torus(sizes);
  for (std::uint32_t failed = graph.endpoints; failed < graph.links.size(); ++failed) {
    Walk walk(graph);
    walk.fail(failed);
    std::size_t longest = 0;
    for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
      for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
        const auto hops = walk.path(from, to);
        ASSERT_TRUE(std::ranges::none_of(hops, [&](const auto& hop) { return hop.link == failed; }));
        ASSERT_TRUE(std::ranges::is_sorted(hops, {}, [&](const auto& hop) { return walk.dimension(hop); }));
        ASSERT_TRUE(std::ranges::none_of(hops, [&](const auto& hop) {
          return std::ranges::any_of(hops, [&](const auto& other) {
            return walk.dimension(hop) == walk.dimension(other) && hop.upwards != other.upwards;
          });
        }));
        longest = std::max(longest, hops.size());
      }
    }
    const std::uint32_t broken = sizes[graph.links[failed].ring.dimension - 1U];
    EXPECT_EQ(longest, 3U + 2 - broken / 2 + broken - 1);
  }
}

TEST(DimensionOrder, HasNoWayWithinARingThatIsBrokenTwice) {
  const Graph graph = torus({4});
  Walk walk(graph);
  walk.fail(graph.endpoints);      // 0 to 1
  walk.fail(graph.endpoints + 2);  // 2 to 3
  bool lost = false;
  EXPECT_EQ(walk.path(0, 3, lost).size(), 1U);
  EXPECT_FALSE(lost);
  EXPECT_EQ(walk.path(1, 2, lost).size(), 1U);
  EXPECT_FALSE(lost);
  (void)walk.path(0, 1, lost);
  EXPECT_TRUE(lost);
  (void)walk.path(3, 2, lost);
  EXPECT_TRUE(lost);
}

TEST(DimensionOrder, UsesTheOtherParallelCables) {
  const Graph graph = build_graph(TorusOptions{.sizes = {4}, .parallel_links = 2}).value();
  Routes routes(graph, RouteRule::kDimensionOrder);
  routes.set_link(LinkIndex(graph.endpoints), LinkState::kDown);
  routes.recompute();
  const NextHops hops = routes.next_hops(0, EndpointId(1));
  ASSERT_EQ(hops.size(), 1U);
  EXPECT_EQ(hops[0], graph.links[graph.endpoints + 1].a.port);
}

}  // namespace
}  // namespace weft::fabric
