#include "wire/ipv6.h"

#include <gtest/gtest.h>

#include "wire/grh.h"
#include "wire/test_bytes.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

constexpr std::string_view kHeader =
    "669ABCDE 00321140 FE800000000000000000000000000001 FE800000000000000000000000000002";

//= rfc8200 3
TEST(Ipv6, ReadsEveryField) {
  const auto ip = Ipv6Header::parse(bytes_of(kHeader));
  ASSERT_TRUE(ip.has_value());
  EXPECT_EQ(ip->dscp, 26);
  EXPECT_EQ(ip->ecn, Ecn::kEct1);
  EXPECT_EQ(ip->flow_label, 0xABCDEU);
  EXPECT_EQ(ip->payload_length, 0x32);
  EXPECT_EQ(ip->next_header, kIpProtocolUdp);
  EXPECT_EQ(ip->hop_limit, 64);
  EXPECT_EQ(to_string(ip->source), "fe80::1");
  EXPECT_EQ(to_string(ip->destination), "fe80::2");
}

/// The two headers have one layout; the GRH does not split its traffic class.
//= ibta-1.7 8.3
TEST(Grh, HasTheLayoutOfIpv6) {
  const auto grh = GrhHeader::parse(bytes_of(kHeader));
  ASSERT_TRUE(grh.has_value());
  EXPECT_EQ(grh->traffic_class, 26 * 4 + 1);
  EXPECT_EQ(grh->flow_label, 0xABCDEU);
  EXPECT_EQ(grh->payload_length, 0x32);
  EXPECT_EQ(grh->next_header, kIpProtocolUdp);
  EXPECT_EQ(grh->hop_limit, 64);
  EXPECT_EQ(to_string(grh->destination), "fe80::2");
}

TEST(Ipv6, RefusesOtherVersions) {
  auto bytes = bytes_of(kHeader);
  bytes[0] = std::byte{0x46};
  EXPECT_EQ(Ipv6Header::parse(bytes).error().message, "IPv6 header has version 4, must be 6");
  EXPECT_EQ(GrhHeader::parse(bytes).error().message, "GRH has IP version 4, must be 6");
}

//= rfc768
TEST(Udp, RefusesALengthBelowItsHeader) {
  EXPECT_EQ(UdpHeader::parse(bytes_of("C12112B700070000")).error().message, "UDP length is 7, must be at least 8");
}

TEST(Udp, ReadsEveryField) {
  EXPECT_EQ(*UdpHeader::parse(bytes_of("C12112B7001CABCD")),
            (UdpHeader{.source_port = 0xC121, .destination_port = kRoceV2Port, .length = 28, .checksum = 0xABCD}));
}

}  // namespace
}  // namespace weft::wire
