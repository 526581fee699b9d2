#include "wire/uet_header.h"

#include <gtest/gtest.h>

#include "wire/encapsulation.h"

namespace weft::wire {
namespace {

TEST(UetHeader, ATargetsAddressHas24BitsBesideTheKindOfHeader) {
  UetHeader header;
  header.set_target(UetNextHeader::kRequestStandard, 0xABCDEF);
  EXPECT_EQ(header.resource(), 0xABCDEFU);
  EXPECT_EQ(header.next_header(), UetNextHeader::kRequestStandard);
  header.set_target(UetNextHeader::kResponseData, 0x00FFFF);
  EXPECT_EQ(header.resource(), 0x00FFFFU);
  EXPECT_EQ(header.next_header(), UetNextHeader::kResponseData);
}

// A RUD request of 12 bytes with a standard header of 44, over IPv4 and UDP: 14 + 20 + 8 before, CRC and FCS behind.
TEST(UetSizes, AreThoseOfEthernetIpUdpTheHeadersAndBothChecksums) {
  const UetPacketParts parts{.headers = Bytes(12 + 44), .payload = Bytes(4096)};
  EXPECT_EQ(uet_sizes(Encapsulation::kUetUdpIpv4, parts).frame, Bytes(14 + 20 + 8 + 56 + 4096 + 4 + 4));
  EXPECT_EQ(uet_sizes(Encapsulation::kUetUdpIpv6, parts).frame, Bytes(14 + 40 + 8 + 56 + 4096 + 4 + 4));
  EXPECT_EQ(uet_sizes(Encapsulation::kUetUdpIpv4, parts).wire, Bytes(4202 + 20));
}

TEST(UetSizes, AnEntropyHeaderIsFourBytesShorterThanUdp) {
  const UetPacketParts parts{.headers = Bytes(56), .payload = Bytes(1024)};
  EXPECT_EQ(uet_sizes(Encapsulation::kUetIpv4, parts).frame + Bytes(4),
            uet_sizes(Encapsulation::kUetUdpIpv4, parts).frame);
  EXPECT_EQ(uet_sizes(Encapsulation::kUetIpv6, parts).frame + Bytes(4),
            uet_sizes(Encapsulation::kUetUdpIpv6, parts).frame);
}

TEST(UetSizes, ShortPacketsArePadded) {
  EXPECT_EQ(uet_sizes(Encapsulation::kUetUdpIpv4, {.headers = Bytes(12)}).frame, Bytes(64));
}

static_assert(is_uet(Encapsulation::kUetUdpIpv4) && is_uet(Encapsulation::kUetIpv6) &&
              !is_uet(Encapsulation::kTcpIpv4));

}  // namespace
}  // namespace weft::wire
