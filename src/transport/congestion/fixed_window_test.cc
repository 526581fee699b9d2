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
    EXPECT_EQ(control.transmit(Bytes(1'000), now), Duration::zero());
    EXPECT_EQ(control.window(now), Bytes(12'345));
    EXPECT_EQ(control.pacing_rate(now), Rate::zero());
  }
}

TEST(FixedWindow, NeedsNoVirtualCallPerPacketOrAcknowledgement) {
  FixedWindow control(Bytes(12'345));
  EXPECT_FALSE(control.wants_acks());
  EXPECT_EQ(control.transmit(Bytes(1'000), Time::zero()), Duration::zero());
  EXPECT_TRUE(control.is_steady(Bytes(1'000), Time::zero() + Duration::seconds(1'000)));
}

TEST(FixedWindowDeathTest, NeedsRoomForSomething) { EXPECT_DEATH(FixedWindow{Bytes::zero()}, "window"); }

}  // namespace
}  // namespace weft::transport
