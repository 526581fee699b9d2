#include "fabric/topology/fat_tree.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

TEST(FatTree, OfThreeTiersHasTheCountsOfTheClosedForm) {
  for (std::uint32_t k = 2; k <= 16; k += 2) {
    const Graph graph = build_graph(FatTreeOptions{.radix = k}).value();
    EXPECT_TRUE(check(graph)) << k;
    EXPECT_EQ(graph.endpoints, k * k * k / 4);
    EXPECT_EQ(switches_of_tier(graph, 1), k * k / 2);
    EXPECT_EQ(switches_of_tier(graph, 2), k * k / 2);
    EXPECT_EQ(switches_of_tier(graph, 3), k * k / 4);
    EXPECT_EQ(graph.links.size(), 3U * k * k * k / 4);
    for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
      EXPECT_EQ(graph.nodes[i].ports, k) << graph.nodes[i].name;
    }
  }
}

TEST(FatTree, OfTwoTiersHasTheCountsOfTheClosedForm) {
  for (std::uint32_t k = 2; k <= 32; k += 6) {
    const Graph graph = build_graph(FatTreeOptions{.radix = k, .tiers = 2}).value();
    EXPECT_TRUE(check(graph)) << k;
    EXPECT_EQ(graph.endpoints, k * k / 2);
    EXPECT_EQ(switches_of_tier(graph, 1), k);
    EXPECT_EQ(switches_of_tier(graph, 2), k / 2);
    EXPECT_EQ(graph.links.size(), k * k);
  }
}

TEST(FatTree, OversubscribesItsLeaves) {
  const FatTreeOptions options{.radix = 32, .nics_per_host = 8, .leaf_uplinks = 8};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  // 24 host ports on each of the 16 leaves of the 32 pods; 8 aggregation switches per pod with 16 cores each.
  EXPECT_EQ(graph.endpoints, 24U * 16 * 32);
  EXPECT_EQ(switches_of_tier(graph, 2), 8U * 32);
  EXPECT_EQ(switches_of_tier(graph, 3), 8U * 16);
  const SwitchRates leaf = switch_rates(graph, *find_node(graph, "pod31/leaf15"));
  EXPECT_EQ(leaf.down, 3 * leaf.up);
  const SwitchRates agg = switch_rates(graph, *find_node(graph, "pod31/agg7"));
  EXPECT_EQ(agg.down, agg.up);
  EXPECT_EQ(oversubscription(graph), 3);
}

TEST(FatTree, ParallelLinksMakeFewerAndWiderNeighbours) {
  const FatTreeOptions options{.radix = 16, .parallel_links = 2, .core_parallel_links = 4};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  // Pods: 16 ports of a core, 4 to each. Leaves of a pod: 8 downward ports of an aggregation switch, 2 to each.
  EXPECT_EQ(switches_of_tier(graph, 1), 4U * 4);
  EXPECT_EQ(switches_of_tier(graph, 2), 4U * 4);
  EXPECT_EQ(switches_of_tier(graph, 3), 4U * 2);
  EXPECT_EQ(graph.endpoints, 4U * 4 * 8);
  EXPECT_EQ(graph.links.size(), 3U * graph.endpoints);
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    EXPECT_EQ(graph.nodes[i].ports, options.radix) << graph.nodes[i].name;
  }
}

TEST(FatTree, CanBePartial) {
  for (std::uint32_t hosts = 1; hosts <= 128; ++hosts) {
    const Graph graph = build_graph(FatTreeOptions{.radix = 8, .hosts = hosts}).value();
    const Result<void> valid = check(graph);
    ASSERT_TRUE(valid) << hosts << ": " << valid.error().message;
    EXPECT_EQ(graph.endpoints, hosts);
    const std::uint32_t leaves = (hosts + 3) / 4;
    const std::uint32_t pods = (leaves + 3) / 4;
    EXPECT_EQ(switches_of_tier(graph, 1), leaves);
    EXPECT_EQ(switches_of_tier(graph, 2), leaves == 1 ? 0 : pods * 4);
    EXPECT_EQ(switches_of_tier(graph, 3), pods == 1 ? 0U : 16U);
  }
}

TEST(FatTree, KeepsAllUplinksOfALeafWhenPartial) {
  const Graph graph = build_graph(FatTreeOptions{.radix = 8, .tiers = 2, .hosts = 13}).value();
  const SwitchRates last = switch_rates(graph, *find_node(graph, "leaf3"));
  EXPECT_EQ(last.down, 400_gbps);
  EXPECT_EQ(last.up, 4 * 400_gbps);
  EXPECT_EQ(oversubscription(graph), 1);
}

TEST(FatTree, TakesRateAndDelayOfEachTier) {
  const FatTreeOptions options{
      .radix = 4, .host_link = {100_gbps, 10_ns}, .leaf_link = {200_gbps, 20_ns}, .core_link = {400_gbps, 40_ns}};
  const Graph graph = build_graph(options).value();
  for (const Link& link : graph.links) {
    const Cable wanted = std::array{options.host_link, options.leaf_link, options.core_link}[graph[link.a.node].tier];
    EXPECT_EQ(link.rate, wanted.rate);
    EXPECT_EQ(link.propagation, wanted.propagation);
  }
}

TEST(FatTree, PutsAllNicsOfAHostOnOneLeaf) {
  const Graph graph = build_graph(FatTreeOptions{.radix = 16, .hosts = 31, .nics_per_host = 4}).value();
  EXPECT_TRUE(check(graph));
  for (std::uint32_t i = 0; i < graph.endpoints; ++i) {
    EXPECT_EQ(graph.links[i].b.node.value() - graph.endpoints, i / 4 / 2);
  }
}

/// The leaf of an endpoint: links of endpoints come first, in their order.
const Node& leaf_of(const Graph& graph, std::string_view endpoint) {
  return graph[graph.links[find_node(graph, endpoint)->value()].b.node];
}

TEST(FatTree, PlanesAreTreesOfTheirOwn) {
  for (const std::uint32_t tiers : {2U, 3U}) {
    for (const std::uint32_t hosts : {0U, 3U, 17U}) {
      const Graph one = build_graph(FatTreeOptions{.tiers = tiers, .hosts = hosts}).value();
      const Graph graph =
          build_graph(
              FatTreeOptions{.tiers = tiers, .hosts = hosts, .ports_per_nic = 2, .port_spread = PortSpread::kPlanes})
              .value();
      const Result<void> valid = check(graph);
      EXPECT_TRUE(valid) << valid.error().message;
      EXPECT_EQ(graph.endpoints, 2 * one.endpoints);
      EXPECT_EQ(graph.links.size(), 2 * one.links.size());
      for (const std::uint8_t tier : {1, 2, 3}) {
        EXPECT_EQ(switches_of_tier(graph, tier), 2 * switches_of_tier(one, tier));
      }
      // Each node is that of the one tree, in a plane.
      for (std::uint32_t i = one.endpoints; i < one.nodes.size(); ++i) {
        for (const std::uint16_t plane : {0, 1}) {
          const auto same = find_node(graph, "plane" + std::to_string(plane) + "/" + one.nodes[i].name);
          ASSERT_TRUE(same) << one.nodes[i].name;
          EXPECT_EQ(graph[*same].ports, one.nodes[i].ports);
          EXPECT_EQ(graph[*same].plane, plane);
        }
      }
    }
  }
}

TEST(FatTree, DualTorHalvesTheHostsOfATree) {
  for (std::uint32_t k = 4; k <= 16; k += 4) {
    const Graph graph = build_graph(FatTreeOptions{.radix = k, .ports_per_nic = 2}).value();
    EXPECT_TRUE(check(graph)) << k;
    // As many ports and switches as the tree of NICs with one port.
    EXPECT_EQ(graph.endpoints, k * k * k / 4);
    EXPECT_EQ(switches_of_tier(graph, 1), k * k / 2);
    EXPECT_EQ(switches_of_tier(graph, 3), k * k / 4);
    const std::string last = "host" + std::to_string(k * k * k / 8 - 1) + "/nic0/port";
    const std::string rack = "pod" + std::to_string(k - 1) + "/rack" + std::to_string(k / 4 - 1) + "/leaf";
    EXPECT_EQ(leaf_of(graph, last + "0").name, rack + "0");
    EXPECT_EQ(leaf_of(graph, last + "1").name, rack + "1");
  }
  const Graph small = build_graph(FatTreeOptions{.hosts = 2, .ports_per_nic = 2}).value();
  EXPECT_TRUE(check(small));
  EXPECT_EQ(switches_of_tier(small, 1), 2U);
  EXPECT_EQ(switches_of_tier(small, 2), 4U);  // the two leaves of one rack still need what joins them
}

TEST(FatTree, SaysWhichOptionIsWrong) {
  const auto fault = [](const FatTreeOptions& options) { return build_graph(options).error().message; };
  EXPECT_EQ(fault({.radix = 7}), "fat-tree: radix is 7, it must be an even number from 2 to 65534");
  EXPECT_EQ(fault({.tiers = 4}), "fat-tree: tiers is 4, it must be 2 or 3");
  EXPECT_EQ(fault({.hosts = 129}),
            "fat-tree: hosts is 129, a tree of 3 tiers and radix 8 with these options has room for 128");
  EXPECT_EQ(fault({.nics_per_host = 3}), "fat-tree: nics_per_host is 3, it must divide the 4 host ports of a leaf");
  EXPECT_EQ(fault({.leaf_uplinks = 8}), "fat-tree: leaf_uplinks is 8, it must be below the radix, 8");
  EXPECT_EQ(fault({.parallel_links = 3}), "fat-tree: parallel_links is 3, it must divide the 4 uplinks of a leaf");
  EXPECT_EQ(fault({.core_parallel_links = 3}),
            "fat-tree: core_parallel_links is 3, it must divide half of the radix, 4");
  EXPECT_EQ(fault({.ports_per_nic = 0}), "fat-tree: ports_per_nic is 0, it must be at least 1");
  EXPECT_EQ(fault({.ports_per_nic = 3}), "fat-tree: ports_per_nic is 3, it must divide the 4 leaves of a pod");
}

}  // namespace
}  // namespace weft::fabric
