#include "wire/memory_format.h"

#include <gtest/gtest.h>

namespace weft::wire {
namespace {

constexpr MemoryFormat kFlits{.unit = 4096, .packet_payload = 256, .flit = 16, .data_header = 16};

TEST(MemoryFormat, AUnitTakesAsMuchAsItsWirePackets) {
  for (const std::uint32_t size : {256U, 512U, 4096U}) {
    EXPECT_EQ(data_wire_bytes(kFlits, size), size / 256 * data_wire_bytes(kFlits, 256)) << size;
  }
  EXPECT_EQ(data_wire_bytes(kFlits, 256), 256U + 16U);
}

TEST(MemoryFormat, WhatIsShortIsPaddedToWholeFlits) {
  EXPECT_EQ(data_wire_bytes(kFlits, 1), 32U);
  EXPECT_EQ(data_wire_bytes(kFlits, 16), 32U);
  EXPECT_EQ(data_wire_bytes(kFlits, 257), 272U + 32U);
}

TEST(MemoryFormat, NothingStillTakesAHeader) {
  EXPECT_EQ(data_wire_bytes(kFlits, 0), kFlits.data_header);
  EXPECT_EQ(request_wire_bytes(kFlits, 0), kFlits.request_header);
}

TEST(MemoryFormat, ALoadAsksOncePerWirePacket) {
  EXPECT_EQ(request_wire_bytes(kFlits, 4096), 4096U / 256U * kFlits.request_header);
  EXPECT_EQ(request_wire_bytes(kFlits, 64), kFlits.request_header);
}

TEST(MemoryFormat, TheLinksOwnShareLengthensEverything) {
  MemoryFormat format = kFlits;
  format.link_efficiency = Probability::from_ratio({.numerator = 4, .denominator = 5});
  EXPECT_EQ(data_wire_bytes(format, 4096), (data_wire_bytes(kFlits, 4096) * 5 + 3) / 4);
  EXPECT_EQ(ack_wire_bytes(format), 20U);
  const double share = static_cast<double>(payload_share(format).raw()) / static_cast<double>(Probability::kOne);
  EXPECT_NEAR(share, 256.0 / 272.0 * 0.8, 1e-4);
}

}  // namespace
}  // namespace weft::wire
