#include "subnet/multicast/group_records.h"

#include <gtest/gtest.h>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

namespace component = wire::member_component;
using wire::MemberRecord;

constexpr std::uint64_t kMgid = 0xFF12'FEED'0000'0000;

GroupRecords::Request request(std::uint64_t id, std::uint64_t port, std::uint8_t state,
                              std::uint64_t components = component::kOfCreation) {
  return {.record = {.mgid_prefix = kMgid, .mgid_id = id, .port_guid = port, .p_key = 0xFFFF, .join_state = state},
          .components = components,
          .requester = {port},
          .is_port = true};
}

// Statuses and LIDs are those that OpenSM 3.3.23 answered under ibsim (tests/opensm/multicast_test.cc).
TEST(GroupRecords, GiveTheLowestFreeLidToAGroupThatAFullMemberMakes) {
  GroupRecords records;
  const GroupRecords::Answer first = records.join(request(1, 7, MemberRecord::kFullMember));
  EXPECT_EQ(first.status, SaStatus::kOk);
  EXPECT_EQ(first.record.mlid, 0xC001);  // 0xC000 is the broadcast group of IPoIB
  EXPECT_EQ(first.record.mtu, 4);
  EXPECT_EQ(first.record.rate_selector, MemberRecord::kExactly);
  EXPECT_EQ(records.join(request(2, 7, MemberRecord::kFullMember)).record.mlid, 0xC002);
  EXPECT_EQ(records.leave(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  EXPECT_EQ(records.join(request(3, 7, MemberRecord::kFullMember)).record.mlid, 0xC001);
}

TEST(GroupRecords, RefuseToMakeAGroupOtherwise) {
  GroupRecords records;
  EXPECT_EQ(records.join(request(1, 7, MemberRecord::kSendOnly)).status, SaStatus::kInvalid);
  EXPECT_EQ(records.join(request(1, 7, MemberRecord::kNonMember)).status, SaStatus::kInvalid);
  EXPECT_EQ(records.join(request(1, 7, MemberRecord::kFullMember, component::kOfJoin)).status,
            SaStatus::kFewComponents);
  EXPECT_EQ(records.join(request(1, 7, MemberRecord::kFullMember, component::kMgid)).status, SaStatus::kFewComponents);
  GroupRecords::Request stranger = request(1, 7, MemberRecord::kFullMember);
  stranger.is_port = false;
  EXPECT_EQ(records.join(stranger).status, SaStatus::kInvalid);
  GroupRecords::Request unicast = request(1, 7, MemberRecord::kFullMember);
  unicast.record.mgid_prefix = 0xFE80'0000'0000'0000;
  EXPECT_EQ(records.join(unicast).status, SaStatus::kInvalid);
  EXPECT_EQ(records.size(), 1U);
  GroupRecords one(1);
  EXPECT_EQ(one.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kNoResources);
}

TEST(GroupRecords, AddUpJoinStatesAndGiveThemBackOneByOne) {
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  EXPECT_EQ(records.join(request(1, 8, MemberRecord::kNonMember, component::kOfJoin)).record.join_state, 2);
  EXPECT_EQ(records.join(request(1, 8, MemberRecord::kSendOnly, component::kOfJoin)).record.join_state, 6);
  EXPECT_EQ(records.leave(request(1, 8, MemberRecord::kFullMember)).status, SaStatus::kInvalid);  // it has not
  EXPECT_EQ(records.leave(request(1, 8, MemberRecord::kNonMember)).record.join_state, 4);
  EXPECT_EQ(records.leave(request(1, 8, MemberRecord::kSendOnly)).record.join_state, 0);
  EXPECT_EQ(records.find(request(1, 8, 0)).status, SaStatus::kNoRecords);
  EXPECT_EQ(records.find(request(1, 7, 0)).record.join_state, 1);
}

TEST(GroupRecords, DeleteAGroupWithItsLastFullMember) {
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  ASSERT_EQ(records.join(request(1, 8, MemberRecord::kSendOnly, component::kOfJoin)).status, SaStatus::kOk);
  ASSERT_EQ(records.leave(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  EXPECT_EQ(records.size(), 1U);
  EXPECT_EQ(records.leave(request(1, 8, MemberRecord::kSendOnly)).status, SaStatus::kInvalid);
}

TEST(GroupRecords, RefuseWhatIsNotTheGroups) {
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  GroupRecords::Request other = request(1, 8, MemberRecord::kFullMember);
  other.record.q_key = 5;
  EXPECT_EQ(records.join(other).status, SaStatus::kInvalid);
  other.components = component::kOfJoin;  // then it is not compared
  EXPECT_EQ(records.join(other).status, SaStatus::kOk);
}

//= ibta-1.7 15.2.5.17
TEST(GroupRecords, LetAnotherPortChangeOnlyWhatAnotherPortHasJoined) {
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  GroupRecords::Request proxy = request(1, 8, MemberRecord::kFullMember);
  proxy.requester = {7};
  EXPECT_EQ(records.join(proxy).record.proxy_join, 1);
  EXPECT_EQ(records.leave(proxy).status, SaStatus::kOk);
  GroupRecords::Request intruder = request(1, 7, MemberRecord::kFullMember);
  intruder.requester = {8};
  EXPECT_EQ(records.leave(intruder).status, SaStatus::kInvalid);
}

TEST(GroupRecords, ForgetPortsThatAreGone) {
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, 7, MemberRecord::kFullMember)).status, SaStatus::kOk);
  ASSERT_EQ(records.join(request(2, 8, MemberRecord::kFullMember)).status, SaStatus::kOk);
  EXPECT_TRUE(records.take_change());
  records.keep_ports({Guid{8}});
  EXPECT_TRUE(records.take_change());
  EXPECT_EQ(records.size(), 2U);  // with that of IPoIB
}

TEST(GroupRecords, NameTheMembersThatTheSubnetHas) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  GroupRecords records;
  ASSERT_EQ(records.join(request(1, made.view.end_ports[3].guid.value, 1)).status, SaStatus::kOk);
  ASSERT_EQ(records.join(request(1, 0x7777, 1)).status, SaStatus::kOk);
  const std::vector<MulticastGroup> groups = records.groups(made.view);
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[1].lid, 0xC001);
  EXPECT_EQ(groups[1].members, std::vector{EndPortIndex(3)});
}

}  // namespace
}  // namespace weft::subnet
