#include "fabric/routing/routes.h"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "base/random.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/parking_lot.h"
#include "fabric/topology/rail_optimised.h"
#include "fabric/topology/single_switch.h"
#include "fabric/topology/test_topologies.h"

namespace weft::fabric {
namespace {

using Ports = std::vector<std::uint16_t>;
using States = std::vector<LinkState>;

/// The slow way: hops of every node to one endpoint by breadth-first search in which endpoints pass nothing on, then
/// all ports of each switch that lead one hop nearer.
class Reference {
 public:
  Reference(const Graph& graph, const States& links) : graph_(graph), links_(links) {
    for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
      hops_.push_back(hops_to(NodeIndex(i)));
    }
  }

  [[nodiscard]] Ports next_hops(std::uint32_t switch_ordinal, EndpointId destination) const {
    const std::vector<int>& hops = hops_[destination.value()];
    const NodeIndex node(graph_.endpoints + switch_ordinal);
    Ports ports(graph_[node].ports, 0);
    std::vector<bool> is_good(graph_[node].ports, false);
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      for (const auto& [near, far] : ends_of(i)) {
        if (near.node == node && hops[node.value()] > 0 && hops[far.node.value()] == hops[node.value()] - 1) {
          is_good[near.port] = true;
        }
      }
    }
    ports.clear();
    for (std::uint16_t port = 0; port < is_good.size(); ++port) {
      if (is_good[port]) {
        ports.push_back(port);
      }
    }
    return ports;
  }

 private:
  /// Both directions of a link that is up.
  [[nodiscard]] std::vector<std::pair<LinkEnd, LinkEnd>> ends_of(std::size_t link) const {
    if (links_[link] == LinkState::kDown) {
      return {};
    }
    return {{graph_.links[link].a, graph_.links[link].b}, {graph_.links[link].b, graph_.links[link].a}};
  }

  [[nodiscard]] std::vector<int> hops_to(NodeIndex destination) const {
    std::vector<int> hops(graph_.nodes.size(), -1);
    hops[destination.value()] = 0;
    for (std::deque<NodeIndex> queue{destination}; !queue.empty(); queue.pop_front()) {
      const NodeIndex node = queue.front();
      if (node != destination && graph_[node].kind == NodeKind::kEndpoint) {
        continue;
      }
      for (std::size_t i = 0; i < graph_.links.size(); ++i) {
        for (const auto& [near, far] : ends_of(i)) {
          if (near.node == node && hops[far.node.value()] < 0) {
            hops[far.node.value()] = hops[node.value()] + 1;
            queue.push_back(far.node);
          }
        }
      }
    }
    return hops;
  }

  const Graph& graph_;
  const States& links_;
  std::vector<std::vector<int>> hops_;  // [destination][node], -1 where there is no path
};

States all_up(const Graph& graph) { return States(graph.links.size(), LinkState::kUp); }

/// How many of all (switch, destination) pairs differ from the reference; the first is reported.
void expect_reference(const Graph& graph, const Routes& routes, const States& links) {
  const Reference reference(graph, links);
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
      const NextHops hops = routes.next_hops(node, EndpointId(i));
      ASSERT_EQ(Ports(hops.begin(), hops.end()), reference.next_hops(node, EndpointId(i)))
          << "from " << graph.nodes[graph.endpoints + node].name << " to " << graph.nodes[i].name;
    }
  }
}

/// A connected graph of `switches` with extra links, ports in random order of links, and endpoints on some switches.
Graph random_graph(RandomStream& random) {
  const auto switches = static_cast<std::uint32_t>(random.uniform_between({1, 12}));
  const auto endpoints = static_cast<std::uint32_t>(random.uniform_between({1, 20}));
  std::vector<CableEnds> ends;
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    ends.push_back({NodeIndex(i), NodeIndex(endpoints + static_cast<std::uint32_t>(random.uniform(switches)))});
  }
  for (std::uint32_t i = 1; i < switches; ++i) {
    ends.push_back({NodeIndex(endpoints + i), NodeIndex(endpoints + static_cast<std::uint32_t>(random.uniform(i)))});
  }
  for (std::uint64_t extra = switches > 1 ? random.uniform(2 * switches) : 0; extra > 0; --extra) {
    const auto a = static_cast<std::uint32_t>(random.uniform(switches));
    const auto b = static_cast<std::uint32_t>(random.uniform(switches));
    if (a != b) {
      ends.push_back({NodeIndex(endpoints + a), NodeIndex(endpoints + b)});
    }
  }
  random.shuffle(std::span(ends));
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = endpoints});
  for (std::uint32_t i = 0; i < switches; ++i) {
    builder.add_switch({.name = "switch" + std::to_string(i)});
  }
  for (const CableEnds& pair : ends) {
    builder.connect(pair, kRackCable);
  }
  return std::move(builder).finish();
}

TEST(Routes, AreTheShortestPathsOfEveryTopology) {
  for (const SampleTopology& topology : sample_topologies()) {
    const Result<Graph> graph = build_topology(topology.options);
    if (graph && graph->nodes.size() < 150) {
      SCOPED_TRACE(topology.name);
      expect_reference(*graph, Routes(*graph), all_up(*graph));
    }
  }
  const Graph wide =
      build_graph(FatTreeOptions{.radix = 8, .hosts = 21, .parallel_links = 2, .core_parallel_links = 2}).value();
  expect_reference(wide, Routes(wide), all_up(wide));
  const Graph planes =
      build_graph(
          RailOptimisedOptions{
              .groups = 2, .hosts_per_group = 2, .rails = 2, .ports_per_nic = 2, .port_spread = PortSpread::kPlanes})
          .value();
  expect_reference(planes, Routes(planes), all_up(planes));
}

TEST(Routes, AreTheShortestPathsOfRandomGraphs) {
  RandomStream random(1, "random graphs");
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const Graph graph = random_graph(random);
    ASSERT_TRUE(check(graph));
    expect_reference(graph, Routes(graph), all_up(graph));
  }
}

TEST(Routes, FollowFailuresAndReturnsOfLinks) {
  RandomStream random(2, "failures");
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE(i);
    const Graph graph = random_graph(random);
    Routes routes(graph);
    States links = all_up(graph);
    for (int step = 0; step < 6; ++step) {
      for (int change = 0; change < 3; ++change) {
        const auto link = static_cast<std::uint32_t>(random.uniform(links.size()));
        links[link] = links[link] == LinkState::kUp ? LinkState::kDown : LinkState::kUp;
        routes.set_link(LinkIndex(link), links[link]);
      }
      routes.recompute();
      expect_reference(graph, routes, links);
    }
  }
}

// Leaves of a pod are reached alike until one of them loses a link.
TEST(Routes, FollowFailuresAmongLeavesThatWereAlike) {
  RandomStream random(3, "failures in trees");
  const std::array graphs = {
      build_graph(FatTreeOptions{.radix = 8, .hosts = 21, .parallel_links = 2, .core_parallel_links = 2}).value(),
      build_graph(FatTreeOptions{.radix = 6}).value(), build_graph(LeafSpineOptions{}).value()};
  for (const Graph& graph : graphs) {
    Routes routes(graph);
    States links = all_up(graph);
    for (int step = 0; step < 12; ++step) {
      for (int change = 0; change < 2 * step; ++change) {
        const auto link = static_cast<std::uint32_t>(random.uniform(links.size()));
        links[link] = random.uniform(3) == 0 ? LinkState::kUp : LinkState::kDown;
        routes.set_link(LinkIndex(link), links[link]);
      }
      SCOPED_TRACE(step);
      routes.recompute();
      expect_reference(graph, routes, links);
    }
  }
}

TEST(Routes, AfterAFailureAreThoseOfAGraphWithoutTheLink) {
  const Graph graph = build_graph(FatTreeOptions{.radix = 4}).value();
  for (std::uint32_t failed = 0; failed < graph.links.size(); ++failed) {
    Routes routes(graph);
    routes.set_link(LinkIndex(failed), LinkState::kDown);
    routes.recompute();
    Graph without = graph;
    without.links.erase(without.links.begin() + failed);
    const Routes fresh(without);
    for (std::uint32_t node = 0; node < graph.switches(); ++node) {
      for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
        ASSERT_EQ(routes.next_hops(node, EndpointId(i)), fresh.next_hops(node, EndpointId(i))) << failed;
      }
    }
  }
}

TEST(Routes, DoNotChangeBeforeTheyAreRecomputed) {
  const Graph graph = build_graph(LeafSpineOptions{}).value();
  Routes routes(graph);
  const auto far = EndpointId(graph.endpoints - 1);
  const std::uint32_t spines = routes.next_hops(0, far).size();
  routes.set_link(*find_link(graph, {*find_node(graph, "leaf0"), 8}), LinkState::kDown);
  EXPECT_EQ(routes.next_hops(0, far).size(), spines);
  routes.recompute();
  EXPECT_EQ(routes.next_hops(0, far).size(), spines - 1);
}

TEST(Routes, AreEmptyToAnEndpointWhoseLinkIsDown) {
  const Graph graph = build_graph(LeafSpineOptions{}).value();
  Routes routes(graph);
  routes.set_link(LinkIndex(3), LinkState::kDown);
  routes.recompute();
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    EXPECT_TRUE(routes.next_hops(node, EndpointId(3)).empty());
    EXPECT_FALSE(routes.next_hops(node, EndpointId(4)).empty());
  }
}

// host0/nic0 has port 0 at leaf 0 and port 1 at leaf 1, endpoints 0 and 1.
TEST(Routes, APortStandsInForAnotherOneOfItsNic) {
  const Graph graph =
      build_graph(
          RailOptimisedOptions{
              .groups = 2, .hosts_per_group = 2, .rails = 1, .ports_per_nic = 2, .port_spread = PortSpread::kLeaves})
          .value();
  Routes routes(graph, {.ports_stand_in = true});
  expect_reference(graph, routes, all_up(graph));
  routes.set_link(LinkIndex(0), LinkState::kDown);
  routes.recompute();
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    EXPECT_EQ(routes.next_hops(node, EndpointId(0)), routes.next_hops(node, EndpointId(1))) << node;
    EXPECT_FALSE(routes.next_hops(node, EndpointId(0)).empty()) << node;
  }
  EXPECT_EQ(routes.leaf_of(EndpointId(0)), routes.leaf_of(EndpointId(1)));
  routes.set_link(LinkIndex(1), LinkState::kDown);
  routes.recompute();
  EXPECT_TRUE(routes.next_hops(0, EndpointId(0)).empty());
  routes.set_link(LinkIndex(0), LinkState::kUp);
  routes.set_link(LinkIndex(1), LinkState::kUp);
  routes.recompute();
  expect_reference(graph, routes, all_up(graph));
}

TEST(Routes, ASwitchSeesANicByItsPortInTheSamePlane) {
  const Graph graph =
      build_graph(
          RailOptimisedOptions{
              .groups = 2, .hosts_per_group = 2, .rails = 1, .ports_per_nic = 2, .port_spread = PortSpread::kPlanes})
          .value();
  Routes routes(graph, {.ports_stand_in = true});
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    const std::uint16_t plane = graph.nodes[graph.endpoints + node].plane;
    EXPECT_EQ(routes.seen_as(node, EndpointId(0)), EndpointId(plane)) << node;
    EXPECT_FALSE(routes.next_hops(node, routes.seen_as(node, EndpointId(0))).empty()) << node;
  }
  routes.set_link(LinkIndex(1), LinkState::kDown);  // of port 1, in plane 1
  routes.recompute();
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    const std::uint16_t plane = graph.nodes[graph.endpoints + node].plane;
    EXPECT_EQ(routes.next_hops(node, routes.seen_as(node, EndpointId(0))).empty(), plane == 1) << node;
  }
}

TEST(Routes, AreEmptyBetweenPlanes) {
  const Graph graph = build_graph(RailOptimisedOptions{.rails = 2, .spines = 0}).value();
  const Routes routes(graph);
  EXPECT_EQ(routes.next_hops(0, EndpointId(0)).size(), 1U);
  EXPECT_TRUE(routes.next_hops(0, EndpointId(1)).empty());
}

TEST(Routes, GoThroughNoEndpoint) {
  // Two endpoints back to back have no switch to route at; a switch beside them cannot reach them.
  Graph graph = build_graph(SingleSwitchOptions{.hosts = 4}).value();
  graph.links.erase(graph.links.begin() + 2, graph.links.end());
  graph.links.push_back({{NodeIndex(2), 0}, {NodeIndex(3), 0}, 400_gbps, 15_ns});
  const Routes routes(graph);
  EXPECT_EQ(routes.next_hops(0, EndpointId(1)).size(), 1U);
  EXPECT_TRUE(routes.next_hops(0, EndpointId(2)).empty());
}

TEST(Routes, AreContiguousPortsInTrees) {
  const Graph graph = build_graph(FatTreeOptions{.radix = 8, .parallel_links = 2, .core_parallel_links = 2}).value();
  const Routes routes(graph);
  for (std::uint32_t node = 0; node < graph.switches(); ++node) {
    for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
      const NextHops hops = routes.next_hops(node, EndpointId(i));
      ASSERT_FALSE(hops.empty());
      EXPECT_EQ(hops[hops.size() - 1] - hops[0] + 1U, hops.size());
    }
  }
}

TEST(Routes, OfALargeTreeTakeLittleMemory) {
  const Graph graph = build_graph(FatTreeOptions{.radix = 32}).value();
  EXPECT_EQ(graph.endpoints, 8192U);
  const Routes routes(graph);
  EXPECT_LT(routes.heap_bytes(), 2'000'000U);
}

}  // namespace
}  // namespace weft::fabric
