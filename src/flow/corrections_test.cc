#include "flow/corrections.h"

#include <gtest/gtest.h>

namespace weft::flow {
namespace {

constexpr double kPathRate = 1e9;
constexpr double kRoundTripBits = 1e6;  // of a millisecond at a gigabit per second

WindowStart start_with(double window) { return {.window = window, .growth = 2, .rate = kPathRate, .round_trip = 1_ms}; }

TEST(WindowWait, IsNothingOnceTheWindowCoversARoundTrip) {
  EXPECT_EQ(window_wait(start_with(kRoundTripBits), 1e9), Duration::zero());
}

TEST(WindowWait, IsNothingForAMessageThatOneWindowHolds) {
  EXPECT_EQ(window_wait(start_with(1e5), 1e5), Duration::zero());
}

/// Half a round trip is idle after the first window; the second covers it.
TEST(WindowWait, IsTheIdleRestOfEachRoundTrip) {
  EXPECT_EQ(window_wait(start_with(kRoundTripBits / 2), 1e9), 500_us);
  EXPECT_EQ(window_wait(start_with(kRoundTripBits / 4), 1e9), 750_us + 500_us);
}

/// 1/4 and 1/2 of a round trip are sent before the window covers it, and the message ends with the second.
TEST(WindowWait, EndsWithTheMessage) {
  EXPECT_EQ(window_wait(start_with(kRoundTripBits / 4), kRoundTripBits * 3 / 4), 750_us);
}

}  // namespace
}  // namespace weft::flow
