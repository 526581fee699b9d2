#include "study/assembly/build_subnet.h"

#include <gtest/gtest.h>

#include <set>

#include "fabric/topology/leaf_spine.h"
#include "subnet/lids.h"
#include "subnet/route_report.h"

namespace weft::study::assembly {
namespace {

TEST(BuildSubnet, HasTheNodesAndCablesOfTheGraph) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::LeafSpineOptions{});
  ASSERT_TRUE(graph) << graph.error().message;
  const subnet::Subnet made = build_subnet(*graph);
  std::set<std::uint64_t> guids;
  std::size_t cable_ends = 0;
  for (std::size_t i = 0; i < made.nodes.size(); ++i) {
    guids.insert(made.nodes[i].guid.value);
    for (std::size_t port = 0; port < made.nodes[i].ports.size(); ++port) {
      if (const auto& peer = made.nodes[i].ports[port].peer) {
        ++cable_ends;
        const subnet::PortPlace here{.node = subnet::NodeIndex(static_cast<std::uint32_t>(i)),
                                     .port = static_cast<subnet::PortNumber>(port)};
        EXPECT_EQ(made.port(*peer).peer, here);
      }
    }
  }
  EXPECT_EQ(guids.size(), made.nodes.size());
  EXPECT_EQ(cable_ends, 2 * graph->links.size());
}

TEST(BuildSubnet, IsRoutedCompletelyByEveryEngine) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::LeafSpineOptions{});
  ASSERT_TRUE(graph);
  const subnet::Subnet made = build_subnet(*graph);
  subnet::Subnet found = subnet::discovered(made, *subnet::manager_port(made));
  ASSERT_TRUE(subnet::assign_lids(found));
  const Result<subnet::RoutingView> view = subnet::routing_view(found, 0);
  ASSERT_TRUE(view) << view.error().message;
  const std::uint64_t adapters = graph->host_endpoints();
  for (const subnet::Engine& each : subnet::engines()) {
    const Result<subnet::ManagedRoutes> routes = subnet::route_subnet(*view, each.kind);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->used, each.kind) << routes->fallback;
    const subnet::RouteReport report = subnet::report_routes(*view, routes->routes);
    EXPECT_EQ(report.routes, adapters * (adapters - 1)) << each.name;
    EXPECT_FALSE(report.has_cycle()) << each.name;
  }
}

}  // namespace
}  // namespace weft::study::assembly
