// Subnet administration tells more to who has its SM_Key, and nothing to who has a wrong one: as OpenSM 3.3.23, whose
// answers to the same requests tests/opensm/serve_test.cc has.
#include "subnet/manager/administration.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "subnet/manager/test_swept.h"
#include "wire/byte_order.h"
#include "wire/member_record.h"

namespace weft::subnet {
namespace {

constexpr std::uint16_t kPortInfoRecord = 0x0012;
constexpr std::uint16_t kPKeyTableRecord = 0x0033;
constexpr std::uint64_t kMKey = 0x1122'3344'5566'7788;
constexpr std::uint64_t kSmKey = 0x99AA'BBCC'DDEE'FF00;

ManagerOptions keyed() {
  ManagerOptions options;
  options.smps.m_key = kMKey;
  options.sa_key = kSmKey;
  return options;
}

class AdministrationOfAManager : public testing::Test {
 protected:
  [[nodiscard]] PortPlace port(std::string_view name) const {
    return {.node = *find_node(swept_.subnet, name), .port = 1};
  }
  [[nodiscard]] Lid lid(std::string_view name) const {
    return swept_.world.served()
        .port({.node = *find_node(swept_.subnet, name), .port = name[0] == 'H' ? PortNumber{1} : PortNumber{0}})
        .info.lid;
  }
  struct Asked {
    std::uint16_t attribute = 0;
    std::uint64_t sm_key = 0;
    std::uint64_t components = 1;
    std::uint8_t method = wire::kMethodGet;
  };
  [[nodiscard]] MadPacket request(const Asked& asked) const {
    MadPacket packet{.source_qp = kGeneralQp, .destination_qp = kGeneralQp};
    wire::MadHeader{.management_class = wire::kClassSubnetAdministration,
                    .class_version = 2,
                    .method = asked.method,
                    .transaction_id = 7,
                    .attribute_id = asked.attribute}
        .emit(packet.mad);
    wire::store_be64(packet.mad, wire::kAdministrationKey, asked.sm_key);
    wire::store_be64(packet.mad, wire::kComponentMask, asked.components);
    return packet;
  }
  /// From H5; none: the manager has said nothing.
  std::optional<MadPacket> ask(const MadPacket& packet) {
    const std::size_t before = swept_.world.received().size();
    swept_.world.send(port("H5"), packet, swept_.world.now());
    swept_.world.run([] { return false; }, swept_.world.now() + Duration::milliseconds(5));
    return swept_.world.received().size() > before ? std::optional(swept_.world.received().back().packet)
                                                   : std::nullopt;
  }
  /// PortInfo of a switch, which its port 0 has with the M_Key; P_Keys of its port 1.
  std::optional<MadPacket> ask_port(std::uint16_t attribute, std::uint64_t sm_key) {
    MadPacket packet = request({.attribute = attribute, .sm_key = sm_key});
    const std::span<std::byte> record = std::span(packet.mad).subspan(wire::kAdministrationData);
    wire::store_be16(record, 0, lid("Leaf2"));
    if (attribute == kPKeyTableRecord) {
      wire::store_u8(record, 4, 1);
    }
    return ask(packet);
  }
  static std::uint16_t status(const MadPacket& packet) { return wire::load_be16(packet.mad, mad_offset::kStatus); }
  static std::span<const std::byte> record(const MadPacket& packet) {
    return std::span<const std::byte>(packet.mad).subspan(wire::kAdministrationData);
  }

  Swept swept_{parsed(fat_tree_text(4, 2, 4)), keyed()};
};

TEST_F(AdministrationOfAManager, TellsTheMKeyToTrustedRequestsAlone) {
  const std::optional<MadPacket> trusted = ask_port(kPortInfoRecord, kSmKey);
  ASSERT_TRUE(trusted);
  EXPECT_EQ(status(*trusted), 0);
  EXPECT_EQ(wire::PortInfo::parse(record(*trusted).subspan(4))->m_key, kMKey);
  EXPECT_EQ(swept_.manager().administration().reduced, 0U);
  const std::optional<MadPacket> other = ask_port(kPortInfoRecord, 0);
  ASSERT_TRUE(other);
  EXPECT_EQ(status(*other), 0);
  EXPECT_EQ(wire::PortInfo::parse(record(*other).subspan(4))->m_key, 0U);
  EXPECT_EQ(swept_.manager().administration().reduced, 1U);
}

TEST_F(AdministrationOfAManager, DiscardsRequestsWithAnotherSmKey) {
  EXPECT_FALSE(ask_port(kPortInfoRecord, 1)) << "OpenSM's default, where it has one of its own";
  EXPECT_FALSE(ask(request({.attribute = wire::kAttributeMemberRecord, .sm_key = 1, .method = wire::kMethodSet})));
  EXPECT_EQ(swept_.manager().administration().discarded, 2U);
  EXPECT_EQ(swept_.manager().administration().joins, 0U);
}

TEST_F(AdministrationOfAManager, ReadsPKeyTablesToTrustedRequestsAlone) {
  const std::optional<MadPacket> trusted = ask_port(kPKeyTableRecord, kSmKey);
  ASSERT_TRUE(trusted);
  EXPECT_EQ(status(*trusted), 0);
  EXPECT_EQ(wire::load_be16(record(*trusted), 8), 0xFFFF);
  const std::optional<MadPacket> other = ask_port(kPKeyTableRecord, 0);
  ASSERT_TRUE(other);
  EXPECT_EQ(status(*other), static_cast<std::uint16_t>(SaStatus::kInvalid));
  EXPECT_EQ(wire::load_be16(record(*other), 8), 0);
  EXPECT_EQ(swept_.manager().administration().refused, 1U);
}

TEST_F(AdministrationOfAManager, ConcealsWhoIsInAGroupFromRequestsThatAreNotTrusted) {
  MadPacket join = request({.attribute = wire::kAttributeMemberRecord,
                            .components = wire::member_component::kOfCreation,
                            .method = wire::kMethodSet});
  const std::uint64_t guid = swept_.subnet.port(port("H5")).guid.value;
  const wire::MemberRecord own{.mgid_prefix = 0xFF12'FEED'0000'0000,
                               .mgid_id = 1,
                               .port_guid = guid,
                               .p_key = 0xFFFF,
                               .join_state = wire::MemberRecord::kFullMember};
  own.emit(std::span(join.mad).subspan(wire::kAdministrationData));
  const std::optional<MadPacket> joined = ask(join);
  ASSERT_TRUE(joined);
  ASSERT_EQ(status(*joined), 0) << "every port may join for itself";
  const auto read = [&](std::uint64_t sm_key) {
    MadPacket get = request({.attribute = wire::kAttributeMemberRecord,
                             .sm_key = sm_key,
                             .components = wire::member_component::kMgid | wire::member_component::kPortGid});
    own.emit(std::span(get.mad).subspan(wire::kAdministrationData));
    return *wire::MemberRecord::parse(record(*ask(get)));
  };
  EXPECT_EQ(read(kSmKey).port_guid, guid);
  EXPECT_EQ(read(kSmKey).join_state, wire::MemberRecord::kFullMember);
  EXPECT_EQ(read(0).port_guid, 0U);
  EXPECT_EQ(read(0).join_state, 0U);
  EXPECT_EQ(read(0).mlid, read(kSmKey).mlid);
  EXPECT_EQ(swept_.manager().administration().reduced, 3U);
}

TEST_F(AdministrationOfAManager, AnswersWhatItCannotWithAStatus) {
  EXPECT_EQ(status(*ask(request({.attribute = kPortInfoRecord, .components = 0}))),
            static_cast<std::uint16_t>(SaStatus::kTooManyRecords));
  EXPECT_EQ(status(*ask(request({.attribute = kPortInfoRecord}))), static_cast<std::uint16_t>(SaStatus::kNoRecords))
      << "LID 0 is of no port";
  EXPECT_EQ(status(*ask(request({.attribute = 0x0035}))), static_cast<std::uint16_t>(SaStatus::kInvalid));
}

}  // namespace
}  // namespace weft::subnet
