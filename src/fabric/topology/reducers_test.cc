#include "fabric/topology/reducers.h"

#include <gtest/gtest.h>

#include "fabric/routing/forwarding_table.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

Graph small() {
  return *build_graph(LeafSpineOptions{
      .leaves = 2, .spines = 2, .hosts_per_leaf = 3, .host_link = {100_gbps, 10_ns}, .fabric_link = {400_gbps, 20_ns}});
}

std::vector<NodeIndex> switches_of(const Graph& graph) {
  std::vector<NodeIndex> all;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    all.emplace_back(i);
  }
  return all;
}

TEST(Reducers, HaveAnInternalPortForEachCableOfTheirSwitch) {
  Graph graph = small();
  const Graph plain = graph;
  ASSERT_TRUE(add_reducers(graph, switches_of(graph), {}));
  ASSERT_TRUE(check(graph));
  const std::vector<ReducerSite> sites = reducers_of(graph);
  ASSERT_EQ(sites.size(), plain.switches());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const Node& before = plain.nodes[plain.endpoints + i];
    EXPECT_EQ(graph[sites[i].at].name, before.name);
    EXPECT_EQ(sites[i].ports, before.ports);
    EXPECT_EQ(graph[sites[i].at].ports, 2 * before.ports);
    EXPECT_EQ(graph[graph.node_of(sites[i].first_port)].name, before.name + "/reducer/port0");
  }
}

TEST(Reducers, LeaveHostsAndCablesAsTheyWere) {
  Graph graph = small();
  const Graph plain = graph;
  ASSERT_TRUE(add_reducers(graph, switches_of(graph), {}));
  EXPECT_EQ(graph.host_endpoints(), plain.endpoints);
  for (std::uint32_t i = 0; i < plain.endpoints; ++i) {
    EXPECT_EQ(graph.nodes[i].name, plain.nodes[i].name);
  }
  for (std::size_t i = 0; i < plain.links.size(); ++i) {
    for (const auto& [now, before] :
         {std::pair(graph.links[i].a, plain.links[i].a), std::pair(graph.links[i].b, plain.links[i].b)}) {
      EXPECT_EQ(graph[now.node].name, plain[before.node].name);
      EXPECT_EQ(now.port, before.port);
    }
  }
}

TEST(Reducers, ArePortsAsFastAsTheFastestCable) {
  Graph graph = small();
  ASSERT_TRUE(add_reducers(graph, switches_of(graph), {.ports = 1, .propagation = 3_ns}));
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    const bool internal =
        graph.links[i].a.node.value() >= graph.host_endpoints() && graph.links[i].a.node.value() < graph.endpoints;
    if (internal) {
      EXPECT_EQ(graph.links[i].rate, 400_gbps);
      EXPECT_EQ(graph.links[i].propagation, 3_ns);
    }
  }
  EXPECT_EQ(graph.reducer_ports, 4U);
}

TEST(Reducers, AreReachedFromEverySwitch) {
  Graph graph = *build_graph(FatTreeOptions{.radix = 4, .tiers = 3});
  ASSERT_TRUE(add_reducers(graph, switches_of(graph), {}));
  const Routes routes(graph);
  for (std::uint32_t at = 0; at < graph.switches(); ++at) {
    for (std::uint32_t to = 0; to < graph.endpoints; ++to) {
      EXPECT_FALSE(routes.next_hops(at, EndpointId(to)).empty());
    }
  }
}

TEST(Reducers, ChangeNoPathOfAHost) {
  const Graph plain = *build_graph(FatTreeOptions{.radix = 8, .tiers = 3});
  Graph graph = plain;
  ASSERT_TRUE(add_reducers(graph, switches_of(graph), {}));
  const ForwardingTable before(plain);
  const ForwardingTable after(graph);
  const Routes routes_before(plain);
  const Routes routes_after(graph);
  for (std::uint32_t at = 0; at < plain.switches(); ++at) {
    for (std::uint32_t to = 0; to < plain.endpoints; ++to) {
      const NextHops hops = routes_before.next_hops(at, EndpointId(to));
      ASSERT_EQ(routes_after.next_hops(at, EndpointId(to)), hops);
      ASSERT_EQ(after.choose(at, {.destination = EndpointId(to)}, hops),
                before.choose(at, {.destination = EndpointId(to)}, hops));
    }
  }
}

TEST(Reducers, AreRefusedTwiceAndOffSwitches) {
  Graph graph = small();
  const NodeIndex leaf(graph.endpoints);
  const std::vector<NodeIndex> twice = {leaf, leaf};
  EXPECT_NE(add_reducers(graph, twice, {}).error().message.find("leaf0 is named twice"), std::string::npos);
  const std::vector<NodeIndex> host = {NodeIndex(0)};
  EXPECT_FALSE(add_reducers(graph, host, {}));
  const std::vector<NodeIndex> once = {leaf};
  EXPECT_FALSE(add_reducers(graph, once, {.ports = 0xFFFF}));
  EXPECT_FALSE(add_reducers(graph, once, {.propagation = Duration::zero()}));
  EXPECT_EQ(graph.reducer_ports, 0U);
}

}  // namespace
}  // namespace weft::fabric
