#include "transport/congestion/congestion_control.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using namespace literals;

/// Rests as it is told, and counts what it is asked.
class Counting : public CongestionControl {
 public:
  using CongestionControl::SteadyInterval;
  void on_ack(const AckSample&, Time) override {}
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override { ++transmitted; }
  [[nodiscard]] Bytes window(Time) override { return Bytes::max(); }
  [[nodiscard]] Rate pacing_rate(Time) override {
    ++asked;
    return rate;
  }
  void take_steady_interval(SteadyInterval limits) { set_steady(limits); }
  [[nodiscard]] Bytes left() const { return steady_bytes(); }

  Rate rate = 8_gbps;
  int transmitted = 0;
  int asked = 0;
};

TEST(CongestionControl, HearsOfEveryPacketUnlessItRests) {
  Counting control;
  EXPECT_TRUE(control.wants_acks());
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), 1_us);
    EXPECT_EQ(control.transmitted, i);
    EXPECT_EQ(control.asked, i);
  }
}

TEST(CongestionControl, ATrimmedPacketChangesNothingForOneThatDoesNotAskAfterIt) {
  Counting control;
  control.on_trim({.rtt = 10_us, .size = 4'150_bytes, .in_flight = 0_bytes}, Time::zero());
  EXPECT_EQ(control.window(Time::zero()), Bytes::max());
  EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), 1_us);
}

TEST(CongestionControl, RestEndsWithItsTime) {
  Counting control;
  const Time end = Time::zero() + 5_us;
  control.take_steady_interval({.until = end});
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(control.transmit(1'000_bytes, Time::zero() + 1_us * i), 1_us);
  }
  EXPECT_EQ(control.transmitted, 0);
  // The gap after the last of them reaches the end of the rest, where the rate may change.
  EXPECT_EQ(control.asked, 2);
  control.rate = 4_gbps;
  EXPECT_EQ(control.transmit(1'000_bytes, end), 2_us);
  EXPECT_EQ(control.transmitted, 1);
}

TEST(CongestionControl, RestEndsWithThePacketThatUsesUpItsBytes) {
  Counting control;
  control.take_steady_interval({.bytes = 3'000_bytes});
  (void)control.transmit(1'000_bytes, Time::zero());
  (void)control.transmit(1'999_bytes, Time::zero());
  EXPECT_EQ(control.transmitted, 0);
  EXPECT_EQ(control.left(), 1_bytes);
  (void)control.transmit(1_bytes, Time::zero());
  EXPECT_EQ(control.transmitted, 1);
}

TEST(CongestionControl, GapOfAnotherSizeIsAskedForInARest) {
  Counting control;
  control.take_steady_interval({});
  EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), 1_us);
  EXPECT_EQ(control.transmit(2'000_bytes, Time::zero()), 2_us);
  EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), 1_us);
  EXPECT_EQ(control.transmitted, 0);
}

TEST(CongestionControl, NewRestForgetsTheGap) {
  Counting control;
  control.take_steady_interval({});
  EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), 1_us);
  control.rate = Rate::zero();
  control.take_steady_interval({});
  EXPECT_EQ(control.transmit(1'000_bytes, Time::zero()), Duration::zero());
}

}  // namespace
}  // namespace weft::transport
