// Multicast groups through the simulated manager: programs join by MADs, and tables follow in blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "subnet/manager/test_swept.h"
#include "subnet/multicast/multicast_blocks.h"
#include "wire/byte_order.h"
#include "wire/member_record.h"

namespace weft::subnet {
namespace {

using wire::MemberRecord;

class GroupsOfAManager : public testing::Test {
 protected:
  explicit GroupsOfAManager(const std::string& text = fat_tree_text(4, 2, 4)) : swept_(parsed(text)) {}

  [[nodiscard]] PortPlace port(std::string_view name) const {
    const Result<NodeIndex> node = find_node(swept_.subnet, name);
    WEFT_ASSERT(node.has_value());
    return {.node = *node, .port = 1};
  }
  MadPacket request(PortPlace from, std::uint8_t method, std::uint64_t group, std::uint8_t state) const {
    MadPacket packet{.source_qp = kGeneralQp, .destination_qp = kGeneralQp};
    wire::MadHeader{.management_class = wire::kClassSubnetAdministration,
                    .class_version = 2,
                    .method = method,
                    .transaction_id = group,
                    .attribute_id = wire::kAttributeMemberRecord}
        .emit(packet.mad);
    wire::store_be64(packet.mad, wire::kComponentMask, wire::member_component::kOfCreation);
    MemberRecord{.mgid_prefix = 0xFF12'FEED'0000'0000,
                 .mgid_id = group,
                 .port_guid = swept_.subnet.port(from).guid.value,
                 .p_key = 0xFFFF,
                 .join_state = state}
        .emit(std::span(packet.mad).subspan(wire::kAdministrationData));
    return packet;
  }
  /// Asks, and runs until the manager has nothing left to write.
  std::optional<MemberRecord> ask(std::string_view node, std::uint8_t method, std::uint64_t group,
                                  std::uint8_t state = MemberRecord::kFullMember) {
    const std::size_t before = swept_.world.received().size();
    swept_.world.send(port(node), request(port(node), method, group, state), swept_.world.now());
    settle();
    if (swept_.world.received().size() != before + 1) {
      return std::nullopt;
    }
    const MadPacket& answer = swept_.world.received().back().packet;
    const std::span<const std::byte> bytes(answer.mad);
    return wire::load_be16(bytes, mad_offset::kStatus) == 0
               ? std::optional(*MemberRecord::parse(bytes.subspan(wire::kAdministrationData)))
               : std::nullopt;
  }
  void settle() {
    swept_.world.run([] { return false; }, swept_.world.now() + Duration::milliseconds(5));
    ASSERT_FALSE(swept_.manager().is_sweeping());
  }
  [[nodiscard]] std::uint64_t ports(std::string_view node, Lid lid) const {
    return multicast_ports(swept_.world.served()[port(node).node], lid).to_ullong();
  }
  /// Sets of blocks of multicast tables, in all sweeps.
  [[nodiscard]] std::uint64_t blocks() const {
    std::uint64_t sum = 0;
    for (const SweepReport& sweep : swept_.manager().sweeps()) {
      const auto count = sweep.requests.find({wire::kAttributeMulticastForwarding, wire::kMethodSet});
      sum += count == sweep.requests.end() ? 0 : count->second;
      EXPECT_EQ(sweep.group_blocks, count == sweep.requests.end() ? 0 : count->second);
    }
    return sum;
  }

  Swept swept_;
};

TEST_F(GroupsOfAManager, AreNoneAtFirstAndCostNothing) {
  EXPECT_EQ(blocks(), 0U);
  EXPECT_EQ(swept_.last().total_requests(), 396U);
  EXPECT_EQ(swept_.manager().groups().size(), 1U);  // that of IPoIB, which nobody has joined
}

// The tables that OpenSM 3.3.23 wrote under ibsim for the same members, and as many Sets as it sent.
TEST_F(GroupsOfAManager, HaveTheTablesAndRequestsOfOpensm) {
  const std::optional<MemberRecord> first = ask("H2", wire::kMethodSet, 1);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->mlid, 0xC001);
  EXPECT_EQ(blocks(), 0U);  // one member has no tree
  ASSERT_TRUE(ask("H7", wire::kMethodSet, 1, MemberRecord::kNonMember));
  EXPECT_EQ(blocks(), 3U);  // two leaves and a spine
  ASSERT_TRUE(ask("H16", wire::kMethodSet, 1, MemberRecord::kSendOnly));
  EXPECT_EQ(blocks(), 7U);  // three leaves and the spine, all of them anew
  EXPECT_EQ(ports("Leaf1", 0xC001), 1U << 2U | 1U << 5U);
  EXPECT_EQ(ports("Leaf2", 0xC001), 1U << 3U | 1U << 5U);
  EXPECT_EQ(ports("Leaf3", 0xC001), 0U);
  EXPECT_EQ(ports("Leaf4", 0xC001), 1U << 4U | 1U << 5U);
  EXPECT_EQ(ports("Spine1", 0xC001), 1U << 1U | 1U << 2U | 1U << 4U);
  EXPECT_EQ(swept_.manager().joins(), 3U);
}

TEST_F(GroupsOfAManager, LoseTheirEntriesWhenMembersLeave) {
  ASSERT_TRUE(ask("H2", wire::kMethodSet, 1));
  ASSERT_TRUE(ask("H7", wire::kMethodSet, 1));
  ASSERT_TRUE(ask("H7", wire::kMethodDelete, 1));
  EXPECT_EQ(ports("Leaf1", 0xC001), 0U);
  EXPECT_EQ(ports("Leaf2", 0xC001), 0U);
  EXPECT_EQ(blocks(), 6U);  // the three switches are written twice
  EXPECT_FALSE(ask("H7", wire::kMethodDelete, 1));
  ASSERT_TRUE(ask("H2", wire::kMethodDelete, 1));
  EXPECT_EQ(swept_.manager().groups().size(), 1U);
}

TEST_F(GroupsOfAManager, ThatJoinTogetherAreWrittenTogether) {
  for (const char* const node : {"H2", "H6", "H10", "H14"}) {
    swept_.world.send(port(node), request(port(node), wire::kMethodSet, 1, MemberRecord::kFullMember),
                      swept_.world.now());
  }
  settle();
  EXPECT_EQ(swept_.manager().joins(), 4U);
  EXPECT_EQ(ports("Spine1", 0xC001), 0b11110U);
  EXPECT_LT(blocks(), 3U + 4U + 5U);  // of one after the other
}

TEST_F(GroupsOfAManager, AreWrittenAgainByAHeavySweep) {
  ASSERT_TRUE(ask("H2", wire::kMethodSet, 1));
  ASSERT_TRUE(ask("H7", wire::kMethodSet, 1));
  const std::uint64_t before = blocks();
  const PortPlace cable{.node = port("Leaf1").node, .port = 5};  // to the spine of the tree
  swept_.world.set_cable(cable, ServedSubnet::Cable::kUnplugged, swept_.world.now());
  swept_.world.run([] { return false; }, swept_.world.now() + Duration::seconds(3));
  EXPECT_EQ(ports("Leaf1", 0xC001), 1U << 2U | 1U << 6U);
  EXPECT_EQ(ports("Spine2", 0xC001), 0b110U);
  EXPECT_EQ(ports("Spine1", 0xC001), 0U);
  EXPECT_GE(blocks(), before + 4);
}

// The tables of the failed sweep's nodes are not those of the members that were there before it.
TEST_F(GroupsOfAManager, AJoinDuringASweepThatFailsHarmsNothing) {
  constexpr std::uint8_t kFull = MemberRecord::kFullMember;
  ASSERT_TRUE(ask("H2", wire::kMethodSet, 1));
  const PortPlace cable{.node = port("Leaf1").node, .port = 5};
  swept_.world.set_cable(cable, ServedSubnet::Cable::kUnplugged, swept_.world.now());
  swept_.world.run([&] { return swept_.manager().is_sweeping(); }, swept_.world.now() + Duration::seconds(3));
  ASSERT_TRUE(swept_.manager().is_sweeping());
  swept_.world.send(port("H7"), request(port("H7"), wire::kMethodSet, 1, kFull), swept_.world.now());
  // It has come, and is looked at when the manager has time.
  swept_.world.run([&] { return swept_.manager().joins() == 2; }, swept_.world.now() + Duration::microseconds(50));
  ASSERT_TRUE(swept_.manager().is_sweeping());
  swept_.world.set_cable(port("H1"), ServedSubnet::Cable::kUnplugged, swept_.world.now());
  const auto has_failed = [&] {
    return std::ranges::any_of(swept_.manager().sweeps(), [](const SweepReport& own) { return !own.error.empty(); });
  };
  swept_.world.run(has_failed, swept_.world.now() + Duration::seconds(60));
  ASSERT_TRUE(has_failed());
  const std::uint64_t before = blocks();
  swept_.world.run([] { return false; }, swept_.world.now() + Duration::seconds(1));
  EXPECT_EQ(blocks(), before) << "it reaches no switch";
  swept_.world.set_cable(port("H1"), ServedSubnet::Cable::kPlugged, swept_.world.now());
  swept_.world.run([] { return false; }, swept_.world.now() + Duration::seconds(60));
  ASSERT_TRUE(ask("H7", wire::kMethodSet, 1));
  EXPECT_EQ(ports("Leaf1", 0xC001), 1U << 2U | 1U << 6U);
}

TEST_F(GroupsOfAManager, OtherMethodsAreRefusedAsSuch) {
  constexpr std::uint8_t kGetTable = 0x12;
  MadPacket packet = request(port("H2"), kGetTable, 1, MemberRecord::kFullMember);
  swept_.world.send(port("H2"), packet, swept_.world.now());
  settle();
  ASSERT_FALSE(swept_.world.received().empty());
  const MadPacket& answer = swept_.world.received().back().packet;
  EXPECT_EQ(std::to_integer<unsigned>(answer.mad[mad_offset::kMethod]), 0x92U);
  EXPECT_EQ(wire::load_be16(std::span(answer.mad), mad_offset::kStatus), 0x0008U);
}

class GroupsOfWideSwitches : public GroupsOfAManager {
 protected:
  GroupsOfWideSwitches() : GroupsOfAManager(fat_tree_text(2, 1, 36)) {}
};

//= ibta-1.7 14.2.5.12
TEST_F(GroupsOfWideSwitches, TakeABlockForEachSixteenPorts) {
  ASSERT_TRUE(ask("H2", wire::kMethodSet, 1));
  ASSERT_TRUE(ask("H38", wire::kMethodSet, 1));
  EXPECT_EQ(blocks(), 3U + 3U + 1U);  // leaves of 37 ports and port 0; a spine of two
  EXPECT_EQ(ports("Leaf1", 0xC001), 1U << 2U | std::uint64_t{1} << 37U);
}

}  // namespace
}  // namespace weft::subnet
