#include "transport/congestion/rccc_rate.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using namespace literals;
using Arrival = CreditRate::Arrival;

double value(Probability p) { return static_cast<double>(p.raw()) / static_cast<double>(Probability::kOne); }

/// A receiver whose intervals are ended one by one: none is longer than 1.25 x 1.5 round trips, none shorter than 0.75
/// x.
class Receiver {
 public:
  explicit Receiver(CreditRate::Parameters parameters = {.round_trip = 10_us})
      : rate(parameters, RandomStream(1, "receiver"), Time::zero()) {}

  /// Arrivals of one interval, and what the rate is after it.
  double interval(int unmarked, int marked = 0, int trimmed = 0, int trimmed_last_hop = 0) {
    for (int i = 0; i < unmarked; ++i)
      rate.on_arrival(Arrival::kUnmarked, now);
    for (int i = 0; i < marked; ++i)
      rate.on_arrival(Arrival::kMarked, now);
    for (int i = 0; i < trimmed; ++i)
      rate.on_arrival(Arrival::kTrimmed, now);
    for (int i = 0; i < trimmed_last_hop; ++i)
      rate.on_arrival(Arrival::kTrimmedLastHop, now);
    const double before = last;
    // The shortest steps that can end an interval, until this one has: something always changes here.
    for (int i = 0; i < 200 && last == before; ++i) {
      now += 100_ns;
      last = value(rate.part(now));
    }
    return last;
  }

  CreditRate rate;
  Time now;
  double last = 1;
};

TEST(CreditRate, IsTheWholeWhereNothingIsMarkedOrTrimmed) {
  Receiver receiver;
  EXPECT_EQ(receiver.rate.part(Time::zero()), Probability::one());
  for (int i = 0; i < 100; ++i)
    receiver.rate.on_arrival(Arrival::kUnmarked, Time::zero() + 1_us * i);
  EXPECT_EQ(receiver.rate.part(Time::zero() + 1_ms), Probability::one());
}

// Each interval in which nothing is marked doubles the increase, as far as to the whole.
TEST(CreditRate, StaysTheWholeHoweverLongNothingIsMarked) {
  Receiver receiver({.round_trip = 10_us, .least = Probability::from_ratio({.numerator = 1, .denominator = 5})});
  for (int i = 0; i < 2'000; ++i) {
    receiver.rate.on_arrival(Arrival::kUnmarked, Time::zero() + 1_us * i);
    ASSERT_EQ(receiver.rate.part(Time::zero() + 1_us * i), Probability::one()) << i;
  }
}

TEST(CreditRate, LosesTheShareOfPacketsTrimmedElsewhereThanAtTheLastHop) {
  Receiver receiver;
  EXPECT_NEAR(receiver.interval(70, 0, 20, 10), 0.8, 1e-12);
  EXPECT_NEAR(receiver.interval(90, 0, 10, 0), 0.7, 1e-12);
}

TEST(CreditRate, TrimsAtTheLastHopAloneAreTheSchedulersAffair) {
  Receiver receiver;
  for (int i = 0; i < 10; ++i)
    receiver.rate.on_arrival(Arrival::kTrimmedLastHop, Time::zero());
  EXPECT_EQ(receiver.rate.part(Time::zero() + 20_us), Probability::one());
}

TEST(CreditRate, AveragedMarksAboveThreeTenthsCostHalfOfTheExcess) {
  Receiver receiver;
  // All marked: the average is 1/2, then 3/4.
  EXPECT_NEAR(receiver.interval(0, 10), 1 - 0.2 * 0.5, 1e-12);
  EXPECT_NEAR(value(receiver.rate.averaged_marks()), 0.5, 1e-12);
  EXPECT_NEAR(receiver.interval(0, 10), 0.9 * (1 - 0.45 * 0.5), 1e-12);
}

TEST(CreditRate, GrowsByAHundredthTwiceAsMuchEachTimeWhileNothingIsMarked) {
  Receiver receiver;
  receiver.interval(50, 0, 50);
  double expected = receiver.last;
  ASSERT_NEAR(expected, 0.5, 1e-12);
  for (const double step : {0.01, 0.02, 0.04, 0.08}) {
    expected += step;
    EXPECT_NEAR(receiver.interval(10), expected, 1e-12);
  }
  // One mark in ten: the average stays below the target, and the step is the first one.
  expected += 0.01;
  EXPECT_NEAR(receiver.interval(9, 1), expected, 1e-12);
}

TEST(CreditRate, NeverBelowItsLeast) {
  Receiver receiver;
  receiver.interval(0, 0, 100);
  EXPECT_NEAR(receiver.last, 0.01, 1e-12);
}

TEST(CreditRate, IntervalsAreOneAndAHalfRoundTripsAQuarterMoreOrLess) {
  Receiver receiver;
  Time last = Time::zero();
  Duration shortest = 1_s;
  Duration longest = Duration::zero();
  for (int i = 0; i < 300; ++i) {
    // Growth and trims in turn change the rate with every interval.
    receiver.interval(i % 2 == 0 ? 9 : 10, 0, i % 2 == 0 ? 1 : 0);
    if (i > 0) {
      shortest = std::min(shortest, receiver.now - last);
      longest = std::max(longest, receiver.now - last);
    }
    last = receiver.now;
  }
  EXPECT_GE(shortest, 11'100_ns);
  EXPECT_LE(shortest, 12_us);
  EXPECT_GE(longest, 18_us);
  EXPECT_LE(longest, 18'900_ns);
}

TEST(CreditRate, ALongSilenceRestoresTheWhole) {
  Receiver receiver;
  receiver.interval(0, 0, 100);
  EXPECT_EQ(receiver.rate.part(receiver.now + 10_s), Probability::one());
}

}  // namespace
}  // namespace weft::transport
