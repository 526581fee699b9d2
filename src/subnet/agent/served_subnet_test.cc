#include "subnet/agent/served_subnet.h"

#include <gtest/gtest.h>

#include "subnet/agent/managed_state.h"
#include "subnet/agent/port_info_set.h"
#include "subnet/agent/test_subnet.h"
#include "wire/performance_attributes.h"

namespace weft::subnet {
namespace {

using wire::NodeInfo;
using wire::PhysicalState;
using wire::PortInfo;
using wire::PortState;

constexpr auto kInvalid = static_cast<std::uint16_t>(MadStatus::kInvalidField);
constexpr auto kUnknown = static_cast<std::uint16_t>(MadStatus::kAttributeNotSupported);

class ServedSubnetTest : public testing::Test, public TestSubnet {
 protected:
  [[nodiscard]] PortState state(PortPlace place) const { return served.port(place).state(); }
  [[nodiscard]] static PortPlace at(NodeIndex node, PortNumber port) { return {.node = node, .port = port}; }
  /// What a performance agent says of its port 1.
  std::optional<wire::PortCounters> counters(Lid lid) {
    send_by_lid(lid, {.management_class = wire::kClassPerformance,
                      .method = wire::kMethodGet,
                      .attribute_id = wire::kAttributePortCounters});
    const std::optional<MadPacket> answer = take(kH1);
    return answer ? std::optional(*wire::PortCounters::parse(std::span(answer->mad).subspan(wire::kPerformanceData)))
                  : std::nullopt;
  }
};

//= ibta-1.7 14.2.2
TEST_F(ServedSubnetTest, AnswersAlongTheDirectedRouteThatTheRequestTook) {
  EXPECT_EQ(get<NodeInfo>(wire::kAttributeNodeInfo, {}).node_type, NodeInfo::kChannelAdapter);
  const auto first = get<NodeInfo>(wire::kAttributeNodeInfo, {1});
  EXPECT_EQ(first.node_type, NodeInfo::kSwitch);
  EXPECT_EQ(first.local_port, 1);
  const auto second = get<NodeInfo>(wire::kAttributeNodeInfo, {1, 2});
  EXPECT_EQ(second.node_guid, subnet[kS2].guid.value);
  EXPECT_EQ(second.local_port, 2);
  const auto host = get<NodeInfo>(wire::kAttributeNodeInfo, {1, 2, 1});
  EXPECT_EQ(host.port_guid, subnet.port(kH2).guid.value);
  EXPECT_EQ(served.answered(), 4U);
}

TEST_F(ServedSubnetTest, LosesDirectedRoutesThatLeadNowhere) {
  const wire::MadHeader header{.method = wire::kMethodGet, .attribute_id = wire::kAttributeNodeInfo};
  EXPECT_FALSE(ask(header, {1, 3}));  // no cable
  EXPECT_EQ(served.lost().link_down, 1U);
  EXPECT_FALSE(ask(header, {1, 9}));           // no port
  EXPECT_FALSE(ask(header, {1, 2, 1, 1, 1}));  // through an adapter
  EXPECT_EQ(served.lost().malformed, 2U);
}

TEST_F(ServedSubnetTest, RoutesByTheTablesThatAManagerHasSet) {
  const wire::MadHeader header{.management_class = wire::kClassSubnetLidRouted,
                               .method = wire::kMethodGet,
                               .attribute_id = wire::kAttributeNodeInfo};
  bring_up();
  send_by_lid(kLids[1], header);
  const auto answer = take(kH1);
  ASSERT_TRUE(answer);
  EXPECT_EQ(NodeInfo::parse(data(*answer))->port_guid, subnet.port(kH2).guid.value);
  EXPECT_EQ(answer->source, kLids[1]);
  EXPECT_EQ(answer->destination, kLids[0]);
  send_by_lid(9, header);
  EXPECT_FALSE(take(kH1));
  EXPECT_EQ(served.lost().no_route, 1U);
  set_table({1, 2}, {255, 2, 2, 2, 0});  // LID 2 goes back to S1
  send_by_lid(kLids[1], header);
  EXPECT_FALSE(take(kH1));
  EXPECT_EQ(served.lost().loops, 1U);
}

TEST_F(ServedSubnetTest, CountsEveryMadOnEveryLink) {
  bring_up();
  const std::uint64_t before = served.port(kH2).counters.counted().receive_packets;
  const auto shown = counters(kLids[1]);
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->receive_packets, before + 1);
  EXPECT_EQ(shown->receive_data, shown->receive_packets * 72);
  EXPECT_EQ(shown->xmit_packets, before);  // every request but this one was answered
}

//= ibta-1.7 14.2.5.6
TEST_F(ServedSubnetTest, PassesDataOnceItsPortsAreActive) {
  bring_up();
  EXPECT_TRUE(counters(kLids[1]));
  change_port({1}, 2, [](PortInfo& info) { info.port_state = static_cast<std::uint8_t>(PortState::kDown); });
  EXPECT_EQ(state(at(kS1, 2)), PortState::kInitialize);
  EXPECT_EQ(state(at(kS2, 2)), PortState::kInitialize);
  EXPECT_TRUE(take(kH1) && take(kH1)) << "S1 and S2 have said that the link came up";
  const std::uint64_t before = served.lost().link_down;
  EXPECT_FALSE(counters(kLids[1]));
  EXPECT_EQ(served.lost().link_down, before + 1);
  get<NodeInfo>(wire::kAttributeNodeInfo, {1, 2});  // management passes
}

TEST_F(ServedSubnetTest, RefusesStatesThatDoNotFollow) {
  auto info = get<PortInfo>(wire::kAttributePortInfo, {1}, 2);
  info.physical_state = 0;
  info.port_state = static_cast<std::uint8_t>(PortState::kActive);
  EXPECT_EQ(set(wire::kAttributePortInfo, {1}, info, 2), kInvalid);
  EXPECT_EQ(state(at(kS1, 2)), PortState::kInitialize);
  info.port_state = static_cast<std::uint8_t>(PortState::kArmed);
  EXPECT_EQ(set(wire::kAttributePortInfo, {1}, info, 3), kInvalid);  // no cable
  EXPECT_EQ(set(wire::kAttributePortInfo, {1}, info, 2), 0);
  EXPECT_EQ(set(wire::kAttributePortInfo, {1}, info, 2), 0);
  EXPECT_EQ(state(at(kS1, 2)), PortState::kArmed);
}

TEST_F(ServedSubnetTest, RefusesValuesThatAPortDoesNotHave) {
  const auto refused = [&](auto&& change) {
    auto info = get<PortInfo>(wire::kAttributePortInfo, {}, 1);
    const PortInfo before = info;
    info.port_state = info.physical_state = 0;
    change(info);
    return set(wire::kAttributePortInfo, {}, info, 1) == kInvalid &&
           get<PortInfo>(wire::kAttributePortInfo, {}, 1) == before;
  };
  EXPECT_TRUE(refused([](PortInfo& info) { info.lid = 0xC000; }));
  EXPECT_TRUE(refused([](PortInfo& info) {
    info.lid = 0xBFFF;
    info.lmc = 7;
  }));
  EXPECT_TRUE(refused([](PortInfo& info) {
    info.lid = 6;
    info.lmc = 2;
  }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.sm_lid = 0xC000; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.down_default_state = 3; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.neighbor_mtu = 0; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.neighbor_mtu = 6; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.operational_vls = 5; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.width_enabled = 8; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.physical_state = 4; }));
  EXPECT_TRUE(refused([](PortInfo& info) { info.port_state = 2; }));
  EXPECT_FALSE(refused([](PortInfo& info) { info.lid = 7; }));
  EXPECT_FALSE(refused([](PortInfo& info) {
    info.lid = 0xBF80;  // to 0xBFFF
    info.lmc = 7;
  }));
}

// Code 30 is no set of speeds: it turns all extended ones off.
//= ibta-1.7 14.2.5.6
TEST(ServedSubnetLinks, TurnExtendedSpeedsOff) {
  wire::PortInfo wanted{.neighbor_mtu = 5, .speed_ext_enabled = 30};
  Subnet subnet = chain();
  subnet[TestSubnet::kS1].ports[2].link = "4xEDR";
  std::vector<ServedNode> nodes = served_nodes(subnet);
  ServedNode& node = nodes[TestSubnet::kS1.value()];
  EXPECT_EQ(node.ports[2].info.speed_ext_enabled, 3);
  SmpData data{};
  wanted.emit(data);
  ASSERT_TRUE(set_port_info(node, 2, data));
  EXPECT_EQ(node.ports[2].info.speed_ext_enabled, 0);
  wanted.speed_ext_enabled = 31;
  wanted.emit(data);
  ASSERT_TRUE(set_port_info(node, 2, data));
  EXPECT_EQ(node.ports[2].info.speed_ext_enabled, 3);
}

// Tools ask port 0 of a switch, and no other, for the capabilities of all.
//= ibta-1.7 14.2.5.6
TEST(ServedSubnetLinks, SayOfExtendedSpeedsAtPort0) {
  Subnet subnet = chain();
  subnet[TestSubnet::kS1].ports[2].link = "4xEDR";
  const std::vector<ServedNode> nodes = served_nodes(subnet);
  const auto has = [&](NodeIndex node) {
    return (nodes[node.value()].ports[0].info.capability_mask & wire::kIsExtendedSpeedsSupported) != 0;
  };
  EXPECT_TRUE(has(TestSubnet::kS1));
  EXPECT_FALSE(has(TestSubnet::kS2));
}

TEST_F(ServedSubnetTest, SleepsUntilItIsToldToPoll) {
  const auto set_physical = [&](PhysicalState physical) {
    change_port({1}, 2, [&](PortInfo& info) { info.physical_state = static_cast<std::uint8_t>(physical); });
  };
  set_physical(PhysicalState::kSleep);
  EXPECT_EQ(served.port(at(kS1, 2)).physical(), PhysicalState::kSleep);
  EXPECT_EQ(state(at(kS2, 2)), PortState::kDown);
  set_physical(PhysicalState::kPolling);
  EXPECT_EQ(state(at(kS1, 2)), PortState::kInitialize);
}

//= ibta-1.7 14.2.5.6
TEST_F(ServedSubnetTest, GoesToTheDefaultStateWhenItsLinkGoesDown) {
  change_port({1}, 2, [](PortInfo& info) { info.down_default_state = 1; });
  change_port({1}, 2, [](PortInfo& info) { info.down_default_state = 0; });  // no change
  ASSERT_TRUE(served.set_cable(at(kS1, 2), ServedSubnet::Cable::kUnplugged, now));
  EXPECT_EQ(served.port(at(kS1, 2)).physical(), PhysicalState::kSleep);
  EXPECT_EQ(served.port(at(kS2, 2)).physical(), PhysicalState::kPolling);
}

// A Set of Down is known to who sent it; that the link trains again is not.
//= ibta-1.7 14.2.5.4
TEST_F(ServedSubnetTest, SaysAtBothSwitchesThatALinkTrainedAgain) {
  const auto changed = [&](Route route) {
    return get<wire::SwitchInfo>(wire::kAttributeSwitchInfo, route).port_state_change != 0;
  };
  const auto clear = [&] {
    for (const Route route : {Route{1}, Route{1, 2}}) {
      auto info = get<wire::SwitchInfo>(wire::kAttributeSwitchInfo, route);
      info.port_state_change = 1;
      set(wire::kAttributeSwitchInfo, route, info);
    }
  };
  clear();
  ASSERT_FALSE(changed({1}) || changed({1, 2}));
  change_port({1}, 1, [](PortInfo& info) { info.port_state = static_cast<std::uint8_t>(PortState::kDown); });
  EXPECT_TRUE(changed({1})) << "the link to H1 trained again";
  clear();
  change_port({1}, 2,
              [](PortInfo& info) { info.physical_state = static_cast<std::uint8_t>(PhysicalState::kDisabled); });
  EXPECT_FALSE(changed({1}));
}

TEST_F(ServedSubnetTest, SaysWhereARequestByLidCameIn) {
  bring_up();
  const wire::MadHeader header{.management_class = wire::kClassSubnetLidRouted,
                               .method = wire::kMethodGet,
                               .attribute_id = wire::kAttributeNodeInfo};
  send_by_lid(kLids[3], header);  // S2, from S1
  const auto answer = take(kH1);
  ASSERT_TRUE(answer);
  EXPECT_EQ(NodeInfo::parse(data(*answer))->local_port, 2);
  MadPacket own{.source = kLids[3], .destination = kLids[3]};
  header.emit(own.mad);
  served.send(at(kS2, 0), own, now);
  const auto from_itself = take(at(kS2, 0));
  ASSERT_TRUE(from_itself);
  EXPECT_EQ(NodeInfo::parse(data(*from_itself))->local_port, 0);
}

TEST_F(ServedSubnetTest, DisablesAPortUntilItIsToldToPoll) {
  change_port({1}, 2,
              [](PortInfo& info) { info.physical_state = static_cast<std::uint8_t>(PhysicalState::kDisabled); });
  EXPECT_EQ(served.port(at(kS1, 2)).physical(), PhysicalState::kDisabled);
  EXPECT_EQ(state(at(kS2, 2)), PortState::kDown);
  EXPECT_EQ(served.port(at(kS2, 2)).physical(), PhysicalState::kPolling);
  change_port({1}, 2, [](PortInfo& info) { info.physical_state = static_cast<std::uint8_t>(PhysicalState::kPolling); });
  EXPECT_EQ(state(at(kS1, 2)), PortState::kInitialize);
  EXPECT_EQ(state(at(kS2, 2)), PortState::kInitialize);
}

TEST_F(ServedSubnetTest, KeepsTablesAsTheyWereSet) {
  struct Table {
    std::uint16_t attribute;
    std::uint32_t modifier;
    std::uint16_t beyond;  // a status
    std::uint32_t wrong;
  };
  for (const Table& table : {Table{wire::kAttributeLinearForwarding, 767, kInvalid, 768},
                             Table{wire::kAttributeMulticastForwarding, 31, kInvalid, 32},
                             Table{wire::kAttributePKeyTable, 2U << 16 | 1, kInvalid, 4U << 16},
                             Table{wire::kAttributeSlToVl, 1U << 8 | 2, kInvalid, 4U << 8},
                             Table{wire::kAttributeVlArbitration, 1U << 16 | 2, kInvalid, 5U << 16},
                             Table{wire::kAttributeGuidInfo, 0, kInvalid, 1}}) {
    SmpData block;
    block.fill(std::byte{0x12});
    wire::MadHeader header{
        .method = wire::kMethodSet, .attribute_id = table.attribute, .attribute_modifier = table.modifier};
    ASSERT_EQ(status(*ask(header, {1}, block)), 0) << table.attribute;
    header.method = wire::kMethodGet;
    const auto answer = ask(header, {1});
    const std::size_t own = table.attribute == wire::kAttributeGuidInfo ? 8 : 0;  // the first GUID is the device's
    EXPECT_TRUE(std::ranges::equal(data(*answer).subspan(own), std::span(block).subspan(own))) << table.attribute;
    header.attribute_modifier = table.wrong;
    EXPECT_EQ(status(*ask(header, {1})), table.beyond) << table.attribute;
  }
}

TEST_F(ServedSubnetTest, SaysWhatItDoesNotKnow) {
  EXPECT_EQ(status(*ask({.method = wire::kMethodGet, .attribute_id = 0x31}, {1})), kUnknown);
  EXPECT_EQ(status(*ask({.method = wire::kMethodGet, .attribute_id = wire::kAttributeSwitchInfo}, {})), kUnknown);
  EXPECT_EQ(status(*ask({.method = wire::kMethodSet, .attribute_id = wire::kAttributeNodeInfo}, {})), kUnknown)
      << "Set is a method of the class, but not with this attribute";
  EXPECT_EQ(
      status(*ask({.class_version = 2, .method = wire::kMethodGet, .attribute_id = wire::kAttributeNodeInfo}, {})),
      static_cast<std::uint16_t>(MadStatus::kBadVersion));
}

TEST_F(ServedSubnetTest, HandsSmInfoToTheManagerOfThePort) {
  const wire::MadHeader header{.method = wire::kMethodGet, .attribute_id = wire::kAttributeSmInfo};
  EXPECT_EQ(status(*ask(header, {1, 2, 1})), kUnknown);
  served.set_manager(kH2, ServedSubnet::Manager::kPresent);
  EXPECT_NE(served.port(kH2).info.capability_mask & wire::kIsSm, 0U);
  MadPacket request;
  {
    SCOPED_TRACE("the manager gets it");
    wire::MadHeader sent = header;
    sent.management_class = wire::kClassSubnetLidRouted;
    bring_up();
    send_by_lid(kLids[1], sent);
    const auto taken = take(kH2);
    ASSERT_TRUE(taken);
    request = *taken;
  }
  MadPacket answer = turned_around(request);
  wire::store_u8(answer.mad, mad_offset::kMethod, wire::kMethodGetResponse);
  served.send(kH2, answer, now);
  EXPECT_TRUE(take(kH1));
}

TEST_F(ServedSubnetTest, SendsATrapUntilTheManagerRepressesIt) {
  bring_up();
  for (const Route route : {Route{1}, Route{1, 2}}) {
    change_port(route, 0, [](PortInfo& info) { info.subnet_timeout = 18; });  // 1.07 s
  }
  served.set_manager(kH1, ServedSubnet::Manager::kPresent);
  ASSERT_TRUE(served.set_cable(at(kS1, 2), ServedSubnet::Cable::kUnplugged, now));
  EXPECT_EQ(state(at(kS1, 2)), PortState::kDown);
  const auto trap = take(kH1);
  ASSERT_TRUE(trap);
  const auto notice = *wire::Notice::parse(data(*trap));
  EXPECT_EQ(notice.trap_number, wire::Notice::kLinkStateChange);
  EXPECT_EQ(notice.lid, kLids[2]);
  EXPECT_FALSE(take(kH1)) << "S2 cannot reach the manager any more";
  const Time again = served.next_timeout();
  EXPECT_EQ(again, now + Duration::nanoseconds(4'096) * (std::int64_t{1} << 18));
  now = again;
  served.on_timeout(now);
  EXPECT_EQ(*take(kH1), *trap);
  send_by_lid(kLids[2], {.management_class = wire::kClassSubnetLidRouted,
                         .method = wire::kMethodTrapRepress,
                         .transaction_id = wire::MadHeader::parse(trap->mad)->transaction_id | std::uint64_t{5} << 32,
                         .attribute_id = wire::kAttributeNotice});
  EXPECT_FALSE(served[kS1].trap);
  EXPECT_EQ(get<wire::SwitchInfo>(wire::kAttributeSwitchInfo, {1}).port_state_change, 1);
}

TEST_F(ServedSubnetTest, BringsALinkUpThatIsPluggedAgain) {
  const PortPlace place = at(kS1, 2);
  EXPECT_FALSE(served.set_cable(at(kS1, 3), ServedSubnet::Cable::kUnplugged, now));
  EXPECT_FALSE(served.set_cable(place, ServedSubnet::Cable::kPlugged, now));
  ASSERT_TRUE(served.set_cable(place, ServedSubnet::Cable::kUnplugged, now));
  EXPECT_EQ(served.port(place).counters.shown().link_downed, 1U);
  ASSERT_TRUE(served.set_cable(at(kS2, 2), ServedSubnet::Cable::kPlugged, now));  // from its other end
  EXPECT_EQ(state(place), PortState::kInitialize);
}

//= ibta-1.7 14.2.4
TEST_F(ServedSubnetTest, GuardsAPortByItsMKeyAndLevel) {
  const wire::MadHeader read{.method = wire::kMethodGet, .attribute_id = wire::kAttributePortInfo};
  const wire::MadHeader write{.method = wire::kMethodSet, .attribute_id = wire::kAttributeSwitchInfo};
  for (const std::uint8_t level : std::initializer_list<std::uint8_t>{0, 1, 2, 3}) {
    change_port({1}, 0, [&](PortInfo& info) {
      info.m_key = 0xABC;
      info.m_key_protect = level;
    });
    const auto answer = ask(read, {1});
    EXPECT_EQ(answer.has_value(), level < 2) << int{level};
    if (answer) {
      EXPECT_EQ(PortInfo::parse(data(*answer))->m_key, level == 0 ? 0xABCU : 0U) << int{level};
    }
    EXPECT_FALSE(ask(write, {1}));
    m_key = 0xABC;
    EXPECT_EQ(get<PortInfo>(wire::kAttributePortInfo, {1}).m_key, 0xABCU);
    change_port({1}, 0, [](PortInfo& info) { info.m_key = 0; });
    m_key = 0;
  }
  EXPECT_EQ(served.lost().wrong_key, 6U);
}

//= ibta-1.7 14.2.4
TEST_F(ServedSubnetTest, LowersProtectionWhenTheLeaseRunsOut) {
  const wire::MadHeader read{.method = wire::kMethodGet, .attribute_id = wire::kAttributePortInfo};
  change_port({1}, 0, [&](PortInfo& info) {
    info.m_key = 0xABC;
    info.m_key_protect = 2;
    info.m_key_lease_period = 5;
  });
  EXPECT_FALSE(ask(read, {1}));  // starts the lease
  now += Duration::seconds(4);
  EXPECT_FALSE(ask(read, {1}));
  m_key = 0xABC;
  get<PortInfo>(wire::kAttributePortInfo, {1});  // its manager lives: the lease ends
  m_key = 0;
  now += Duration::seconds(2);
  EXPECT_FALSE(ask(read, {1}));  // starts it anew
  now += Duration::seconds(5);
  const auto answer = ask(read, {1});
  ASSERT_TRUE(answer);
  EXPECT_EQ(PortInfo::parse(data(*answer))->m_key_violations, 3);
}

TEST_F(ServedSubnetTest, GivesTheTablesOfItsManager) {
  EXPECT_FALSE(managed_state(subnet, served));
  bring_up();
  const Result<ManagedState> state = managed_state(subnet, served);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->swept.view.last_lid(), 4);
  EXPECT_EQ(state->tables, (ForwardingTables{{255, 1, 2, 0, 2}, {255, 2, 1, 2, 0}}));
}

class MulticastMads : public ServedSubnetTest {
 protected:
  static constexpr Lid kGroup = 0xC021;  // the second entry of the second block

  /// Ports of the group in a switch.
  void set_ports(Route route, std::uint16_t ports) {
    SmpData block{};
    wire::store_be16(block, 2, ports);
    const wire::MadHeader header{
        .method = wire::kMethodSet, .attribute_id = wire::kAttributeMulticastForwarding, .attribute_modifier = 1};
    ASSERT_TRUE(ask(header, route, block));
  }
  void send_to_group(PortPlace from) {
    MadPacket packet{.destination = kGroup, .source_qp = kGeneralQp, .destination_qp = 0xFFFFFF};
    wire::MadHeader{.management_class = wire::kClassSubnetAdministration, .method = wire::kMethodGetResponse}.emit(
        packet.mad);
    served.send(from, packet, now);
  }
  std::vector<PortPlace> receivers() {
    std::vector<PortPlace> places;
    while (const std::optional<ServedSubnet::Delivery> delivery = served.poll_delivery()) {
      places.push_back(delivery->at);
    }
    std::ranges::sort(places);
    return places;
  }
};

//= ibta-1.7 18.2.4.3.3
TEST_F(MulticastMads, LeaveASwitchByAllPortsOfTheirEntryButTheOneOfArrival) {
  bring_up();
  set_ports({1}, 0b110);     // S1: H1 and S2
  set_ports({1, 2}, 0b111);  // S2: itself, H2 and S1
  send_to_group(kH1);
  EXPECT_EQ(receivers(), (std::vector{kH2, at(kS2, 0)}));
  send_to_group(kH2);
  EXPECT_EQ(receivers(), (std::vector{kH1, at(kS2, 0)}));
  send_to_group(at(kS2, 0));
  EXPECT_EQ(receivers(), (std::vector{kH1, kH2}));
  EXPECT_EQ(served.lost().total(), 0U);
}

TEST_F(MulticastMads, AreLostWhereASwitchHasNoEntry) {
  bring_up();
  set_ports({1}, 0b110);
  send_to_group(kH1);
  EXPECT_TRUE(receivers().empty());
  EXPECT_EQ(served.lost().no_route, 1U);
}

TEST_F(MulticastMads, AreCountedAsSuch) {
  bring_up();
  set_ports({1}, 0b110);
  set_ports({1, 2}, 0b110);
  send_to_group(kH1);
  const wire::PortCountersExtended sent = served.port(at(kS1, 2)).counters.shown_extended();
  EXPECT_EQ(sent.multicast_xmit_packets, 1U);
  EXPECT_EQ(sent.xmit_packets, sent.unicast_xmit_packets + 1);
  EXPECT_EQ(served.port(kH2).counters.shown_extended().multicast_receive_packets, 1U);
}

}  // namespace
}  // namespace weft::subnet
