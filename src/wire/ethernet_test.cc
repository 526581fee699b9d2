#include "wire/ethernet.h"

#include <gtest/gtest.h>

#include "wire/address.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

TEST(Ethernet, ReadsAddressesAndType) {
  const auto header = EthernetHeader::parse(bytes_of("525400000001 525400000002 0800 45"));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(to_string(header->destination), "52:54:00:00:00:01");
  EXPECT_EQ(to_string(header->source), "52:54:00:00:00:02");
  EXPECT_EQ(header->ether_type, kEtherTypeIpv4);
  EXPECT_EQ(header->size(), EthernetHeader::kSize);
}

TEST(Ethernet, ReadsPriorityAndVlanOfTwoTags) {
  const auto header = EthernetHeader::parse(bytes_of("525400000001 525400000002 88A8 6064 8100 7FFF 8915"));
  ASSERT_TRUE(header.has_value());
  ASSERT_EQ(header->tag_count, 2);
  EXPECT_EQ(header->tags[0], (VlanTag{.protocol = kEtherTypeServiceVlan, .priority = 3, .vlan = 100}));
  EXPECT_EQ(header->tags[1], (VlanTag{.priority = 3, .drop_eligible = true, .vlan = 0xFFF}));
  EXPECT_EQ(header->ether_type, kEtherTypeRoceV1);
}

TEST(Ethernet, LeavesAThirdTagAsEtherType) {
  const auto header = EthernetHeader::parse(bytes_of("525400000001 525400000002 8100 0001 8100 0002 8100 0003 0800"));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->ether_type, kEtherTypeVlan);
}

TEST(Ethernet, SaysWhatATruncatedTagNeeds) {
  const auto header = EthernetHeader::parse(bytes_of("525400000001 525400000002 8100 0001 08"));
  ASSERT_FALSE(header.has_value());
  EXPECT_EQ(header.error().message, "Ethernet header with VLAN tag needs 18 bytes, found 17");
}

TEST(EthernetDeathTest, DoesNotEmitPastTheBuffer) {
  ByteVector out(EthernetHeader::kSize + EthernetHeader::kTagSize - 1);
  EXPECT_DEATH(EthernetHeader{.tag_count = 1}.emit(out), "out.size");
}

}  // namespace
}  // namespace weft::wire
