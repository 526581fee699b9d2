#include "transport/tcp/rtt_estimator.h"

#include <gtest/gtest.h>

#include "transport/tcp/rate_reduction.h"
#include "transport/tcp/tcp_types.h"

namespace weft::transport {
namespace {

using namespace weft::literals;

constexpr RttEstimator::Limits kLimits{.initial = 1_s, .minimum = 1_ms, .maximum = 60_s};

//= rfc6298 2
TEST(RttEstimator, TheFirstSampleSetsBothAndLaterOnesAreWeighed) {
  RttEstimator rtt;
  rtt.start(kLimits);
  EXPECT_EQ(rtt.timeout(), 1_s);
  rtt.add(80_ms, kLimits);
  EXPECT_EQ(rtt.smoothed(), 80_ms);
  EXPECT_EQ(rtt.timeout(), 80_ms + 4 * 40_ms);
  rtt.add(160_ms, kLimits);
  // Variation 3/4 * 40 + 1/4 * 80, then smoothed 7/8 * 80 + 1/8 * 160.
  EXPECT_EQ(rtt.smoothed(), 90_ms);
  EXPECT_EQ(rtt.timeout(), 90_ms + 4 * 50_ms);
  EXPECT_EQ(rtt.minimum(), 80_ms);
}

//= rfc6298 2
TEST(RttEstimator, TheTimeoutStaysWithinItsLimits) {
  RttEstimator rtt;
  rtt.start(kLimits);
  for (int i = 0; i < 100; ++i) {
    rtt.add(10_us, kLimits);
  }
  EXPECT_EQ(rtt.timeout(), 1_ms);
  rtt.add(1'000_s, kLimits);
  EXPECT_EQ(rtt.timeout(), 60_s);
}

//= rfc6937 3
TEST(RateReduction, SendsInProportionUntilTheGoalIsReached) {
  RateReduction reduction;
  reduction.start({.flight = 10'000, .threshold = 5'000});
  std::int64_t in_flight = 9'000;  // one segment of 1000 is lost
  std::int64_t sent = 0;
  for (int i = 0; i < 9; ++i) {
    in_flight -= 1'000;
    const std::int64_t window = reduction.window({.delivered = 1'000, .in_flight = in_flight, .segment = 1'000});
    while (in_flight + 1'000 <= window) {
      in_flight += 1'000;
      sent += 1'000;
      reduction.on_sent(1'000);
    }
  }
  EXPECT_EQ(in_flight, 5'000);
  EXPECT_EQ(sent, 5'000);
}

TEST(RateReduction, TheFirstRetransmissionLeavesAtOnce) {
  RateReduction reduction;
  reduction.start({.flight = 10'000, .threshold = 2'000});
  EXPECT_EQ(reduction.window({.delivered = 0, .in_flight = 9'000, .segment = 1'000}), 10'000);
}

//= rfc9293 3.4
TEST(TcpSequenceMap, NumbersComeBackAcrossTheWrap) {
  const TcpSequenceMap map{.initial = 0xFFFF'FF00};
  for (const TcpSequence sequence : {0LL, 255LL, 256LL, 1LL << 31, (1LL << 32) - 1, 1LL << 32, 5LL << 33}) {
    EXPECT_EQ(map.from_wire(map.to_wire(sequence), sequence + 1'000'000), sequence);
    EXPECT_EQ(map.from_wire(map.to_wire(sequence), sequence - 1'000'000), sequence);
  }
}

}  // namespace
}  // namespace weft::transport
