#include "fabric/topology/rail_optimised.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <set>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

/// The leaf of an endpoint: links of endpoints come first, in their order.
const Node& leaf_of(const Graph& graph, std::string_view endpoint) {
  return graph[graph.links[find_node(graph, endpoint)->value()].b.node];
}

TEST(RailOptimised, PutsNicsOfOneNumberOnOneLeafPerGroup) {
  const RailOptimisedOptions options{.groups = 3, .hosts_per_group = 4, .rails = 8, .spines = 2, .parallel_links = 2};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 3U * 4 * 8);
  EXPECT_EQ(switches_of_tier(graph, 1), 3U * 8);
  EXPECT_EQ(switches_of_tier(graph, 2), 2U);
  EXPECT_EQ(graph.links.size(), graph.endpoints + 3 * 8 * 2 * 2);
  for (std::uint32_t host = 0; host < 12; ++host) {
    for (std::uint32_t nic = 0; nic < 8; ++nic) {
      const Node& leaf = leaf_of(graph, fmt::format("host{}/nic{}", host, nic));
      EXPECT_EQ(leaf.name, fmt::format("group{}/rail{}", host / 4, nic));
      EXPECT_EQ(leaf.ports, 4 + 2 * 2);
    }
  }
}

TEST(RailOptimised, DualTorPutsThePortsOfANicOnTwoLeavesOfOneFabric) {
  const RailOptimisedOptions options{.groups = 2, .rails = 4, .ports_per_nic = 2};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 2U * 8 * 4 * 2);
  EXPECT_EQ(switches_of_tier(graph, 1), 2U * 4 * 2);
  EXPECT_EQ(switches_of_tier(graph, 2), options.spines);
  EXPECT_EQ(leaf_of(graph, "host9/nic3/port0").name, "group1/rail3/leaf0");
  EXPECT_EQ(leaf_of(graph, "host9/nic3/port1").name, "group1/rail3/leaf1");
}

TEST(RailOptimised, PlanesAreFabricsOfTheirOwn) {
  const RailOptimisedOptions options{
      .groups = 2, .rails = 4, .spines = 3, .ports_per_nic = 4, .port_spread = PortSpread::kPlanes};
  const Graph graph = build_graph(options).value();
  const Result<void> valid = check(graph);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(switches_of_tier(graph, 2), 4U * 3);
  EXPECT_EQ(leaf_of(graph, "host9/nic3/port2").name, "plane2/group1/rail3");
  for (const Node& node : graph.nodes) {
    const auto plane = fmt::format("plane{}/", node.plane);
    const auto port = fmt::format("/port{}", node.plane);
    EXPECT_TRUE(node.kind == NodeKind::kSwitch ? node.name.starts_with(plane) : node.name.ends_with(port)) << node.name;
    EXPECT_EQ(node.domain, node.plane) << node.name;
  }
  EXPECT_EQ(graph[*find_node(graph, "plane3/spine2")].ports, 2 * 4);
}

TEST(RailOptimised, WithoutSpinesEachRailIsAPlane) {
  const RailOptimisedOptions options{.rails = 4, .spines = 0};
  const Graph graph = build_graph(options).value();
  const Result<void> valid = check(graph);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(graph.switches(), 4U);
  std::set<std::uint16_t> planes;
  for (const Node& node : graph.nodes) {
    planes.insert(node.plane);
  }
  EXPECT_EQ(planes.size(), 4U);
}

// 25 hosts in groups of 13: the leaves of the second have 12, and as many cables upwards.
TEST(RailOptimised, TheLastGroupTakesTheHostsThatAreLeft) {
  const RailOptimisedOptions options{
      .groups = 2, .hosts_per_group = 13, .hosts = 25, .rails = 4, .spines = 5, .parallel_links = 2};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 25U * 4);
  EXPECT_EQ(switches_of_tier(graph, 1), 2U * 4);
  EXPECT_EQ(graph.links.size(), graph.endpoints + 2 * 4 * 5 * 2);
  for (std::uint32_t host = 0; host < 25; ++host) {
    for (std::uint32_t nic = 0; nic < 4; ++nic) {
      const Node& leaf = leaf_of(graph, fmt::format("host{}/nic{}", host, nic));
      EXPECT_EQ(leaf.name, fmt::format("group{}/rail{}", host / 13, nic));
      EXPECT_EQ(leaf.ports, (host < 13 ? 13 : 12) + 5 * 2);
    }
  }
}

TEST(RailOptimised, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(RailOptimisedOptions{.groups = 2, .hosts_per_group = 8, .hosts = 8}).error().message,
            "rail-optimised: hosts is 8, 2 groups of 8 take 9 to 16");
  EXPECT_EQ(build_graph(RailOptimisedOptions{.groups = 2, .spines = 0}).error().message,
            "rail-optimised: spines is 0 with 2 groups, which are then disconnected; it must be at least 1");
  EXPECT_EQ(build_graph(RailOptimisedOptions{.ports_per_nic = 0}).error().message,
            "rail-optimised: ports_per_nic is 0, it must be at least 1");
}

}  // namespace
}  // namespace weft::fabric
