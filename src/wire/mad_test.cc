#include "wire/mad.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= ibta-1.7 13.4.2
TEST(Mad, HeaderHasItsFieldsInWireOrder) {
  const MadHeader header{.management_class = kClassConnection,
                         .class_version = 2,
                         .method = kMethodSend,
                         .status = 0x0405,
                         .class_specific = 0x0607,
                         .transaction_id = 0x08090A0B0C0D0E0F,
                         .attribute_id = 0x1011,
                         .reserved = 0x1213,
                         .attribute_modifier = 0x14151617};
  EXPECT_EQ(emitted(header), bytes_of("01070203 04050607 08090A0B0C0D0E0F 10111213 14151617"));
}

TEST(Mad, RefusesOtherBaseVersions) {
  auto bytes = emitted(MadHeader{});
  bytes[0] = std::byte{2};
  EXPECT_EQ(MadHeader::parse(bytes).error().message, "MAD base version is 2, must be 1");
}

DirectedRouteSmp smp_at_hop(std::uint16_t hops) {
  DirectedRouteSmp smp;
  smp.header.class_specific = hops;
  return smp;
}

//= ibta-1.7 14.2.1.2
TEST(Mad, DirectedRouteHasPathsOfOneByteAHop) {
  auto smp = smp_at_hop(0x0102);
  smp.header.status = DirectedRouteSmp::kReturning;
  smp.m_key = 0x0102030405060708;
  smp.data[0] = std::byte{0xDD};
  smp.initial_path[1] = 0x11;
  smp.return_path[2] = 0x22;
  EXPECT_TRUE(smp.is_returning());
  EXPECT_EQ(smp.hop_pointer(), 1);
  EXPECT_EQ(smp.hop_count(), 2);
  const auto bytes = emitted(smp);
  EXPECT_EQ(ByteVector(bytes.begin() + 24, bytes.begin() + 36), bytes_of("0102030405060708 FFFF FFFF"));
  EXPECT_EQ(bytes[64], std::byte{0xDD});
  EXPECT_EQ(bytes[128 + 1], std::byte{0x11});
  EXPECT_EQ(bytes[192 + 2], std::byte{0x22});
  EXPECT_EQ(*DirectedRouteSmp::parse(bytes), smp);
}

//= ibta-1.7 14.2.2
TEST(Mad, DirectedRouteHasAtMost63Hops) {
  EXPECT_TRUE(DirectedRouteSmp::parse(emitted(smp_at_hop(0x403F))).has_value());
  EXPECT_EQ(DirectedRouteSmp::parse(emitted(smp_at_hop(0x0040))).error().message,
            "directed route is at hop 0 of 64, at most 63 hops");
  EXPECT_EQ(DirectedRouteSmp::parse(emitted(smp_at_hop(0x4101))).error().message,
            "directed route is at hop 65 of 1, at most 63 hops");
}

TEST(Mad, RefusesALidRoutedClassAsDirectedRoute) {
  DirectedRouteSmp smp;
  smp.header.management_class = kClassSubnetLidRouted;
  EXPECT_EQ(DirectedRouteSmp::parse(emitted(smp)).error().message,
            "management class is 0x01, a directed-route SMP has 0x81");
}

}  // namespace
}  // namespace weft::wire
