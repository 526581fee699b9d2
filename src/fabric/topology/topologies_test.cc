#include "fabric/topology/topologies.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <type_traits>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

TEST(Topologies, HaveUniqueNamesAndDescriptions) {
  std::set<std::string_view> names;
  for (const Topology& topology : topologies()) {
    EXPECT_TRUE(names.insert(topology.name).second) << topology.name;
    EXPECT_FALSE(topology.what.empty()) << topology.name;
  }
  EXPECT_EQ(names.size(), std::variant_size_v<TopologyOptions>);
}

TEST(Topologies, BuildValidGraphsFromTheirDefaults) {
  for (const Topology& topology : topologies()) {
    const Result<Graph> graph = build_topology(topology.defaults);
    if (std::holds_alternative<GraphFileOptions>(topology.defaults)) {
      EXPECT_FALSE(graph) << "a file must be named";
      continue;
    }
    ASSERT_TRUE(graph) << topology.name << ": " << graph.error().message;
    const Result<void> valid = check(*graph);
    EXPECT_TRUE(valid) << topology.name << ": " << valid.error().message;
  }
}

TEST(Topologies, AreFoundByNameWithASuggestionForANearOne) {
  const Result<const Topology*> found = find_topology("fat-tree");
  ASSERT_TRUE(found);
  EXPECT_EQ((*found)->name, "fat-tree");
  const Result<const Topology*> near = find_topology("fattree");
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().message.find("did you mean 'fat-tree'"), std::string::npos) << near.error().message;
}

/// Counts members of each type, and sets counts to zero.
struct Visitor {
  std::set<std::string_view> keys;
  bool twice = false;
  bool undescribed = false;
  int cables = 0;

  template <class Value>
  void operator()(std::string_view key, Value& value, std::string_view what) {
    twice = twice || !keys.insert(key).second;
    undescribed = undescribed || what.empty();
    if constexpr (std::is_same_v<std::remove_const_t<Value>, Cable>) {
      ++cables;
      value.rate = Rate::zero();
    } else if constexpr (std::is_enum_v<Value>) {
      value = WordsOf<Value>::kAll.back().value;
    }
  }
};

TEST(Topologies, DescribeEachOfTheirOptionsOnce) {
  for (const Topology& topology : topologies()) {
    TopologyOptions options = topology.defaults;
    Visitor visitor;
    std::visit([&](auto& chosen) { chosen.fields(chosen, visitor); }, options);
    EXPECT_FALSE(visitor.keys.empty()) << topology.name;
    EXPECT_FALSE(visitor.twice) << topology.name;
    EXPECT_FALSE(visitor.undescribed) << topology.name;
    if (visitor.cables > 0) {
      const Result<Graph> graph = build_topology(options);
      ASSERT_FALSE(graph) << topology.name << " with cables of rate 0";
      EXPECT_EQ(graph.error().message.find(topology.name), 0U) << graph.error().message;
    }
  }
}

TEST(Topologies, GiveEveryHostDomainOfItsSwitch) {
  for (const Topology& topology : topologies()) {
    for (const Domains domains : {Domains::kOne, Domains::kRouted}) {
      TopologyOptions options = topology.defaults;
      std::visit(
          [&](auto& chosen) {
            if constexpr (requires { chosen.domains; }) {
              chosen.domains = domains;
            }
          },
          options);
      const Result<Graph> graph = build_topology(options);
      if (!graph) {
        continue;
      }
      std::set<std::uint16_t> of_switches;
      for (std::uint32_t i = graph->endpoints; i < graph->nodes.size(); ++i) {
        of_switches.insert(graph->nodes[i].domain);
      }
      EXPECT_EQ(of_switches.size(), domains == Domains::kOne ? 1 : graph->switches()) << topology.name;
      for (const Link& link : graph->links) {
        if (link.a.node.value() < graph->endpoints) {
          EXPECT_EQ((*graph)[link.a.node].domain, (*graph)[link.b.node].domain);
        }
      }
    }
  }
}

TEST(Topologies, RefuseCountsThatWouldFillTheMemory) {
  EXPECT_FALSE(build_graph(SingleSwitchOptions{.hosts = 70'000}));
  EXPECT_FALSE(build_graph(DumbbellOptions{.left_hosts = 4'000'000'000, .nics_per_host = 4'000'000'000}));
  EXPECT_FALSE(build_graph(ParkingLotOptions{.switches = 4'000'000'000, .hosts_per_switch = 4'000'000'000}));
  EXPECT_FALSE(build_graph(LeafSpineOptions{.leaves = 65'000, .spines = 65'000}));
  EXPECT_FALSE(build_graph(FatTreeOptions{.radix = 1'024}));
  EXPECT_FALSE(build_graph(RailOptimisedOptions{.groups = 4'000'000'000, .rails = 4'000'000'000}));
}

}  // namespace
}  // namespace weft::fabric
