#include "subnet/manager/subnet_manager.h"

#include <gtest/gtest.h>

#include "subnet/manager/test_swept.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

using wire::kMethodGet;
using wire::kMethodSet;

/// The tables of the agents beside those that the routing engine gives for the same subnet.
void expect_configured(const Swept& swept, const Subnet& subnet, EngineKind kind, std::uint8_t lmc = 0) {
  const Result<SweptSubnet> expected = sweep(subnet, {.lmc = lmc});
  ASSERT_TRUE(expected.has_value());
  const Result<ManagedRoutes> routes = route_subnet(expected->view, kind);
  ASSERT_TRUE(routes.has_value());
  const ManagedState state = swept.state();
  EXPECT_EQ(state.tables, routes->routes.tables);
  ASSERT_EQ(state.swept.view.end_ports.size(), expected->view.end_ports.size());
  for (std::size_t i = 0; i < expected->view.end_ports.size(); ++i) {
    EXPECT_EQ(state.swept.view.end_ports[i].guid, expected->view.end_ports[i].guid);
    EXPECT_EQ(state.swept.view.end_ports[i].lid, expected->view.end_ports[i].lid);
    EXPECT_EQ(state.swept.view.end_ports[i].lids, expected->view.end_ports[i].lids);
  }
  for (const ServedNode& node : swept.world.served().nodes()) {
    for (std::size_t port = 1; port < node.ports.size(); ++port) {
      if (node.ports[port].cable && !node.ports[port].is_unplugged) {
        EXPECT_EQ(node.ports[port].state(), wire::PortState::kActive);
      }
    }
  }
}

TEST(SubnetManager, LeavesTheAgentsOfAFatTreeAsEachEngineRoutesIt) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  for (const Engine& each : engines()) {
    const Swept swept(subnet, {.engine = each.kind});
    expect_configured(swept, subnet, each.kind);
    const std::string name = "fat_4x2x4." + std::string(each.name) + ".lfts";
    const std::string text = stored(name);
    const ManagedState state = swept.state();
    const Result<ForwardingTables> dumped = parse_lfts({.text = text, .name = name}, state.swept.view);
    ASSERT_TRUE(dumped.has_value());
    EXPECT_EQ(state.tables, *dumped) << each.name;
  }
}

TEST(SubnetManager, LeavesTheAgentsOfARingAsEachEngineRoutesIt) {
  const Subnet subnet = parsed(stored("ring6.net"));
  for (const Engine& each : engines()) {
    const Swept swept(subnet, {.engine = each.kind});
    expect_configured(swept, subnet, each.kind);
  }
}

// The requests of OpenSM 3.3.23 on the same file over weft's agents, counted in its log of SMPs.
TEST(SubnetManager, AsksWhatOpensmAsks) {
  const Swept swept(parsed(stored("fat_4x2x4.net")));
  EXPECT_EQ(swept.asked(wire::kAttributeNodeInfo, kMethodGet), 28);
  EXPECT_EQ(swept.asked(wire::kAttributeNodeDescription, kMethodGet), 22);
  EXPECT_EQ(swept.asked(wire::kAttributeSwitchInfo, kMethodGet), 6);
  EXPECT_EQ(swept.asked(wire::kAttributePortInfo, kMethodGet), 54);
  EXPECT_EQ(swept.asked(wire::kAttributePKeyTable, kMethodGet), 102);
  EXPECT_EQ(swept.asked(wire::kAttributeSwitchInfo, kMethodSet), 12);
  EXPECT_EQ(swept.asked(wire::kAttributePortInfo, kMethodSet), 166);
  EXPECT_EQ(swept.asked(wire::kAttributeLinearForwarding, kMethodSet), 6);
  EXPECT_EQ(swept.last().total_requests(), 396);
  EXPECT_EQ(swept.last().refused, 0);
}

TEST(SubnetManager, NeedsAsManyRequestsAsOpensmForSixHundredHosts) {
  const Swept swept(parsed(fat_tree_text(18, 18, 36)));
  EXPECT_EQ(swept.last().total_requests(), 14'870);
}

}  // namespace
}  // namespace weft::subnet
