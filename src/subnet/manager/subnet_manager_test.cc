#include "subnet/manager/subnet_manager.h"

#include <gtest/gtest.h>

#include "subnet/manager/sweep_study.h"
#include "subnet/manager/test_swept.h"
#include "subnet/partitions/partition_file.h"
#include "subnet/routing/stored_dumps.h"
#include "wire/byte_order.h"

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

TEST(SubnetManager, LeavesTheAgentsOfATorusAsEachEngineRoutesIt) {
  const Subnet subnet = parsed(torus_text(4, 3));
  for (const EngineKind kind : {EngineKind::kMinhop, EngineKind::kDor, EngineKind::kLash, EngineKind::kDfsssp}) {
    expect_configured(Swept(subnet, {.engine = kind}), subnet, kind);
  }
}

TEST(SubnetManager, GivesSeveralLidsToEachAdapter) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  for (const std::uint8_t lmc : {std::uint8_t{1}, std::uint8_t{2}}) {
    expect_configured(Swept(subnet, {.lmc = lmc}), subnet, EngineKind::kMinhop, lmc);
  }
}

// 22 LIDs are one block; 72 are two, and each switch gets both.
TEST(SubnetManager, WritesABlockForEachSixtyFourLids) {
  const Swept swept(parsed(fat_tree_text(4, 4, 16)));
  EXPECT_EQ(swept.last().blocks, 8 * 2);
}

TEST(SubnetManager, WritesNothingWhenNothingHasChanged) {
  Swept swept(parsed(stored("fat_4x2x4.net")));
  const auto spine = find_node(swept.subnet, "Spine1");
  ASSERT_TRUE(spine.has_value());
  // A cable that is put back before the sweep for its trap: ports are in Initialize again, tables are what they were.
  swept.world.set_cable({.node = *spine, .port = 2}, ServedSubnet::Cable::kUnplugged, swept.world.now());
  swept.world.set_cable({.node = *spine, .port = 2}, ServedSubnet::Cable::kPlugged, swept.world.now());
  swept.finish(2);
  EXPECT_EQ(swept.last().cause, SweepCause::kTrap);
  EXPECT_EQ(swept.last().blocks, 0);
  EXPECT_EQ(swept.asked(wire::kAttributePortInfo, kMethodSet), 2 * 2);  // both ends Armed, then Active
  EXPECT_EQ(swept.asked(wire::kAttributeNodeDescription, kMethodGet), 0);
  EXPECT_EQ(swept.asked(wire::kAttributeSwitchInfo, kMethodSet), 2);  // PortStateChange of both
}

TEST(SubnetManager, WritesPKeysOfPartitionsAtPortsAndAtTheSwitchesBeforeThem) {
  const Result<PartitionFile> file =
      parse_partitions({.text = "Default=0x7fff : ALL=full ;\nRed=0x0002 : 0x100003=full ;\n", .name = "conf"});
  ASSERT_TRUE(file.has_value());
  const Swept swept(parsed(stored("fat_4x2x4.net")), {.partitions = file->rules});
  const auto host = find_node(swept.subnet, "H2");
  const auto leaf = find_node(swept.subnet, "Leaf1");
  ASSERT_TRUE(host && leaf);
  const SmpData keys = swept.world.served()[*host].p_keys(1);
  EXPECT_EQ(wire::load_be16(keys, 0), 0xFFFF);
  EXPECT_EQ(wire::load_be16(keys, 2), 0x8002);
  EXPECT_EQ(swept.world.served()[*leaf].p_keys(2), keys);
  EXPECT_EQ(swept.asked(wire::kAttributePKeyTable, kMethodSet), 2);
}

// Two blocks of arbitration for each port with a link; SL to VL of an adapter, and for each ingress port of a switch.
TEST(SubnetManager, WritesLanesOfEveryPortWithQos) {
  const Swept swept(parsed(stored("fat_4x2x4.net")), {.qos = true});
  EXPECT_EQ(swept.asked(wire::kAttributeVlArbitration, kMethodSet), 48 * 2);
  EXPECT_EQ(swept.asked(wire::kAttributeSlToVl, kMethodSet), 16 + 4 * 6 * 7 + 2 * 4 * 5);
  EXPECT_EQ(swept.last().refused, 0);
}

TEST(SubnetManager, SetsItsKeyEverywhereAndSweepsWithIt) {
  ManagerOptions options{.smps = {.m_key = 0x1234}, .m_key_protect = 3};
  Swept swept(parsed(stored("fat_4x2x4.net")), options);
  swept.finish(2);
  EXPECT_EQ(swept.last().failed, 0);
  for (const ServedNode& node : swept.world.served().nodes()) {
    EXPECT_EQ(node.ports[node.is_switch() ? 0 : 1].info.m_key, 0x1234);
  }
}

// A trap comes again each SubnetTimeOut, 1.07 s, until it is repressed; the manager represses it when it hears of it.
// Both come before it has begun a sweep, and OpenSM, too, sweeps once: 26 NodeInfo, 30 P_KeyTable, five blocks.
TEST(SubnetManager, RepressesTrapsAndSweepsOnceForThoseThatWaitTogether) {
  Swept swept(parsed(stored("fat_4x2x4.net")));
  const auto leaf = find_node(swept.subnet, "Leaf3");
  ASSERT_TRUE(leaf.has_value());
  const HeldTables before = tables_of(swept.subnet, swept.world.served());
  swept.world.set_cable({.node = *leaf, .port = 6}, ServedSubnet::Cable::kUnplugged, swept.world.now());
  swept.world.run([] { return false; }, swept.world.now() + Duration::seconds(9));
  EXPECT_EQ(swept.manager().traps(), 2);
  ASSERT_EQ(swept.manager().sweeps().size(), 2);
  EXPECT_EQ(swept.last().discoveries, 1);
  EXPECT_EQ(swept.asked(wire::kAttributeNodeInfo, kMethodGet), 26);
  EXPECT_EQ(swept.asked(wire::kAttributePKeyTable, kMethodGet), 30);
  EXPECT_EQ(swept.last().blocks, 5);
  // Tables of the engine that keeps what still begins a shortest path, not those of a first sweep.
  EXPECT_TRUE(is_routed_by(swept.subnet, swept.world.served(), {}, before));
  EXPECT_FALSE(is_routed_by(swept.subnet, swept.world.served(), {}));
}

}  // namespace
}  // namespace weft::subnet
