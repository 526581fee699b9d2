#include "fabric/routing/forwarding_table.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/test_topologies.h"

namespace weft::fabric {
namespace {

/// A switch and its port.
using Hop = std::pair<std::uint32_t, std::uint16_t>;

class Network {
 public:
  explicit Network(Graph graph) : graph_(std::move(graph)), routes_(graph_), table_(graph_) {
    for (const Link& link : graph_.links) {
      peer_[{link.a.node.value(), link.a.port}] = link.b.node.value();
      peer_[{link.b.node.value(), link.b.port}] = link.a.node.value();
    }
  }

  [[nodiscard]] const Graph& graph() const { return graph_; }
  [[nodiscard]] const Routes& routes() const { return routes_; }
  [[nodiscard]] const ForwardingTable& table() const { return table_; }

  [[nodiscard]] std::uint16_t port(std::uint32_t node, EndpointId destination, std::uint32_t offset = 0) const {
    return table_.choose(node, {.destination = destination, .offset = offset}, routes_.next_hops(node, destination));
  }

  [[nodiscard]] bool leads_up(std::uint32_t node, std::uint16_t port) const {
    const std::uint32_t index = graph_.endpoints + node;
    return graph_.nodes[peer_.at({index, port})].tier > graph_.nodes[index].tier;
  }

  /// The ports that a packet leaves switches by, to the LID that is so much above the base.
  [[nodiscard]] std::vector<Hop> path(EndpointId source, EndpointId destination, std::uint32_t offset = 0) const {
    std::vector<Hop> hops;
    std::uint32_t node = peer_.at({source.value(), 0});
    while (node != destination.value()) {
      const std::uint32_t ordinal = node - graph_.endpoints;
      hops.emplace_back(ordinal, port(ordinal, destination, offset));
      node = peer_.at({node, hops.back().second});
    }
    return hops;
  }

 private:
  Graph graph_;
  Routes routes_;
  ForwardingTable table_;
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> peer_;
};

Network tree(const FatTreeOptions& options) { return Network(build_graph(options).value()); }

/// The most flows on one port when every endpoint i sends to i + shift.
std::uint32_t most_flows(const Network& net, std::uint32_t shift) {
  std::map<Hop, std::uint32_t> flows;
  std::uint32_t most = 0;
  const std::uint32_t endpoints = net.graph().endpoints;
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    for (const Hop& hop : net.path(EndpointId(i), EndpointId((i + shift) % endpoints))) {
      most = std::max(most, ++flows[hop]);
    }
  }
  return most;
}

TEST(SmallDivider, IsExact) {
  RandomStream random(3, "divider");
  for (std::uint32_t divisor = 1; divisor <= SmallDivider::kLimit; divisor += 1 + divisor / 3) {
    const SmallDivider divider(divisor);
    for (int i = 0; i < 200; ++i) {
      const auto dividend = static_cast<std::uint32_t>(random.uniform(SmallDivider::kLimit));
      ASSERT_EQ(divider.quotient(dividend), dividend / divisor) << dividend << " / " << divisor;
      const std::uint32_t multiple = dividend / divisor * divisor;
      ASSERT_EQ(divider.quotient(multiple), multiple / divisor) << multiple << " / " << divisor;
      if (multiple > 0) {
        ASSERT_EQ(divider.quotient(multiple - 1), (multiple - 1) / divisor) << multiple << " / " << divisor;
      }
    }
  }
}

TEST(ForwardingTable, TakesAPortOfTheNextHops) {
  for (const SampleTopology& topology : sample_topologies()) {
    const Result<Graph> graph = build_topology(topology.options);
    if (!graph) {
      continue;
    }
    const Network net(*graph);
    for (std::uint32_t node = 0; node < graph->switches(); ++node) {
      for (std::uint32_t i = 0; i < graph->endpoints; ++i) {
        const NextHops hops = net.routes().next_hops(node, EndpointId(i));
        if (!hops.empty()) {
          const std::uint16_t port = net.port(node, EndpointId(i));
          ASSERT_NE(std::find(hops.begin(), hops.end(), port), hops.end());
        }
      }
    }
  }
}

TEST(ForwardingTable, PutsEquallyManyDestinationsOnEachUplink) {
  for (const FatTreeOptions& options : {FatTreeOptions{.radix = 8}, FatTreeOptions{.radix = 8, .tiers = 2},
                                        FatTreeOptions{.radix = 16, .tiers = 2, .leaf_uplinks = 4, .parallel_links = 2},
                                        FatTreeOptions{.radix = 16, .core_parallel_links = 4}}) {
    const Network net = tree(options);
    const Graph& graph = net.graph();
    for (std::uint32_t node = 0; node < graph.switches(); ++node) {
      std::map<std::uint16_t, std::uint32_t> destinations;
      for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
        const std::uint16_t port = net.port(node, EndpointId(i));
        if (net.leads_up(node, port)) {
          ++destinations[port];
        }
      }
      const Rate up = switch_rates(graph, NodeIndex(graph.endpoints + node)).up;
      EXPECT_EQ(static_cast<std::int64_t>(destinations.size()) * FatTreeOptions{}.leaf_link.rate, up);
      for (const auto& [port, count] : destinations) {
        EXPECT_EQ(count, destinations.begin()->second) << graph.nodes[graph.endpoints + node].name << " port " << port;
      }
    }
  }
}

TEST(ForwardingTable, LeadsAllPathsToADestinationDownThroughOneCore) {
  const Network net = tree({.radix = 8});
  const Graph& graph = net.graph();
  for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
    std::map<std::uint32_t, std::uint32_t> cores;
    for (std::uint32_t from = 0; from < graph.endpoints; ++from) {
      if (from == to) {
        continue;
      }
      for (const Hop& hop : net.path(EndpointId(from), EndpointId(to))) {
        if (graph.nodes[graph.endpoints + hop.first].tier == 3) {
          ++cores[hop.first];
        }
      }
    }
    // All but the destination's own pod send through it.
    ASSERT_EQ(cores.size(), 1U);
    EXPECT_EQ(cores.begin()->second, graph.endpoints - graph.endpoints / 8);
  }
}

TEST(ForwardingTable, KeepsTheFlowsOfAShiftPermutationApart) {
  for (const FatTreeOptions& options :
       {FatTreeOptions{.radix = 8}, FatTreeOptions{.radix = 8, .tiers = 2}, FatTreeOptions{.radix = 6},
        FatTreeOptions{.radix = 8, .parallel_links = 2, .core_parallel_links = 2},
        FatTreeOptions{.radix = 12, .tiers = 2, .parallel_links = 3}}) {
    const Network net = tree(options);
    for (std::uint32_t shift = 1; shift < net.graph().endpoints; ++shift) {
      ASSERT_EQ(most_flows(net, shift), 1U) << "shift " << shift << " radix " << options.radix;
    }
  }
}

TEST(ForwardingTable, SharesUplinksOfAnOversubscribedLeafEvenly) {
  // Six endpoints on each leaf and two uplinks: three flows on each at most.
  const Network net = tree({.radix = 8, .tiers = 2, .leaf_uplinks = 2});
  for (std::uint32_t shift = 6; shift + 6 < net.graph().endpoints; shift += 6) {
    EXPECT_EQ(most_flows(net, shift), 3U) << shift;
  }
}

TEST(ForwardingTable, KeepsToTheNextHopsThatAFailureLeaves) {
  const Graph graph = build_graph(LeafSpineOptions{.spines = 4}).value();
  Routes routes(graph);
  const ForwardingTable table(graph);
  // leaf0's port 8 leads to spine0.
  routes.set_link(*find_link(graph, {*find_node(graph, "leaf0"), 8}), LinkState::kDown);
  routes.recompute();
  std::map<std::uint16_t, int> destinations;
  for (std::uint32_t i = 8; i < graph.endpoints; ++i) {
    ++destinations[table.choose(0, {.destination = EndpointId(i)}, routes.next_hops(0, EndpointId(i)))];
  }
  EXPECT_EQ(destinations.size(), 3U);
  EXPECT_EQ(destinations.count(8), 0U);
}

TEST(ForwardingTable, NumbersPositionsByLeafAndPort) {
  const Network net = tree({.radix = 4, .hosts = 7});
  for (std::uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(net.table().position(EndpointId(i)), i);
  }
}

// Of a three-tier tree with as many LIDs as cores: each of them is reached by another core, whoever sends.
TEST(ForwardingTable, EachLidOfAPortGoesByAnotherCore) {
  const Network network(*build_graph(FatTreeOptions{.radix = 8, .tiers = 3}));
  constexpr std::uint32_t kCores = 16;
  const EndpointId source(3);
  for (const std::uint32_t last : {127U, 64U, 17U}) {
    std::set<std::vector<Hop>> paths;
    std::set<std::uint32_t> tops;
    for (std::uint32_t offset = 0; offset < kCores; ++offset) {
      const std::vector<Hop> path = network.path(source, EndpointId(last), offset);
      ASSERT_EQ(path.size(), 5U);
      tops.insert(path[2].first);
      paths.insert(path);
    }
    EXPECT_EQ(tops.size(), kCores);
    EXPECT_EQ(paths.size(), kCores);
    EXPECT_EQ(network.path(source, EndpointId(last), kCores), network.path(source, EndpointId(last)))
        << "from the first";
  }
}

// Offset o of a port goes as the base LID of the port that stands o positions further, wherever both take the same way.
TEST(ForwardingTable, AnOffsetIsAPositionFurther) {
  const Network network(*build_graph(FatTreeOptions{.radix = 8, .tiers = 3}));
  const EndpointId destination(100);
  const EndpointId neighbour(101);
  ASSERT_EQ(network.table().position(neighbour), network.table().position(destination) + 1);
  const std::vector<Hop> offset = network.path(EndpointId(0), destination, 1);
  const std::vector<Hop> base = network.path(EndpointId(0), neighbour);
  ASSERT_EQ(offset.size(), base.size());
  EXPECT_TRUE(std::equal(offset.begin(), offset.end() - 1, base.begin())) << "but for the last hop, to the port itself";
}

}  // namespace
}  // namespace weft::fabric
