// Microsoft's suite to verify receive-side scaling: addresses, ports, and the hash with and without ports.
#include "fabric/hash/toeplitz.h"

#include <gtest/gtest.h>

#include <array>

#include "fabric/hash/header_hash.h"

namespace weft::fabric {
namespace {

struct Ipv4Case {
  std::array<unsigned, 4> source;
  std::uint16_t source_port;
  std::array<unsigned, 4> destination;
  std::uint16_t destination_port;
  std::uint32_t addresses;
  std::uint32_t with_ports;
};

constexpr std::array<Ipv4Case, 5> kIpv4 = {{
    {{66, 9, 149, 187}, 2794, {161, 142, 100, 80}, 1766, 0x323e8fc2, 0x51ccc178},
    {{199, 92, 111, 2}, 14230, {65, 69, 140, 83}, 4739, 0xd718262a, 0xc626b0ea},
    {{24, 19, 198, 95}, 12898, {12, 22, 207, 184}, 38024, 0xd2d0a5de, 0x5c2b394a},
    {{38, 27, 205, 30}, 48228, {209, 142, 163, 6}, 2217, 0x82989176, 0xafc7327f},
    {{153, 39, 163, 191}, 44251, {202, 188, 127, 2}, 1303, 0x5d1809c5, 0x10e828a2},
}};

constexpr std::uint8_t kAddresses = kHashSource | kHashDestination;
constexpr std::uint8_t kWithPorts = kAddresses | kHashSourcePort | kHashDestinationPort;

TEST(HashToeplitz, IsThatOfTheVerificationSuiteForIpv4) {
  for (const Ipv4Case& expected : kIpv4) {
    HeaderFields headers;
    for (std::size_t i = 0; i < 4; ++i) {
      headers.source[i] = static_cast<std::byte>(expected.source[i]);
      headers.destination[i] = static_cast<std::byte>(expected.destination[i]);
    }
    headers.source_port = expected.source_port;
    headers.destination_port = expected.destination_port;
    EXPECT_EQ((HeaderHash{HashFunction::kToeplitz, kAddresses}.of(headers)), expected.addresses);
    EXPECT_EQ((HeaderHash{HashFunction::kToeplitz, kWithPorts}.of(headers)), expected.with_ports);
  }
}

HeaderFields ipv6(const std::array<unsigned, 16>& source, const std::array<unsigned, 16>& destination) {
  HeaderFields headers;
  headers.address_bytes = 16;
  for (std::size_t i = 0; i < 16; ++i) {
    headers.source[i] = static_cast<std::byte>(source[i]);
    headers.destination[i] = static_cast<std::byte>(destination[i]);
  }
  return headers;
}

TEST(HashToeplitz, IsThatOfTheVerificationSuiteForIpv6) {
  HeaderFields headers = ipv6({0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0x1f, 0xff, 0, 0, 0, 0, 0, 0, 0, 7},
                              {0x3f, 0xfe, 0x25, 0x01, 0x02, 0x00, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1});
  headers.source_port = 2794;
  headers.destination_port = 1766;
  EXPECT_EQ((HeaderHash{HashFunction::kToeplitz, kAddresses}.of(headers)), 0x2cc18cd5U);
  EXPECT_EQ((HeaderHash{HashFunction::kToeplitz, kWithPorts}.of(headers)), 0x40207d3dU);
}

}  // namespace
}  // namespace weft::fabric
