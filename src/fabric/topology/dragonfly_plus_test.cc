#include "fabric/topology/dragonfly_plus.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "fabric/routing/routes.h"
#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

constexpr DragonflyPlusOptions kOptions{.groups = 5,
                                        .leaves = 3,
                                        .spines = 2,
                                        .hosts_per_leaf = 4,
                                        .nics_per_host = 2,
                                        .parallel_links = 2,
                                        .global_links = 3,
                                        .host_link = {.rate = 100_gbps},
                                        .leaf_link = {.rate = 200_gbps},
                                        .global_link = {.rate = 400_gbps}};

bool is_global(const Graph& graph, const Link& link) {
  return graph[link.a.node].tier == 2 && graph[link.b.node].tier == 2;
}

TEST(DragonflyPlus, HasTheCountsOfItsOptions) {
  const Graph graph = build_graph(kOptions).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, 5U * 3 * 4 * 2);
  EXPECT_EQ(switches_of_tier(graph, 1), 5U * 3);
  EXPECT_EQ(switches_of_tier(graph, 2), 5U * 2);
  EXPECT_EQ(graph.links.size(), graph.endpoints + 5U * 3 * 2 * 2 + 5U * 4 / 2 * 3);
}

TEST(DragonflyPlus, JoinsEveryTwoGroupsBySoManyCables) {
  const Graph graph = build_graph(kOptions).value();
  std::map<std::pair<std::string, std::string>, int> cables;
  for (const Link& link : graph.links) {
    if (is_global(graph, link)) {
      const auto group = [&](const LinkEnd& end) { return graph[end.node].name.substr(0, 6); };
      ++cables[{group(link.a), group(link.b)}];
      EXPECT_EQ(link.rate, 400_gbps);
    }
  }
  EXPECT_EQ(cables.size(), 10U);
  for (const auto& [groups, count] : cables) {
    EXPECT_NE(groups.first, groups.second);
    EXPECT_EQ(count, 3) << groups.first << ' ' << groups.second;
  }
}

// 4 other groups, 3 cables each: 12 for 2 spines.
TEST(DragonflyPlus, SharesGlobalCablesEvenlyAmongTheSpinesOfAGroup) {
  const Graph graph = build_graph(kOptions).value();
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].tier == 2) {
      EXPECT_EQ(graph.nodes[i].ports, 3U * 2 + 6) << graph.nodes[i].name;
    }
  }
}

// Leaf, spine, spine, leaf: four switches between groups, three inside one.
TEST(DragonflyPlus, ShortestPathsCrossOneGlobalCableAtMost) {
  const Graph graph = build_graph(kOptions).value();
  const Routes routes(graph);
  const auto leaf = [&](const char* name) { return find_node(graph, name)->value() - graph.endpoints; };
  const EndpointId inside(1 * 8);       // leaf 1 of group 0
  const EndpointId outside(3 * 3 * 8);  // leaf 0 of group 3
  EXPECT_EQ(routes.next_hops(leaf("group0/leaf0"), inside).size(), 4U);
  // Three cables to group 3 end at both spines of group 0: every uplink is on a shortest path.
  EXPECT_EQ(routes.next_hops(leaf("group0/leaf0"), outside).size(), 4U);
  std::uint32_t global = 0;
  for (const char* const spine : {"group0/spine0", "group0/spine1"}) {
    global += routes.next_hops(leaf(spine), outside).size();
  }
  EXPECT_EQ(global, 3U);
}

TEST(DragonflyPlus, OneGroupIsALeafSpine) {
  const Graph graph = build_graph(DragonflyPlusOptions{.groups = 1}).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.links.size(), graph.endpoints + 2U * 2);
}

TEST(DragonflyPlus, SaysWhichOptionIsWrong) {
  EXPECT_EQ(build_graph(DragonflyPlusOptions{.global_links = 0}).error().message,
            "dragonfly-plus: global_links is 0, it must be at least 1");
  EXPECT_FALSE(build_graph(DragonflyPlusOptions{.groups = 40'000, .spines = 40'000}));
}

}  // namespace
}  // namespace weft::fabric
