#include "wire/internet_checksum.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"
#include "wire/udp.h"

namespace weft::wire {
namespace {

/// IPv4 header of an acknowledgement that Linux's soft-RoCE sent.
constexpr std::string_view kCaptured = "45000030DB4040004011 4B7A 0A0000010A000002";

//= rfc791 3.1
TEST(InternetChecksum, OfACapturedIpv4HeaderIsTheOneItCarries) {
  auto header = Ipv4Header::parse(bytes_of(kCaptured));
  ASSERT_TRUE(header.has_value());
  EXPECT_EQ(header->compute_checksum(), 0x4B7A);
  EXPECT_TRUE(header->checksum_ok());
  --header->time_to_live;
  EXPECT_FALSE(header->checksum_ok());
}

//= rfc1071
TEST(InternetChecksum, OverAWholeHeaderIsZero) { EXPECT_EQ(InternetChecksum().add(bytes_of(kCaptured)).value(), 0); }

TEST(InternetChecksum, TakesAnOddLastByteAsHighHalfOfAWord) {
  EXPECT_EQ(InternetChecksum().add(bytes_of("010203")).value(), InternetChecksum().add(bytes_of("01020300")).value());
}

/// A segment with its own checksum in place sums to zero: the property that a receiver relies on.
template <class Ip>
void expect_verifies(const Ip& ip) {
  auto segment = bytes_of("C12112B7000D0000 0102030405");
  const auto checksum = segment_checksum(ip, segment);
  auto header = *UdpHeader::parse(segment);
  header.checksum = checksum;
  header.emit(segment);
  EXPECT_EQ(segment_checksum(ip, segment), 0);
  segment[9] ^= std::byte{1};
  EXPECT_NE(segment_checksum(ip, segment), 0);
}

//= rfc768
TEST(InternetChecksum, VerifiesAUdpSegmentOverIpv4) { expect_verifies(*Ipv4Header::parse(bytes_of(kCaptured))); }

//= rfc8200 8.1
TEST(InternetChecksum, VerifiesAUdpSegmentOverIpv6) {
  Ipv6Header ip;
  ip.source.octets[15] = 1;
  ip.destination.octets[15] = 2;
  expect_verifies(ip);
}

/// The pseudo-header counts: the same segment between other addresses has another checksum.
TEST(InternetChecksum, DependsOnTheAddresses) {
  const auto segment = bytes_of("C12112B700080000");
  auto ip = *Ipv4Header::parse(bytes_of(kCaptured));
  const auto before = segment_checksum(ip, segment);
  ip.destination.value ^= 1;
  EXPECT_NE(segment_checksum(ip, segment), before);
}

}  // namespace
}  // namespace weft::wire
