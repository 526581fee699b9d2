#include "base/rate.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace weft {
namespace {

TEST(Rate, UnitsAreAThousandApart) {
  EXPECT_EQ(1_kbps, 1000_bps);
  EXPECT_EQ(1_mbps, 1000 * 1_kbps);
  EXPECT_EQ(1_gbps, 1000 * 1_mbps);
  EXPECT_EQ(1_tbps, 1000 * 1_gbps);
}

TEST(Rate, PacketOf4096BytesTakes81920PicosecondsAt400Gbps) {
  EXPECT_EQ((400_gbps).transmit_time(4_kib), 81'920_ps);
  static_assert((400_gbps).transmit_time(4_kib) == 81'920_ps);
}

TEST(Rate, TransmitTimeRoundsUp) {
  // One byte at 3 bit/s takes 8/3 s.
  EXPECT_EQ((3_bps).transmit_time(1_bytes), 2'666'666'666'667_ps);
  EXPECT_EQ(Rate::max().transmit_time(1_bytes), 1_ps);
  EXPECT_EQ((1_bps).transmit_time(0_bytes), Duration::zero());
}

// The time is the smallest one in which the rate carries the size.
void expect_tight(Rate rate, Bytes size) {
  const auto needed = static_cast<Uint128>(size.count()) * 8 * 1'000'000'000'000;
  const auto time = static_cast<Uint128>(rate.transmit_time(size).picoseconds());
  const auto speed = static_cast<Uint128>(rate.bits_per_second());
  EXPECT_GE(time * speed, needed) << rate << ' ' << size;
  EXPECT_LT((time - 1) * speed, needed) << rate << ' ' << size;
}

TEST(Rate, TransmitTimeIsTheSmallestThatSufficesOnBothSidesOfTheNarrowPath) {
  for (const Rate rate : {1_gbps, 400_gbps, 7'777_bps * 1'000'003, Rate::max()}) {
    for (std::int64_t bytes = 1'152'900; bytes < 1'152'940; ++bytes) {
      expect_tight(rate, Bytes(bytes));
    }
  }
}

TEST(Rate, TransmitTimeIsTheSmallestThatSufficesForRandomSizes) {
  RandomStream random(1, "rate");
  for (int i = 0; i < 20'000; ++i) {
    const Rate rate = Rate::bits_per_second(random.uniform_between({.low = 1'000'000, .high = 10'000'000'000'000}));
    expect_tight(rate, Bytes(random.uniform_between({.low = 1, .high = 1'000'000'000'000})));
  }
}

TEST(Rate, BytesInTransmitTimeAreAtLeastTheSize) {
  RandomStream random(2, "rate");
  for (int i = 0; i < 20'000; ++i) {
    const Rate rate = Rate::bits_per_second(random.uniform_between({.low = 1'000'000, .high = 1'000'000'000'000}));
    const Bytes size(random.uniform_between({.low = 1, .high = 1'000'000'000}));
    const Duration time = rate.transmit_time(size);
    EXPECT_GE(rate.bytes_in(time), size);
    EXPECT_LT(rate.bytes_in(time - 1_ps), size);
  }
}

TEST(Rate, BytesInALongSpanDoNotOverflow) {
  EXPECT_EQ((400_gbps).bytes_in(Duration::seconds(9'000'000)), 9'000'000 * 50_gb);
}

TEST(Rate, AverageRateOfWholeSpansIsExact) {
  EXPECT_EQ(average_rate(50_gb, 1_s), 400_gbps);
  EXPECT_EQ(average_rate(1_bytes, Duration::seconds(3)), 2_bps);
}

#if defined(WEFT_DCHECKS)
TEST(RateDeathTest, NothingIsSentAtRateZero) {
  EXPECT_DEATH((void)Rate::zero().transmit_time(1_bytes), "bits_per_second_ > 0");
}
#endif

}  // namespace
}  // namespace weft
