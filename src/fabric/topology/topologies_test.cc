#include "fabric/topology/topologies.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"
#include "fabric/topology/test_topologies.h"

namespace weft::fabric {
namespace {

TEST(Topologies, HaveASampleEach) {
  for (std::size_t i = 0; i < sample_topologies().size(); ++i) {
    EXPECT_EQ(sample_topologies()[i].options.index(), i);
  }
}

TEST(Topologies, BuildValidGraphsFromTheirDefaults) {
  for (const SampleTopology& topology : sample_topologies()) {
    const Result<Graph> graph = build_topology(topology.options);
    if (std::holds_alternative<GraphFileOptions>(topology.options)) {
      EXPECT_FALSE(graph) << "a file must be named";
      continue;
    }
    ASSERT_TRUE(graph) << topology.name << ": " << graph.error().message;
    const Result<void> valid = check(*graph);
    EXPECT_TRUE(valid) << topology.name << ": " << valid.error().message;
  }
}

TEST(Topologies, RefuseCablesWithoutARate) {
  const auto refuse = [](auto options, auto cable) {
    (options.*cable).rate = Rate::zero();
    return build_graph(options).error().message;
  };
  EXPECT_EQ(refuse(SingleSwitchOptions{}, &SingleSwitchOptions::host_link).find("single-switch"), 0U);
  EXPECT_EQ(refuse(DumbbellOptions{}, &DumbbellOptions::bottleneck).find("dumbbell"), 0U);
  EXPECT_EQ(refuse(ParkingLotOptions{}, &ParkingLotOptions::chain_link).find("parking-lot"), 0U);
  EXPECT_EQ(refuse(LeafSpineOptions{}, &LeafSpineOptions::fabric_link).find("leaf-spine"), 0U);
  EXPECT_EQ(refuse(FatTreeOptions{}, &FatTreeOptions::core_link).find("fat-tree"), 0U);
  EXPECT_EQ(refuse(RailOptimisedOptions{}, &RailOptimisedOptions::fabric_link).find("rail-optimised"), 0U);
  EXPECT_EQ(refuse(DragonflyPlusOptions{}, &DragonflyPlusOptions::global_link).find("dragonfly-plus"), 0U);
  EXPECT_EQ(refuse(TorusOptions{}, &TorusOptions::ring_link).find("torus"), 0U);
}

TEST(Topologies, GiveEveryHostDomainOfItsSwitch) {
  for (const SampleTopology& topology : sample_topologies()) {
    for (const Domains domains : {Domains::kOne, Domains::kRouted}) {
      TopologyOptions options = topology.options;
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
