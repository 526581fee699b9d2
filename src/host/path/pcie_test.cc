#include "host/path/pcie.h"

#include <gtest/gtest.h>

#include "host/path/path_test_support.h"

namespace weft::host {
namespace {

using path_testing::pcie;

constexpr Rate gigabytes(std::int64_t count) { return 8_gbps * count; }

TEST(Pcie, RawRateIsThatOfTheLanesAfterLineCoding) {
  // 8, 16, 32 GT/s with 128b/130b; 64 GT/s with 242 of 256 bytes of a flit.
  EXPECT_NEAR(static_cast<double>(raw_rate(pcie(3)).bits_per_second()), 15.754e9 * 8, 0.01e9);
  EXPECT_NEAR(static_cast<double>(raw_rate(pcie(4)).bits_per_second()), 31.508e9 * 8, 0.01e9);
  EXPECT_NEAR(static_cast<double>(raw_rate(pcie(5)).bits_per_second()), 63.015e9 * 8, 0.01e9);
  EXPECT_NEAR(static_cast<double>(raw_rate(pcie(6)).bits_per_second()), 121e9 * 8, 0.1e9);
}

// What systems reach at a payload of 256 bytes: 12 to 13, 24 to 26, 50 to 56, about 105 GB/s.
TEST(Pcie, EffectiveRatesAreThoseOfRealSystems) {
  EXPECT_GE(write_rate(pcie(3)), gigabytes(12));
  EXPECT_LE(write_rate(pcie(3)), gigabytes(13));
  EXPECT_GE(write_rate(pcie(4)), gigabytes(24));
  EXPECT_LE(write_rate(pcie(4)), gigabytes(26));
  EXPECT_GE(write_rate(pcie(5)), gigabytes(50));
  EXPECT_LE(write_rate(pcie(5)), gigabytes(56));
  EXPECT_NEAR(static_cast<double>(write_rate(pcie(6)).bits_per_second()), 105e9 * 8, 1e9 * 8);
}

TEST(Pcie, SmallerPayloadsLeaveLess) {
  PcieOptions small = pcie(4);
  small.max_payload = 128_bytes;
  EXPECT_LT(write_rate(small), write_rate(pcie(4)));
  // Framing of 24 bytes for each 128 instead of each 256.
  const double expected = 128.0 / 152.0 / (256.0 / 280.0);
  EXPECT_NEAR(static_cast<double>(write_rate(small).bits_per_second()) /
                  static_cast<double>(write_rate(pcie(4)).bits_per_second()),
              expected, 1e-6);
}

TEST(Pcie, HalfTheLanesGiveHalfTheRate) {
  PcieOptions half = pcie(4);
  half.lanes = 8;
  EXPECT_NEAR(static_cast<double>(write_rate(half).bits_per_second()),
              static_cast<double>(write_rate(pcie(4)).bits_per_second()) / 2, 1);
}

TEST(Pcie, OutstandingReadsLimitADeviceToThatMuchPerRoundTrip) {
  PcieOptions few = pcie(5);
  few.outstanding_reads = 8_kib;
  EXPECT_EQ(read_rate(few), average_rate(8_kib, 500_ns));
  EXPECT_EQ(read_rate(pcie(5)), write_rate(pcie(5)));
}

TEST(Pcie, WithoutALaneRateNothingIsLimited) {
  EXPECT_EQ(write_rate(PcieOptions{}), Rate::max());
  EXPECT_EQ(read_rate(PcieOptions{}), Rate::max());
}

}  // namespace
}  // namespace weft::host
