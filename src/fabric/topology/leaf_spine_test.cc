#include "fabric/topology/leaf_spine.h"

#include <gtest/gtest.h>

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

TEST(LeafSpine, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(LeafSpineOptions{.spines = 0}).error().message,
            "leaf-spine: spines is 0, it must be at least 1");
  EXPECT_EQ(build_graph(LeafSpineOptions{.leaves = 40'000, .spines = 40'000}).error().message,
            "leaf-spine: these options ask for 80000 switches, the most is 65534");
}

}  // namespace
}  // namespace weft::fabric
