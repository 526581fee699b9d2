#include "study/assembly/build_subnet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "fabric/topology/leaf_spine.h"
#include "fabric/topology/single_switch.h"
#include "subnet/agent/link_rate.h"
#include "subnet/route_report.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {
namespace {

TEST(BuildSubnet, HasTheNodesAndCablesOfTheGraph) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::LeafSpineOptions{});
  ASSERT_TRUE(graph) << graph.error().message;
  const Result<subnet::Subnet> built = build_subnet(*graph);
  ASSERT_TRUE(built) << built.error().message;
  const subnet::Subnet& made = *built;
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

TEST(BuildSubnet, HasTheRatesOfItsLinks) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::LeafSpineOptions{});
  ASSERT_TRUE(graph) << graph.error().message;
  const Result<subnet::Subnet> built = build_subnet(*graph);
  ASSERT_TRUE(built) << built.error().message;
  std::multiset<std::string> expected;
  for (const fabric::Link& link : graph->links) {
    expected.insert({subnet::nearest_link(link.rate), subnet::nearest_link(link.rate)});
  }
  std::multiset<std::string> found;
  for (const subnet::Node& node : built->nodes) {
    for (const subnet::Port& port : node.ports) {
      if (port.peer) {
        found.insert(port.link);
      }
    }
  }
  EXPECT_EQ(found, expected);
}

TEST(BuildSubnet, IsRoutedCompletelyByEveryEngine) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::LeafSpineOptions{});
  ASSERT_TRUE(graph);
  const Result<subnet::Subnet> built = build_subnet(*graph);
  ASSERT_TRUE(built) << built.error().message;
  const Result<subnet::SweptSubnet> swept = subnet::sweep(*built);
  ASSERT_TRUE(swept) << swept.error().message;
  const subnet::RoutingView& view = swept->view;
  const std::uint64_t adapters = graph->host_endpoints();
  for (const subnet::Engine& each : subnet::engines()) {
    const Result<subnet::ManagedRoutes> routes = subnet::route_subnet(view, each.kind);
    ASSERT_TRUE(routes) << routes.error().message;
    EXPECT_EQ(routes->used, each.kind) << routes->fallback;
    const subnet::RouteReport report = subnet::report_routes(view, routes->routes);
    EXPECT_EQ(report.routes, adapters * (adapters - 1)) << each.name;
    EXPECT_FALSE(report.has_cycle()) << each.name;
  }
}

TEST(BuildSubnet, RefusesASwitchWithMorePortsThanASubnetNumbers) {
  const Result<fabric::Graph> graph = fabric::build_graph(fabric::SingleSwitchOptions{.hosts = 255});
  ASSERT_TRUE(graph) << graph.error().message;
  const Result<subnet::Subnet> built = build_subnet(*graph);
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().message.find("has 255 ports, but a subnet numbers at most 254 of a device"),
            std::string::npos)
      << built.error().message;
}

}  // namespace
}  // namespace weft::study::assembly
