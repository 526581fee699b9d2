#include "study/assembly/build_topology.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using ::testing::HasSubstr;

Result<fabric::Graph> built(std::string_view topology, std::vector<std::string> settings = {}) {
  auto scenario = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"rocev2\"\n[topology]\n{}", topology),
      {.file = "test.toml", .case_name = std::nullopt, .settings = std::move(settings)}, scenario::test_catalogue());
  return scenario ? build_topology(*scenario) : pass_on(scenario);
}

std::int64_t spines(const Result<fabric::Graph>& graph) {
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? std::ranges::count_if(graph->nodes, [](const fabric::Node& node) { return node.tier == 2; }) : -1;
}

constexpr std::string_view kLeaves = "kind = \"leaf-spine\"\nhosts = 32\nhosts_per_leaf = 8\n";

// What goes up from a leaf is what comes in from its hosts, divided by down over up.
TEST(LeafSpine, SpinesFollowFromOversubscription) {
  EXPECT_EQ(spines(built(kLeaves)), 8);
  EXPECT_EQ(spines(built(kLeaves, {"topology.oversubscription=2:1"})), 4);
  EXPECT_EQ(spines(built(kLeaves, {"topology.oversubscription=4:3"})), 6);
  EXPECT_EQ(spines(built(kLeaves, {"topology.nics_per_host=2"})), 16);
  EXPECT_EQ(spines(built(kLeaves, {"topology.parallel_links=2"})), 4);
  EXPECT_EQ(spines(built(kLeaves, {"switch.port_rate=400Gbps", "nic.port_rate=100Gbps"})), 2);
  EXPECT_EQ(spines(built("kind = \"leaf-spine\"\nleaves = 4\nhosts = 32\n")), 8);
}

TEST(LeafSpine, SpinesThatAreGivenStand) {
  EXPECT_EQ(spines(built(kLeaves, {"topology.spines=3"})), 3);
  const std::string in_file = std::string(kLeaves) + "oversubscription = \"2:1\"\n";
  EXPECT_EQ(spines(built(in_file, {"topology.spines=3"})), 3) << "the command line counts for more than the file";
}

// A leaf of k ports split d:u has k u / (d + u) uplinks, one to each switch above it.
TEST(FatTree, SwitchesUseThePortsThatTheyHaveUnlessToldOtherwise) {
  const std::string tree = "kind = \"fat-tree\"\nhosts = 64\n";
  EXPECT_EQ(spines(built(tree, {"switch.ports=32"})), 16);
  EXPECT_EQ(spines(built(tree, {"switch.ports=33"})), 16) << "half of them go up";
  EXPECT_EQ(spines(built(tree, {"switch.ports=32", "topology.oversubscription=3:1"})), 8);
  EXPECT_EQ(spines(built(tree, {"switch.ports=32", "topology.oversubscription=2:1"})), 10)
      << "30 ports are split 20:10";
  EXPECT_EQ(spines(built(tree, {"switch.ports=32", "topology.radix=16"})), 8);
}

TEST(FatTree, ARadixThatCannotBeSplitIsRefusedWithThoseThatCan) {
  const auto odd = built("kind = \"fat-tree\"\nhosts = 64\nradix = 32\noversubscription = \"2:1\"\n");
  ASSERT_FALSE(odd);
  EXPECT_THAT(odd.error().message, HasSubstr("32 ports of a leaf cannot be split 2:1 between hosts and uplinks; "
                                             "topology.radix may be any multiple of 6"));
  const auto few = built("kind = \"fat-tree\"\nhosts = 64\noversubscription = \"100:1\"\n", {"switch.ports=64"});
  ASSERT_FALSE(few);
  EXPECT_THAT(few.error().message, HasSubstr("64 ports of a switch (switch.ports) cannot be split 100:1 between hosts "
                                             "and uplinks; it takes a multiple of 202"));
}

TEST(LeafSpine, SpinesAndOversubscriptionSideBySideAreRefused) {
  const std::string both = std::string(kLeaves) + "spines = 3\noversubscription = \"2:1\"\n";
  for (const auto& graph : {built(both), built(kLeaves, {"topology.spines=3", "topology.oversubscription=2:1"})}) {
    ASSERT_FALSE(graph);
    EXPECT_THAT(graph.error().message, HasSubstr("topology.spines = 3 says already how many spines there are"));
  }
}

/// Hosts at each leaf of a graph with one NIC per host.
std::vector<std::int64_t> hosts_of_leaves(const Result<fabric::Graph>& graph) {
  EXPECT_TRUE(graph) << graph.error().message;
  std::map<std::string, std::int64_t> counts;
  for (const fabric::Link& link : graph ? graph->links : std::vector<fabric::Link>()) {
    if (link.a.node.value() < graph->endpoints) {
      ++counts[(*graph)[link.b.node].name];
    }
  }
  std::vector<std::int64_t> made;
  for (const auto& [leaf, count] : counts) {
    made.push_back(count);
  }
  return made;
}

// What a full leaf needs upwards, the last one has too.
TEST(LeafSpine, TheLastLeafTakesTheHostsThatAreLeft) {
  const auto by_hosts = built("kind = \"leaf-spine\"\nhosts = 25\nhosts_per_leaf = 8\n");
  EXPECT_EQ(hosts_of_leaves(by_hosts), (std::vector<std::int64_t>{8, 8, 8, 1}));
  EXPECT_EQ(spines(by_hosts), 8);
  const auto by_leaves = built("kind = \"leaf-spine\"\nhosts = 10\nleaves = 4\n");
  EXPECT_EQ(hosts_of_leaves(by_leaves), (std::vector<std::int64_t>{3, 3, 3, 1}));
  EXPECT_EQ(spines(by_leaves), 3);
  const auto by_both = built("kind = \"leaf-spine\"\nhosts = 14\nleaves = 4\nhosts_per_leaf = 4\n");
  EXPECT_EQ(hosts_of_leaves(by_both), (std::vector<std::int64_t>{4, 4, 4, 2}));
}

TEST(LeafSpine, LeavesThatStayEmptyAreRefusedWithTheNumbers) {
  const auto said = [](std::string_view counts) {
    const auto graph = built(fmt::format("kind = \"leaf-spine\"\n{}", counts));
    EXPECT_FALSE(graph);
    return graph ? std::string() : graph.error().message;
  };
  EXPECT_THAT(said("hosts = 8\nhosts_per_leaf = 400\n"),
              HasSubstr("8 hosts do not fill one leaf of topology.hosts_per_leaf = 400; set it to 8 or less"));
  EXPECT_THAT(said("hosts = 10\nleaves = 7\n"), HasSubstr("10 hosts in leaves of 2 fill 5 of topology.leaves = 7; set "
                                                          "topology.leaves = 5"));
  EXPECT_THAT(said("hosts = 8\nleaves = 4\nhosts_per_leaf = 4\n"), HasSubstr("fill 2 of topology.leaves = 4"));
  EXPECT_THAT(said("hosts = 17\nleaves = 4\nhosts_per_leaf = 4\n"),
              HasSubstr("4 leaves of 4 hosts are 16 hosts, but topology.hosts is 17"));
}

TEST(LeafSpine, APartOfASpineIsAWholeOne) {
  EXPECT_EQ(spines(built(kLeaves, {"topology.oversubscription=3:1"})), 3);
  EXPECT_EQ(spines(built(kLeaves, {"topology.oversubscription=16:1"})), 1);
}

TEST(LeafSpine, HostsWithoutLeavesAreRefused) {
  const auto graph = built("kind = \"leaf-spine\"\nhosts = 32\n");
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("set topology.leaves or topology.hosts_per_leaf"));
}

constexpr std::string_view kDragonfly = "kind = \"dragonfly-plus\"\nleaves = 2\nhosts_per_leaf = 4\nhosts = 32\n";

// 32 hosts in groups of 2 leaves with 4: four groups, whose leaves need four spines each; one cable per spine and pair.
TEST(DragonflyPlus, GroupsAndSpinesFollowFromHostsAndOversubscription) {
  const auto graph = built(kDragonfly);
  EXPECT_EQ(spines(graph), 4 * 4);
  const auto of_tier = [&](scenario::LinkTier tier) {
    return std::ranges::count_if(graph->links, [&](const fabric::Link& link) { return tier_of(*graph, link) == tier; });
  };
  EXPECT_EQ(of_tier(scenario::LinkTier::kHost), 32);
  EXPECT_EQ(of_tier(scenario::LinkTier::kLeaf), 4 * 2 * 4);
  EXPECT_EQ(of_tier(scenario::LinkTier::kSpine), 6 * 4);
  EXPECT_EQ(spines(built(kDragonfly, {"topology.oversubscription=2:1"})), 4 * 2);
  EXPECT_EQ(spines(built(kDragonfly, {"topology.spines=3"})), 4 * 3);
}

TEST(DragonflyPlus, HostsThatDoNotFillGroupsAreRefusedWithTheNumbers) {
  const auto graph = built(kDragonfly, {"topology.groups=3"});
  ASSERT_FALSE(graph);
  EXPECT_THAT(graph.error().message, HasSubstr("3 groups of 2 leaves with 4 hosts are 24 hosts, not 32"));
  const auto without = built("kind = \"dragonfly-plus\"\nhosts = 32\n");
  ASSERT_FALSE(without);
  EXPECT_THAT(without.error().message, HasSubstr("set topology.leaves and topology.hosts_per_leaf"));
}

constexpr std::string_view kTorus = "kind = \"torus\"\nsizes = [4, 3]\n";

TEST(Torus, HostsFollowFromSizesAndSizesFromNothing) {
  const auto hosts = [](const Result<fabric::Graph>& graph) {
    EXPECT_TRUE(graph) << graph.error().message;
    return graph ? static_cast<std::int64_t>(graph->host_endpoints()) : -1;
  };
  const std::vector<std::string> lossy = {"fabric.tuning=lossy"};
  EXPECT_EQ(hosts(built(kTorus, lossy)), 12);
  EXPECT_EQ(hosts(built(std::string(kTorus) + "hosts = 24\n", lossy)), 24);
  EXPECT_EQ(hosts(built(std::string(kTorus) + "hosts_per_leaf = 3\n", lossy)), 36);
  const auto uneven = built(std::string(kTorus) + "hosts = 25\n", lossy);
  ASSERT_FALSE(uneven);
  EXPECT_THAT(uneven.error().message, HasSubstr("25 hosts cannot be distributed evenly over 12 switches"));
  const auto unlike = built(std::string(kTorus) + "hosts = 24\nhosts_per_leaf = 3\n", lossy);
  ASSERT_FALSE(unlike);
  EXPECT_THAT(unlike.error().message, HasSubstr("12 switches with 3 hosts are 36 hosts, not 24"));
}

TEST(Torus, CablesOfRingsAreOfTierLeaf) {
  const auto graph = built(kTorus, {"fabric.tuning=lossy", "link.leaf.propagation=70ns"});
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->links.size(), 12U * 3);
  for (const fabric::Link& link : graph->links) {
    EXPECT_EQ(tier_of(*graph, link), link.ring.dimension == 0 ? scenario::LinkTier::kHost : scenario::LinkTier::kLeaf);
    if (link.ring.dimension != 0) {
      EXPECT_EQ(link.propagation, 70_ns);
    }
  }
}

TEST(RailOptimised, SeveralGroupsAreJoinedBySpinesAndOneIsNot) {
  constexpr std::string_view kRails =
      "kind = \"rail-optimised\"\nhosts = 16\nnics_per_host = 4\ngpus_per_host = 4\nhosts_per_leaf = 8\n";
  EXPECT_EQ(spines(built(kRails)), 8);
  EXPECT_EQ(spines(built(kRails, {"topology.oversubscription=2:1"})), 4);
  EXPECT_EQ(spines(built(kRails, {"topology.hosts=8"})), 0);
}

TEST(RailOptimised, TheLastGroupTakesTheHostsThatAreLeft) {
  const auto graph = built("kind = \"rail-optimised\"\nhosts = 11\nnics_per_host = 2\nhosts_per_leaf = 4\n");
  EXPECT_EQ(hosts_of_leaves(graph), (std::vector<std::int64_t>{4, 4, 4, 4, 3, 3}));
  EXPECT_EQ(spines(graph), 4);
  const auto fewer = built("kind = \"rail-optimised\"\nhosts = 3\nhosts_per_leaf = 4\n");
  ASSERT_FALSE(fewer);
  EXPECT_THAT(fewer.error().message, HasSubstr("3 hosts do not fill one leaf of topology.hosts_per_leaf = 4"));
}

Rate host_cable(const std::string& overrides, std::vector<std::string> settings = {}) {
  settings.insert(settings.end(), {"nic.port_rate=400Gbps", "topology.hosts=3"});
  const auto graph = built("kind = \"single-switch\"\n" + overrides, std::move(settings));
  EXPECT_TRUE(graph) << graph.error().message;
  return graph ? graph->links.front().rate : Rate();
}

TEST(Cables, AreAsFastAsTheSlowerOfTheirOwnPorts) {
  constexpr auto kFastNic = "[[override]]\nselect = \"host0\"\nnic.port_rate = \"800Gbps\"\n";
  constexpr auto kFastSwitch = "[[override]]\nselect = \"leaf0\"\nswitch.port_rate = \"800Gbps\"\n";
  constexpr auto kSlowSwitch = "[[override]]\nselect = \"leaf0\"\nswitch.port_rate = \"200Gbps\"\n";
  EXPECT_EQ(host_cable(kFastNic, {"switch.port_rate=800Gbps"}), 800_gbps);
  EXPECT_EQ(host_cable(kFastNic, {"switch.port_rate=400Gbps"}), 400_gbps);
  EXPECT_EQ(host_cable(std::string(kFastNic) + kFastSwitch, {"switch.port_rate=400Gbps"}), 800_gbps);
  EXPECT_EQ(host_cable(std::string(kFastNic) + kSlowSwitch, {"switch.port_rate=800Gbps"}), 200_gbps);
  // What a link is given stands.
  const std::string given = std::string(kFastNic) + "link.host.rate = \"400Gbps\"\n";
  EXPECT_EQ(host_cable(given, {"switch.port_rate=800Gbps"}), 400_gbps);
  EXPECT_EQ(host_cable(kFastNic, {"switch.port_rate=800Gbps", "link.host.rate=400Gbps"}), 400_gbps);
}

}  // namespace
}  // namespace weft::study::assembly
