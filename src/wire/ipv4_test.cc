#include "wire/ipv4.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

//= rfc791 3.1
TEST(Ipv4, ReadsEveryField) {
  const auto ip = Ipv4Header::parse(bytes_of("4569004C 1234E123 3F11ABCD 0A000001 0A000002"));
  ASSERT_TRUE(ip.has_value());
  EXPECT_EQ(ip->dscp, 26);
  EXPECT_EQ(ip->ecn, Ecn::kEct1);
  EXPECT_EQ(ip->total_length, 0x4C);
  EXPECT_EQ(ip->identification, 0x1234);
  EXPECT_TRUE(ip->reserved_flag && ip->dont_fragment && ip->more_fragments);
  EXPECT_EQ(ip->fragment_offset, 0x0123);
  EXPECT_TRUE(ip->is_fragment());
  EXPECT_EQ(ip->time_to_live, 63);
  EXPECT_EQ(ip->protocol, kIpProtocolUdp);
  EXPECT_EQ(ip->header_checksum, 0xABCD);
  EXPECT_EQ(to_string(ip->source), "10.0.0.1");
  EXPECT_EQ(to_string(ip->destination), "10.0.0.2");
}

TEST(Ipv4, KeepsOptions) {
  const auto bytes = bytes_of("46000030 00004000 40110000 0A000001 0A000002 94040000");
  const auto ip = Ipv4Header::parse(bytes);
  ASSERT_TRUE(ip.has_value());
  EXPECT_EQ(ip->size(), bytes.size());
  EXPECT_EQ(emitted(*ip, ip->size()), bytes);
}

TEST(Ipv4, RefusesOtherVersionsAndShortHeaderLengths) {
  auto bytes = bytes_of("65000030 00004000 40110000 0A000001 0A000002");
  EXPECT_EQ(Ipv4Header::parse(bytes).error().message, "IPv4 header has version 6, must be 4");
  bytes[0] = std::byte{0x44};
  EXPECT_EQ(Ipv4Header::parse(bytes).error().message, "IPv4 header length is 16 bytes, must be 20 to 60");
  bytes[0] = std::byte{0x46};
  EXPECT_EQ(Ipv4Header::parse(bytes).error().message, "IPv4 header with options needs 24 bytes, found 20");
}

}  // namespace
}  // namespace weft::wire
