#include "wire/uet/uet_crc.h"

#include <gtest/gtest.h>

#include "wire/crc32c.h"
#include "wire/test_bytes.h"

namespace weft::wire::uet {
namespace {

const ByteVector kIpv4 = bytes_of("45B80028 00004000 40FD0000 0A000001 0A000002");
const ByteVector kIpv6 =
    bytes_of("62E00000 0014FD40 FD000000000000000000000000000001 FD000000000000000000000000000002");
const ByteVector kUet = bytes_of("12340000 1180 0000 00000001 0001 0002");

//= uet-1.0 3.5
TEST(UetCrc, IsCrc32cFromTheSourceAddressOn) {
  const ByteVector payload = bytes_of("0102030405");
  const auto covered4 = bytes_of("0A000001 0A000002") + kUet + payload;
  EXPECT_EQ(packet_crc(kIpv4 + kUet, payload), Crc32c().add(covered4).value());
  const auto covered6 = bytes_of("FD000000000000000000000000000001 FD000000000000000000000000000002") + kUet + payload;
  EXPECT_EQ(packet_crc(kIpv6 + kUet, payload), Crc32c().add(covered6).value());
}

/// Type of service, time to live and checksum of IPv4; traffic class, flow label and hop limit of IPv6.
TEST(UetCrc, CoversNothingThatARouterChanges) {
  for (std::size_t at = 0; at < kIpv4.size(); ++at) {
    ByteVector changed = kIpv4 + kUet;
    changed[at] ^= at == 0 ? std::byte{0x01} : std::byte{0xFF};  // the version stays
    EXPECT_EQ(packet_crc(changed, {}) == packet_crc(kIpv4 + kUet, {}), at < kCrcFromIpv4) << at;
  }
  for (std::size_t at = 0; at < kIpv6.size(); ++at) {
    ByteVector changed = kIpv6 + kUet;
    changed[at] ^= at == 0 ? std::byte{0x01} : std::byte{0xFF};  // the version stays
    EXPECT_EQ(packet_crc(changed, {}) == packet_crc(kIpv6 + kUet, {}), at < kCrcFromIpv6) << at;
  }
}

TEST(UetCrc, SeesEveryBitThatItCovers) {
  const std::uint32_t right = packet_crc(kIpv4 + kUet, {});
  for (std::size_t bit = kCrcFromIpv4 * 8; bit < (kIpv4.size() + kUet.size()) * 8; ++bit) {
    ByteVector changed = kIpv4 + kUet;
    changed[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_NE(packet_crc(changed, {}), right) << bit;
  }
}

}  // namespace
}  // namespace weft::wire::uet
