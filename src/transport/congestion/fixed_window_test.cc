#include "transport/congestion/fixed_window.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

TEST(FixedWindow, StaysAsItIsWhateverHappens) {
  FixedWindow control(Bytes(12'345));
  for (int i = 0; i < 10; ++i) {
    const Time now = Time::zero() + Duration::microseconds(i);
    control.on_ack({.rtt = Duration::microseconds(5), .acknowledged = Bytes(1'000), .marked = true}, now);
    control.on_congestion(now);
    control.on_transmit(Bytes(1'000), now);
    EXPECT_EQ(control.window(now), Bytes(12'345));
    EXPECT_EQ(control.pacing_rate(now), Rate::zero());
  }
}

TEST(FixedWindowDeathTest, NeedsRoomForSomething) { EXPECT_DEATH(FixedWindow(Bytes::zero()), "window"); }

}  // namespace
}  // namespace weft::transport
