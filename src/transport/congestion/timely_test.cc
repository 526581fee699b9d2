#include "transport/congestion/timely.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

constexpr Rate kLine = 10_gbps;

TimelyParameters parameters() {
  return {.line_rate = kLine,
          .minimum_rate = 10_mbps,
          .additive_increase = 10_mbps,
          .base_round_trip = 20_us,
          .low_threshold = 50_us,
          .high_threshold = 500_us,
          .weight = Probability::from_ratio({.numerator = 7, .denominator = 8}),
          .decrease = Probability::from_ratio({.numerator = 4, .denominator = 5}),
          .hyper_after = 5,
          .hyper_multiple = 5,
          .segment = Bytes(16'384)};
}

/// A flow that is given one round trip per segment.
class Flow {
 public:
  explicit Flow(const TimelyParameters& from) : timely_(from) {}

  Rate segment(Duration round_trip) { return acknowledge(round_trip, Bytes(16'384)); }
  Rate acknowledge(Duration round_trip, Bytes size) {
    const wire::Telemetry telemetry{};
    timely_.on_ack({.rtt = round_trip, .acknowledged = size, .telemetry = &telemetry}, now_);
    return timely_.rate();
  }
  /// To a tenth of the line, by round trips far above the threshold, and then level.
  void slow_down() {
    while (timely_.rate() > kLine / 10) {
      segment(5_ms);
    }
  }
  Timely& timely() { return timely_; }

 private:
  Time now_;
  Timely timely_;
};

double relative(Rate part, Rate whole) {
  return static_cast<double>(part.bits_per_second()) / static_cast<double>(whole.bits_per_second());
}

TEST(Timely, StartsAtTheLineAndNeverExceedsIt) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  EXPECT_EQ(flow.timely().pacing_rate(Time::zero()), kLine);
  EXPECT_EQ(flow.segment(30_us), kLine);
}

// Algorithm 1, line 6: below T_low the rate grows by delta, however the round trip changes.
TEST(Timely, GrowsByOneStepBelowTheLowThreshold) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.slow_down();
  Rate before = flow.timely().rate();
  for (const Duration round_trip : {20_us, 30_us, 45_us, 21_us}) {
    const Rate after = flow.segment(round_trip);
    EXPECT_EQ(after, before + 10_mbps);
    before = after;
  }
}

// Line 8: above T_high the rate shrinks by beta (1 - T_high / rtt), even while the round trip falls.
TEST(Timely, CountsHowOftenItShrinks) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.segment(20_us);
  EXPECT_EQ(flow.timely().cuts(), 0U);
  flow.segment(1_ms);
  EXPECT_EQ(flow.timely().cuts(), 1U);
}

TEST(Timely, ShrinksByTheExcessAboveTheHighThreshold) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.segment(2_ms);
  const Rate before = flow.timely().rate();
  EXPECT_NEAR(relative(flow.segment(1_ms), before), 1 - 0.8 * (1 - 0.5), 1e-9);
}

// Line 14: between them the rate shrinks by beta times the gradient, the average change over minRTT.
TEST(Timely, ShrinksWithTheGradient) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.segment(100_us);
  const Rate first = flow.timely().rate();
  // The average is 7/8 of the change, 8 us: 7 us are 0.35 of minRTT.
  const Rate second = flow.segment(108_us);
  EXPECT_NEAR(relative(second, first), 1 - 0.8 * 0.35, 1e-9);
  // 1/8 of 7 us and 7/8 of 4 us: 4.375 us.
  EXPECT_NEAR(relative(flow.segment(112_us), second), 1 - 0.8 * 4.375 / 20, 1e-9);
}

TEST(Timely, NeverShrinksByMoreThanTheDecreaseAtOnce) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.segment(100_us);
  EXPECT_NEAR(relative(flow.segment(400_us), kLine), 0.2, 1e-9);
}

// Lines 11 and 12, section 4.3.3: five segments in a row without a rising round trip, then five steps each.
TEST(Timely, TakesLargerStepsAfterFiveSegmentsThatDoNotRise) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.slow_down();
  for (int i = 0; i < 20; ++i) {
    flow.segment(400_us);  // the average forgets
  }
  flow.segment(450_us);  // it rises: the count begins anew
  Rate before = flow.timely().rate();
  EXPECT_EQ(flow.segment(60_us), before + 10_mbps);
  before = flow.timely().rate();
  for (int i = 0; i < 3; ++i) {
    const Rate after = flow.segment(60_us);
    EXPECT_EQ(after, before + 10_mbps) << i;
    before = after;
  }
  EXPECT_EQ(flow.segment(60_us), before + 50_mbps);
}

// Section 4.1: one sample for each completed segment.
TEST(Timely, TakesOneSampleForEachSegment) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  flow.slow_down();
  const Rate before = flow.timely().rate();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(flow.acknowledge(30_us, Bytes(4'096)), before);
  }
  EXPECT_EQ(flow.acknowledge(30_us, Bytes(4'096)), before + 10_mbps);
}

TEST(Timely, KeepsItsLeastRate) {
  const TimelyParameters from = parameters();
  Flow flow(from);
  for (int i = 0; i < 100; ++i) {
    flow.segment(100_ms);
  }
  EXPECT_EQ(flow.timely().rate(), 10_mbps);
}

TEST(Timely, IgnoresAcknowledgementsWithoutATimestamp) {
  const TimelyParameters from = parameters();
  Timely timely(from);
  timely.on_ack({.rtt = 5_ms, .acknowledged = Bytes(100'000)}, Time::zero());
  EXPECT_EQ(timely.rate(), kLine);
}

}  // namespace
}  // namespace weft::transport
