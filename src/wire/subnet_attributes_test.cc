#include "wire/subnet_attributes.h"

#include <gtest/gtest.h>

#include <vector>

#include "wire/member_record.h"
#include "wire/performance_attributes.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

template <class Record>
class EveryAttribute : public testing::Test {};

using Records = testing::Types<NodeInfo, SwitchInfo, PortInfo, SmInfo, Notice, ClassPortInfo, PortCounters,
                               PortCountersExtended, MemberRecord>;
TYPED_TEST_SUITE(EveryAttribute, Records);

TYPED_TEST(EveryAttribute, HasFieldsThatLieApartAndInside) {
  std::vector<bool> taken(TypeParam::kSize * 8, false);
  for (const AttributeField<TypeParam>& field : TypeParam::fields()) {
    ASSERT_LE(field.place.bit + std::size_t{field.place.width}, taken.size()) << field.name;
    for (unsigned bit = 0; bit < field.place.width; ++bit) {
      EXPECT_FALSE(taken[field.place.bit + bit]) << field.name;
      taken[field.place.bit + bit] = true;
    }
  }
}

TYPED_TEST(EveryAttribute, IsReadAsItWasWritten) {
  for (const AttributeField<TypeParam>& field : TypeParam::fields()) {
    const std::uint64_t ones =
        field.place.width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << field.place.width) - 1;
    TypeParam record;
    for (const AttributeField<TypeParam>& each : TypeParam::fields()) {
      each.set(record, 0);
    }
    field.set(record, ones);
    const ByteVector bytes = emitted(record);
    for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      const bool set = (std::to_integer<unsigned>(bytes[bit / 8]) >> (7 - bit % 8) & 1U) != 0;
      EXPECT_EQ(set, bit >= field.place.bit && bit < std::size_t{field.place.bit} + field.place.width) << field.name;
    }
    EXPECT_EQ(*TypeParam::parse(bytes), record) << field.name;
  }
}

TYPED_TEST(EveryAttribute, IsRefusedWhereItEndsTooEarly) {
  const ByteVector bytes(TypeParam::kSize - 1);
  EXPECT_EQ(TypeParam::parse(bytes).error().message,
            fmt::format("{} needs {} bytes, found {}", TypeParam::kName, TypeParam::kSize, TypeParam::kSize - 1));
}

//= ibta-1.7 14.2.5.3
TEST(NodeInfo, HasItsFieldsInWireOrder) {
  const NodeInfo info{.node_type = NodeInfo::kSwitch,
                      .ports = 36,
                      .system_guid = 0x0102030405060708,
                      .node_guid = 0x1112131415161718,
                      .port_guid = 0x2122232425262728,
                      .partition_cap = 0x3132,
                      .device_id = 0x4142,
                      .revision = 0x51525354,
                      .local_port = 7,
                      .vendor_id = 0x0002C9};
  EXPECT_EQ(emitted(info), bytes_of("01010224 0102030405060708 1112131415161718 2122232425262728 3132 4142 51525354 07 "
                                    "0002C9"));
}

//= ibta-1.7 14.2.5.6
TEST(PortInfo, HasSeveralFieldsInAByte) {
  const PortInfo info{.lid = 0x1234,
                      .speed_supported = 7,
                      .port_state = static_cast<std::uint8_t>(PortState::kActive),
                      .physical_state = static_cast<std::uint8_t>(PhysicalState::kLinkUp),
                      .down_default_state = 2,
                      .m_key_protect = 2,
                      .lmc = 3};
  const ByteVector bytes = emitted(info);
  EXPECT_EQ(ByteVector(bytes.begin() + 16, bytes.begin() + 18), bytes_of("1234"));
  EXPECT_EQ(ByteVector(bytes.begin() + 32, bytes.begin() + 35), bytes_of("74 52 83"));
}

//= ibta-1.7 16.1.3.5
TEST(PortCounters, StopAtTheMostThatTheirFieldsHold) {
  const PortCounters counters{.link_downed = 300, .local_integrity_errors = 16, .xmit_data = std::uint64_t{1} << 40};
  const PortCounters read = *PortCounters::parse(emitted(counters));
  EXPECT_EQ(read.link_downed, 255U);
  EXPECT_EQ(read.local_integrity_errors, 15U);
  EXPECT_EQ(read.xmit_data, 0xFFFFFFFFU);
}

}  // namespace
}  // namespace weft::wire
