// The link CRCs and CRC-32C; the ICRC is tested with whole frames (frame_crc_test.cc).
#include <gtest/gtest.h>

#include "wire/crc16.h"
#include "wire/crc32c.h"
#include "wire/flow_control_packet.h"
#include "wire/test_bytes.h"

namespace weft::wire {
namespace {

/// The definition, bit by bit: what the table must agree with.
std::uint16_t slow_crc16(std::span<const std::byte> bytes) {
  unsigned state = 0xFFFF;
  for (const auto byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto in = (std::to_integer<unsigned>(byte) >> bit) & 1U;
      state = ((state ^ in) & 1U) != 0 ? (state >> 1) ^ 0xD008U : state >> 1;
    }
  }
  return static_cast<std::uint16_t>(~state);
}

std::uint32_t slow_crc32c(std::span<const std::byte> bytes) {
  std::uint32_t state = 0xFFFFFFFF;
  for (const auto byte : bytes) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto in = (std::to_integer<std::uint32_t>(byte) >> bit) & 1U;
      state = ((state ^ in) & 1U) != 0 ? (state >> 1) ^ 0x82F63B78U : state >> 1;
    }
  }
  return ~state;
}

/// 0xD008 is 0x100B with its 16 bits reversed.
//= ibta-1.7 7.8.2
TEST(LinkCrc16, PolynomialIsTheSpecifiedOneReflected) {
  unsigned reflected = 0;
  for (unsigned bit = 0; bit < 16; ++bit) {
    reflected |= ((0x100BU >> bit) & 1U) << (15 - bit);
  }
  EXPECT_EQ(detail::kCrc16Reflected, reflected);
}

TEST(LinkCrc16, TableAgreesWithTheDefinitionInAnyPieces) {
  RandomStream random(1, "crc16");
  for (std::size_t size = 0; size < 100; ++size) {
    const auto bytes = random_bytes(random, size);
    const auto cut = static_cast<std::size_t>(random.uniform(size + 1));
    const auto all = std::span<const std::byte>(bytes);
    EXPECT_EQ(LinkCrc16().add(all.first(cut)).add(all.subspan(cut)).value(), slow_crc16(bytes));
  }
}

//= rfc3720 B.4
TEST(Crc32c, HasTheCheckValue) {
  EXPECT_EQ(Crc32c().add(bytes_of("313233343536373839")).value(), 0xE3069283);
  EXPECT_EQ(Crc32c().add(ByteVector(32)).value(), 0x8A9136AA);
  EXPECT_EQ(Crc32c().add(ByteVector(32, std::byte{0xFF})).value(), 0x62A8AB43);
}

TEST(Crc32c, TablesAgreeWithTheDefinitionInAnyPieces) {
  RandomStream random(1, "crc32c");
  for (std::size_t size = 0; size < 100; ++size) {
    const auto bytes = random_bytes(random, size);
    const auto cut = static_cast<std::size_t>(random.uniform(size + 1));
    const auto all = std::span<const std::byte>(bytes);
    EXPECT_EQ(Crc32c().add(all.first(cut)).add(all.subspan(cut)).value(), slow_crc32c(bytes));
  }
}

//= ibta-1.7 7.9.4
TEST(FlowControlPacket, HasItsFieldsInWireOrder) {
  const FlowControlPacket packet{.operation = FlowControlPacket::Operation::kInitialise,
                                 .total_blocks_sent = 0x234,
                                 .virtual_lane = 5,
                                 .credit_limit = 0x678,
                                 .lpcrc = 0xABCD};
  EXPECT_EQ(emitted(packet), bytes_of("1234 5678 CDAB"));
}

TEST(FlowControlPacket, LpcrcCoversTheFirstFourBytes) {
  FlowControlPacket packet{.total_blocks_sent = 0x234, .virtual_lane = 5, .credit_limit = 0x678};
  packet.lpcrc = packet.compute_lpcrc();
  EXPECT_EQ(packet.lpcrc, slow_crc16(bytes_of("0234 5678")));
  EXPECT_TRUE(packet.lpcrc_ok());
  packet.credit_limit ^= 1;
  EXPECT_FALSE(packet.lpcrc_ok());
}

/// Lane 15 carries management packets and is never flow controlled.
//= ibta-1.7 7.9
TEST(FlowControlPacket, RefusesReservedOperationsAndTheManagementLane) {
  EXPECT_EQ(FlowControlPacket::parse(bytes_of("2000 0000 0000")).error().message,
            "flow control operation is 2, must be 0 (normal) or 1 (initialise)");
  EXPECT_EQ(FlowControlPacket::parse(bytes_of("0000 F000 0000")).error().message,
            "flow control of virtual lane 15, must be 0 to 14");
}

}  // namespace
}  // namespace weft::wire
