#include "fabric/topology/aggregation_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "fabric/topology/fat_tree.h"
#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/parking_lot.h"
#include "fabric/topology/rail_optimised.h"
#include "fabric/topology/reducers.h"

namespace weft::fabric {
namespace {

Graph with_reducers(Graph graph, std::uint8_t lowest_tier = 0) {
  std::vector<NodeIndex> switches;
  for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].tier >= lowest_tier) {
      switches.emplace_back(i);
    }
  }
  EXPECT_TRUE(add_reducers(graph, switches, {}));
  return graph;
}

std::vector<EndpointId> hosts(std::initializer_list<std::uint32_t> numbers) {
  std::vector<EndpointId> made;
  for (const std::uint32_t number : numbers) {
    made.emplace_back(number);
  }
  return made;
}

std::vector<EndpointId> first_hosts(std::uint32_t count) {
  std::vector<EndpointId> made;
  for (std::uint32_t i = 0; i < count; ++i) {
    made.emplace_back(i);
  }
  return made;
}

/// Every member once, every node but the root under one parent, children in the order of their lowest members.
void expect_sound(const AggregationTree& tree, std::uint32_t members) {
  std::vector<std::uint32_t> seen(members);
  for (std::uint32_t i = 0; i < tree.nodes.size(); ++i) {
    const AggregationTree::Node& node = tree.nodes[i];
    EXPECT_EQ(node.parent.has_value(), i != 0);
    EXPECT_GE(node.children.size(), 2U);
    std::vector<std::uint32_t> below;
    std::uint32_t last = 0;
    for (const AggregationTree::Child& child : node.children) {
      EXPECT_TRUE(below.empty() || child.first_member > last);
      last = child.first_member;
      if (child.is_member) {
        ++seen[child.index];
        below.push_back(child.index);
        EXPECT_EQ(child.first_member, child.index);
      } else {
        EXPECT_GT(child.index, i);
        EXPECT_EQ(tree.nodes[child.index].parent, i);
        const auto& more = tree.nodes[child.index].members;
        EXPECT_EQ(child.first_member, more.front());
        below.insert(below.end(), more.begin(), more.end());
      }
    }
    std::sort(below.begin(), below.end());
    EXPECT_EQ(below, node.members);
  }
  EXPECT_EQ(seen, std::vector<std::uint32_t>(members, 1));
  EXPECT_EQ(tree.nodes.front().members.size(), members);
}

TEST(AggregationTree, IsOneSwitchForMembersOfOneLeaf) {
  const Graph graph = with_reducers(*build_graph(LeafSpineOptions{.leaves = 2, .spines = 2, .hosts_per_leaf = 4}));
  const auto tree = make_aggregation_tree(graph, hosts({5, 4, 7}), 1);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->nodes.size(), 1U);
  EXPECT_EQ(graph[tree->nodes[0].at].name, "leaf1");
  expect_sound(*tree, 3);
}

TEST(AggregationTree, JoinsLeavesAtASpine) {
  const Graph graph = with_reducers(*build_graph(LeafSpineOptions{.leaves = 4, .spines = 3, .hosts_per_leaf = 4}));
  const auto tree = make_aggregation_tree(graph, first_hosts(16), 7);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->nodes.size(), 5U);
  EXPECT_EQ(graph[tree->nodes[0].at].tier, 2);
  EXPECT_EQ(tree->nodes[0].children.size(), 4U);
  expect_sound(*tree, 16);
}

TEST(AggregationTree, LeavesOutSwitchesThatWouldOnlyPassOn) {
  // One member on each leaf: all of them go to the spine.
  const Graph graph = with_reducers(*build_graph(LeafSpineOptions{.leaves = 4, .spines = 2, .hosts_per_leaf = 4}));
  const auto tree = make_aggregation_tree(graph, hosts({12, 0, 8, 4}), 7);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->nodes.size(), 1U);
  EXPECT_EQ(graph[tree->nodes[0].at].tier, 2);
  EXPECT_EQ(tree->nodes[0].children.size(), 4U);
  expect_sound(*tree, 4);
  // Each by the cable of its own leaf.
  for (const AggregationTree::Child& child : tree->nodes[0].children) {
    EXPECT_EQ(graph[child.via].name, "leaf" + std::to_string(std::array{3, 0, 2, 1}.at(child.index)));
  }
  EXPECT_FALSE(tree->nodes[0].up.is_valid());
}

TEST(AggregationTree, HasThreeLevelsInAFatTreeOfThree) {
  const Graph graph = with_reducers(*build_graph(FatTreeOptions{.radix = 8, .tiers = 3}));
  const auto tree = make_aggregation_tree(graph, first_hosts(128), 7);
  ASSERT_TRUE(tree);
  expect_sound(*tree, 128);
  std::map<int, int> nodes_of_tier;
  for (const AggregationTree::Node& node : tree->nodes) {
    ++nodes_of_tier[graph[node.at].tier];
    EXPECT_LE(node.children.size(), 8U);  // the ports of a switch
  }
  // 8 pods of 4 leaves with 4 hosts; one switch of the second tier for each pod, and one core.
  EXPECT_EQ(nodes_of_tier, (std::map<int, int>{{1, 32}, {2, 8}, {3, 1}}));
  for (const AggregationTree::Node& node : tree->nodes) {
    EXPECT_EQ(node.up, node.parent ? tree->nodes[*node.parent].at : NodeIndex());
    for (const AggregationTree::Child& child : node.children) {
      EXPECT_EQ(child.via, child.is_member ? NodeIndex(child.index) : tree->nodes[child.index].at);
    }
  }
}

TEST(AggregationTree, HasItsRootNearTheFarthestMember) {
  const Graph graph = with_reducers(*build_graph(ParkingLotOptions{.switches = 5, .hosts_per_switch = 2}));
  const auto tree = make_aggregation_tree(graph, first_hosts(10), 1);
  ASSERT_TRUE(tree);
  EXPECT_EQ(graph[tree->nodes[0].at].name, graph.nodes[graph.endpoints + 2].name);
  expect_sound(*tree, 10);
}

TEST(AggregationTree, SpreadsRootsOverSpinesAndKeepsEachChoice) {
  const Graph graph = with_reducers(*build_graph(LeafSpineOptions{.leaves = 4, .spines = 4, .hosts_per_leaf = 2}));
  std::set<std::string> roots;
  for (std::uint64_t choice = 0; choice < 40; ++choice) {
    const auto tree = make_aggregation_tree(graph, first_hosts(8), choice);
    ASSERT_TRUE(tree);
    const std::string root = graph[tree->nodes[0].at].name;
    EXPECT_EQ(graph[make_aggregation_tree(graph, first_hosts(8), choice)->nodes[0].at].name, root);
    roots.insert(root);
  }
  EXPECT_EQ(roots.size(), 4U);
}

TEST(AggregationTree, GoesAroundSwitchesWithoutReducers) {
  // Only spines reduce: members go there directly.
  const Graph graph = with_reducers(*build_graph(LeafSpineOptions{.leaves = 2, .spines = 2, .hosts_per_leaf = 3}), 2);
  const auto tree = make_aggregation_tree(graph, first_hosts(6), 7);
  ASSERT_TRUE(tree);
  ASSERT_EQ(tree->nodes.size(), 1U);
  EXPECT_EQ(tree->nodes[0].children.size(), 6U);
  expect_sound(*tree, 6);
  for (const AggregationTree::Child& child : tree->nodes[0].children) {
    EXPECT_EQ(graph[child.via].name, child.index < 3 ? "leaf0" : "leaf1");
  }
}

TEST(AggregationTree, IsRefusedWhereNobodyReducesOrNothingJoins) {
  const Graph plain = *build_graph(LeafSpineOptions{.leaves = 2, .spines = 2, .hosts_per_leaf = 3});
  const auto nobody = make_aggregation_tree(plain, first_hosts(6), 7);
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().message.find("no switch"), std::string::npos);
  const Graph rails =
      with_reducers(*build_graph(RailOptimisedOptions{.groups = 1, .hosts_per_group = 2, .rails = 2, .spines = 0}));
  EXPECT_TRUE(make_aggregation_tree(rails, hosts({0, 2}), 7));
  const auto across = make_aggregation_tree(rails, hosts({0, 3}), 7);
  ASSERT_FALSE(across);
  EXPECT_NE(across.error().message.find("cannot reach"), std::string::npos);
}

}  // namespace
}  // namespace weft::fabric
