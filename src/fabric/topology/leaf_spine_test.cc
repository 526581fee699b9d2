#include "fabric/topology/leaf_spine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

constexpr LeafSpineOptions kOptions{.leaves = 6,
                                    .spines = 4,
                                    .hosts_per_leaf = 8,
                                    .nics_per_host = 2,
                                    .parallel_links = 2,
                                    .host_link = {.rate = 100_gbps},
                                    .fabric_link = {.rate = 200_gbps}};

TEST(LeafSpine, HasTheCountsOfItsOptions) {
  const Graph graph = build_graph(kOptions).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 6U * 8 * 2);
  EXPECT_EQ(switches_of_tier(graph, 1), kOptions.leaves);
  EXPECT_EQ(switches_of_tier(graph, 2), kOptions.spines);
  EXPECT_EQ(graph.links.size(), graph.endpoints + kOptions.leaves * kOptions.spines * kOptions.parallel_links);
}

TEST(LeafSpine, OversubscribesByItsCounts) {
  const Graph graph = build_graph(kOptions).value();
  const SwitchRates leaf = switch_rates(graph, *find_node(graph, "leaf3"));
  EXPECT_EQ(leaf.down, 8 * 2 * 100_gbps);
  EXPECT_EQ(leaf.up, 4 * 2 * 200_gbps);
  const SwitchRates spine = switch_rates(graph, *find_node(graph, "spine1"));
  EXPECT_EQ(spine.down, 6 * 2 * 200_gbps);
  EXPECT_EQ(spine.up, Rate::zero());
  EXPECT_EQ(oversubscription(graph), 1);
}

TEST(LeafSpine, NumbersSpinesInTurnAndParallelPortsOfASpineTogether) {
  const Graph graph = build_graph(kOptions).value();
  const NodeIndex leaf = *find_node(graph, "leaf1");
  const NodeIndex spine = *find_node(graph, "spine2");
  for (std::uint16_t i = 0; i < kOptions.parallel_links; ++i) {
    const auto port = static_cast<std::uint16_t>(16 + 4 * i + 2);
    const Link& link = graph.links[find_link(graph, {leaf, port})->value()];
    EXPECT_EQ(link.b, (LinkEnd{spine, static_cast<std::uint16_t>(1 * 2 + i)}));
  }
  EXPECT_FALSE(find_link(graph, {leaf, graph[leaf].ports}));
}

/// The leaf of an endpoint: links of endpoints come first, in their order.
const Node& leaf_of(const Graph& graph, std::string_view endpoint) {
  return graph[graph.links[find_node(graph, endpoint)->value()].b.node];
}

TEST(LeafSpine, DualTorPutsThePortsOfANicOnTwoLeavesOfOneFabric) {
  LeafSpineOptions options = kOptions;
  options.ports_per_nic = 2;
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 6U * 8 * 2 * 2);
  EXPECT_EQ(switches_of_tier(graph, 1), 2 * options.leaves);
  EXPECT_EQ(switches_of_tier(graph, 2), options.spines);
  EXPECT_EQ(graph.links.size(), graph.endpoints + 2 * options.leaves * options.spines * options.parallel_links);
  for (const char* const nic : {"host9/nic0", "host9/nic1", "host15/nic1"}) {
    EXPECT_EQ(leaf_of(graph, std::string(nic) + "/port0").name, "rack1/leaf0") << nic;
    EXPECT_EQ(leaf_of(graph, std::string(nic) + "/port1").name, "rack1/leaf1") << nic;
  }
  // A leaf is as oversubscribed as the one that has all ports of a NIC of one port.
  const SwitchRates leaf = switch_rates(graph, *find_node(graph, "rack5/leaf1"));
  EXPECT_EQ(leaf.down, 8 * 2 * 100_gbps);
  EXPECT_EQ(leaf.up, 4 * 2 * 200_gbps);
  EXPECT_EQ(graph[*find_node(graph, "spine3")].ports, 2 * 6 * 2);
}

TEST(LeafSpine, PlanesAreFabricsOfTheirOwn) {
  LeafSpineOptions options = kOptions;
  options.ports_per_nic = 3;
  options.port_spread = PortSpread::kPlanes;
  const Graph one = build_graph(kOptions).value();
  const Graph graph = build_graph(options).value();
  const Result<void> valid = check(graph);
  EXPECT_TRUE(valid) << valid.error().message;
  EXPECT_EQ(graph.endpoints, 3 * one.endpoints);
  EXPECT_EQ(graph.switches(), 3 * one.switches());
  EXPECT_EQ(graph.links.size(), 3 * one.links.size());
  EXPECT_EQ(leaf_of(graph, "host9/nic1/port2").name, "plane2/leaf1");
  for (const Node& node : graph.nodes) {
    const std::string plane = "plane" + std::to_string(node.plane) + "/";
    const std::string port = "/port" + std::to_string(node.plane);
    EXPECT_TRUE(node.kind == NodeKind::kSwitch ? node.name.starts_with(plane) : node.name.ends_with(port)) << node.name;
    EXPECT_EQ(node.domain, node.plane) << node.name;
  }
  EXPECT_EQ(graph[*find_node(graph, "plane1/spine2")].ports, one[*find_node(one, "spine2")].ports);
}

/// Endpoints at each switch of tier 1, in its order; every endpoint has one cable.
std::vector<std::uint32_t> endpoints_of_leaves(const Graph& graph) {
  std::vector<std::uint32_t> counts(switches_of_tier(graph, 1));
  std::vector<std::uint32_t> cables(graph.endpoints);
  for (const Link& link : graph.links) {
    if (link.a.node.value() < graph.endpoints) {
      ++cables[link.a.node.value()];
      ++counts[link.b.node.value() - graph.endpoints];
    }
  }
  EXPECT_EQ(std::ranges::count(cables, 1U), graph.endpoints);
  return counts;
}

// 25 hosts in leaves of four: seven, of which the last has one host, and each has its cables to every spine.
TEST(LeafSpine, TheLastLeafTakesTheHostsThatAreLeft) {
  for (const std::uint32_t hosts : {25U, 26U, 27U, 28U}) {
    const LeafSpineOptions options{
        .leaves = 7, .spines = 4, .hosts_per_leaf = 4, .hosts = hosts, .nics_per_host = 2, .parallel_links = 3};
    const Graph graph = build_graph(options).value();
    EXPECT_TRUE(check(graph));
    EXPECT_EQ(graph.endpoints, hosts * 2);
    EXPECT_EQ(switches_of_tier(graph, 1), 7U);
    EXPECT_EQ(switches_of_tier(graph, 2), 4U);
    EXPECT_EQ(graph.links.size(), hosts * 2 + 7 * 4 * 3);
    std::vector<std::uint32_t> expected(7, 8);
    expected.back() = (hosts - 24) * 2;
    EXPECT_EQ(endpoints_of_leaves(graph), expected);
    EXPECT_EQ(graph[*find_node(graph, "leaf6")].ports, (hosts - 24) * 2 + 4 * 3);
    EXPECT_EQ(leaf_of(graph, "host23/nic1").name, "leaf5");
    EXPECT_EQ(leaf_of(graph, "host24/nic0").name, "leaf6");
  }
}

TEST(LeafSpine, AFullLastLeafIsThatOfNoNumberOfHosts) {
  LeafSpineOptions options = kOptions;
  const Graph open = build_graph(options).value();
  options.hosts = 6 * 8;
  const Graph given = build_graph(options).value();
  ASSERT_EQ(given.links.size(), open.links.size());
  for (std::size_t i = 0; i < open.links.size(); ++i) {
    EXPECT_EQ(given.links[i].a, open.links[i].a);
    EXPECT_EQ(given.links[i].b, open.links[i].b);
  }
}

TEST(LeafSpine, BothLeavesOfTheLastRackAndAllPlanesArePartlyFilled) {
  LeafSpineOptions options{.leaves = 3, .spines = 2, .hosts_per_leaf = 4, .hosts = 9, .ports_per_nic = 2};
  const Graph dual = build_graph(options).value();
  EXPECT_TRUE(check(dual));
  EXPECT_EQ(endpoints_of_leaves(dual), (std::vector<std::uint32_t>{4, 4, 4, 4, 1, 1}));
  EXPECT_EQ(leaf_of(dual, "host8/nic0/port1").name, "rack2/leaf1");
  options.port_spread = PortSpread::kPlanes;
  const Graph planes = build_graph(options).value();
  EXPECT_TRUE(check(planes));
  EXPECT_EQ(endpoints_of_leaves(planes), (std::vector<std::uint32_t>{4, 4, 4, 4, 1, 1}));
  EXPECT_EQ(leaf_of(planes, "host8/nic0/port1").name, "plane1/leaf2");
}

TEST(LeafSpine, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(LeafSpineOptions{.leaves = 3, .hosts_per_leaf = 4, .hosts = 13}).error().message,
            "leaf-spine: hosts is 13, 3 leaves of 4 take 9 to 12");
  EXPECT_EQ(build_graph(LeafSpineOptions{.leaves = 3, .hosts_per_leaf = 4, .hosts = 8}).error().message,
            "leaf-spine: hosts is 8, 3 leaves of 4 take 9 to 12");
  EXPECT_EQ(build_graph(LeafSpineOptions{.ports_per_nic = 0}).error().message,
            "leaf-spine: ports_per_nic is 0, it must be at least 1");
  EXPECT_EQ(build_graph(LeafSpineOptions{.spines = 0}).error().message,
            "leaf-spine: spines is 0, it must be at least 1");
  EXPECT_EQ(build_graph(LeafSpineOptions{.leaves = 40'000, .spines = 40'000}).error().message,
            "leaf-spine: these options ask for 80000 switches, the most is 65534");
}

}  // namespace
}  // namespace weft::fabric
