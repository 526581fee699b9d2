#include <gtest/gtest.h>

#include <cmath>

#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"

namespace weft::transport {
namespace {

using namespace weft::literals;

constexpr std::int64_t kSegment = 1'000;

template <class Control>
Control started() {
  Control control;
  control.start({.segment = Bytes(kSegment), .initial_window = Bytes(10 * kSegment)});
  return control;
}

/// One round trip of acknowledgements for the whole window, one a segment.
void round_trip(TcpCongestionControl& control, Time& now, Duration rtt, bool marked = false) {
  const std::int64_t segments = control.window().count() / kSegment;
  for (std::int64_t i = 0; i < segments; ++i) {
    now += rtt / segments;
    control.on_tcp_ack({.rtt = rtt,
                        .smoothed_rtt = rtt,
                        .minimum_rtt = rtt,
                        .acknowledged = Bytes(kSegment),
                        .sequence = now.picoseconds(),  // any numbers that pass at the rate of the data
                        .next = (now + rtt).picoseconds(),
                        .may_grow = true,
                        .echoes_mark = marked},
                       now);
  }
}

//= rfc5681 3.1
TEST(NewReno, SlowStartDoublesAndAvoidanceAddsASegmentEachRoundTrip) {
  auto control = started<NewReno>();
  Time now;
  round_trip(control, now, 1_ms);
  EXPECT_EQ(control.window(), Bytes(20 * kSegment));
  control.on_fast_recovery(Bytes(20 * kSegment), now);
  EXPECT_EQ(control.window(), Bytes(10 * kSegment));
  EXPECT_EQ(control.ssthresh(), Bytes(10 * kSegment));
  for (int i = 1; i <= 5; ++i) {
    round_trip(control, now, 1_ms);
    EXPECT_EQ(control.window(), Bytes((10 + i) * kSegment));
  }
}

//= rfc5681 3.1
TEST(NewReno, ATimeoutLeavesOneSegmentAndRepeatedOnesTheSameThreshold) {
  auto control = started<NewReno>();
  control.on_retransmission_timeout(Bytes(10 * kSegment), Time::zero());
  EXPECT_EQ(control.window(), Bytes(kSegment));
  EXPECT_EQ(control.ssthresh(), Bytes(5 * kSegment));
  control.on_retransmission_timeout(Bytes(kSegment), Time::zero());
  EXPECT_EQ(control.ssthresh(), Bytes(5 * kSegment));
}

TEST(NewReno, AnUndoneReductionLeavesNoTrace) {
  auto control = started<NewReno>();
  control.on_fast_recovery(Bytes(10 * kSegment), Time::zero());
  control.on_undo(Time::zero());
  EXPECT_EQ(control.window(), Bytes(10 * kSegment));
  EXPECT_EQ(control.ssthresh(), TcpCongestionControl::kNoThreshold);
}

//= rfc5681 3.1
TEST(NewReno, TheThresholdIsAtLeastTwoSegments) {
  auto control = started<NewReno>();
  control.on_fast_recovery(Bytes(kSegment), Time::zero());
  EXPECT_EQ(control.window(), Bytes(2 * kSegment));
}

//= rfc5681 4.1
TEST(NewReno, APauseBringsBackTheInitialWindow) {
  auto control = started<NewReno>();
  Time now;
  round_trip(control, now, 1_ms);
  control.on_idle(now);
  EXPECT_EQ(control.window(), Bytes(10 * kSegment));
}

/// A window of 1000 segments that a loss has just lowered to 700.
Cubic after_loss(Time now) {
  Cubic control;
  control.start({.segment = Bytes(kSegment), .initial_window = Bytes(1'000 * kSegment)});
  control.on_fast_recovery(Bytes(1'000 * kSegment), now);
  return control;
}

//= rfc9438 4.6
TEST(Cubic, ALossLeavesSevenTenths) { EXPECT_EQ(after_loss(Time::zero()).window(), Bytes(700 * kSegment)); }

//= rfc9438 4.2
TEST(Cubic, TheMaximumIsReachedAgainAfterTheCubeRootOfTheDistance) {
  Time now;
  Cubic control = after_loss(now);
  round_trip(control, now, 100_ms);
  // K = cbrt(300 / 0.4) seconds.
  EXPECT_NEAR(control.time_to_maximum().seconds(), std::cbrt(300 / 0.4), 1e-5);
  while (now < Time::zero() + control.time_to_maximum()) {
    round_trip(control, now, 100_ms);
  }
  EXPECT_NEAR(static_cast<double>(control.window().count()), 1'000.0 * kSegment, 10.0 * kSegment);
}

//= rfc9438 4.2
TEST(Cubic, FollowsItsFunctionBeyondTheMaximum) {
  Time now;
  Cubic control = after_loss(now);
  while (now < Time::zero() + 16_s) {
    round_trip(control, now, 100_ms);
  }
  const double t = now.since_start().seconds() - std::cbrt(300 / 0.4);
  EXPECT_NEAR(static_cast<double>(control.window().count()) / kSegment, 1'000 + 0.4 * t * t * t, 30);
}

//= rfc9438 4.3
TEST(Cubic, OnAShortPathGrowsAsNewRenoWould) {
  Time now;
  Cubic control;
  control.start({.segment = Bytes(kSegment), .initial_window = Bytes(100 * kSegment)});
  control.on_fast_recovery(Bytes(100 * kSegment), now);
  for (int i = 0; i < 30; ++i) {
    round_trip(control, now, 20_us);
  }
  // 9/17 of a segment each round trip.
  EXPECT_NEAR(static_cast<double>(control.window().count()) / kSegment, 70 + 30 * 9.0 / 17, 1);
}

//= rfc9438 4.7
TEST(Cubic, FastConvergenceGivesWayBelowTheLastMaximum) {
  Time now;
  Cubic control = after_loss(now);
  EXPECT_EQ(control.maximum(), Bytes(1'000 * kSegment));
  control.on_fast_recovery(Bytes(700 * kSegment), now);
  EXPECT_EQ(control.maximum(), Bytes(700 * kSegment * 17 / 20));
}

//= rfc8257 3.3
TEST(Dctcp, AlphaFollowsTheShareOfMarks) {
  auto control = started<Dctcp>();
  Time now;
  EXPECT_EQ(control.alpha(), Probability::one());
  control.on_fast_recovery(Bytes(10 * kSegment), now);  // out of slow start
  for (int i = 0; i < 200; ++i) {
    round_trip(control, now, 1_ms);
  }
  EXPECT_LT(control.alpha(), Probability::from_ratio({.numerator = 1, .denominator = 1'000}));
  for (int i = 0; i < 200; ++i) {
    round_trip(control, now, 1_ms, true);
  }
  EXPECT_GT(control.alpha(), Probability::from_ratio({.numerator = 999, .denominator = 1'000}));
}

//= rfc8257 3.4
TEST(Dctcp, AMarkCutsHalfOfAlpha) {
  auto control = started<Dctcp>();
  control.on_congestion(Time::zero());  // alpha is 1
  EXPECT_EQ(control.window(), Bytes(5 * kSegment));
}

}  // namespace
}  // namespace weft::transport
