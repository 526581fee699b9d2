#include "fabric/topology/parking_lot.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "fabric/topology/graph_check.h"
#include "fabric/topology/graph_query.h"

namespace weft::fabric {
namespace {

TEST(ParkingLot, IsAChainWithHostsOnEachSwitch) {
  const ParkingLotOptions options{.switches = 5, .hosts_per_switch = 3, .parallel_links = 2};
  const Graph graph = build_graph(options).value();
  EXPECT_TRUE(check(graph));
  EXPECT_EQ(graph.endpoints, options.switches * options.hosts_per_switch);
  EXPECT_EQ(graph.links.size(), graph.endpoints + (options.switches - 1) * options.parallel_links);
  for (std::uint32_t i = 0; i < options.switches; ++i) {
    const std::uint32_t sides = i == 0 || i + 1 == options.switches ? 1 : 2;
    const auto node = find_node(graph, fmt::format("leaf{}", i));
    ASSERT_TRUE(node);
    EXPECT_EQ(graph[*node].ports, options.hosts_per_switch + sides * options.parallel_links);
  }
  for (const Link& link : graph.links) {
    if (link.a.node.value() >= graph.endpoints) {
      EXPECT_EQ(link.b.node.value(), link.a.node.value() + 1);
    } else {
      EXPECT_EQ(link.b.node.value() - graph.endpoints, link.a.node.value() / options.hosts_per_switch);
    }
  }
}

TEST(ParkingLot, NeedsTwoSwitches) {
  EXPECT_EQ(build_graph(ParkingLotOptions{.switches = 1}).error().message,
            "parking-lot: switches is 1, a chain has at least 2");
}

}  // namespace
}  // namespace weft::fabric
