#include "host/lane_scheduler.h"

#include <gtest/gtest.h>

namespace weft::host {
namespace {

using Sent = std::array<std::uint64_t, 16>;

/// Bytes by lane, of so many packets where the lanes `open` always have data; frames of lane l are `frames`[l] long.
Sent sent(LaneScheduler& scheduler, std::uint32_t open, int packets, const std::array<std::uint32_t, 16>& frames) {
  Sent made{};
  for (int i = 0; i < packets; ++i) {
    const std::uint32_t lane = scheduler.pick(open);
    made[lane] += frames[lane];
    scheduler.charge(frames[lane]);
  }
  return made;
}

std::array<std::uint32_t, 16> all_of(std::uint32_t bytes) {
  std::array<std::uint32_t, 16> made{};
  made.fill(bytes);
  return made;
}

double ratio(std::uint64_t a, std::uint64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

TEST(LaneScheduler, PrioritiesShareByWeightWhateverTheLengthOfTheirFrames) {
  LaneScheduler scheduler(PriorityWeights{.of = {0, 1, 3, 1, 0, 0, 0, 0}});
  auto frames = all_of(4'096);
  frames[2] = 1'100;
  const Sent made = sent(scheduler, 0b1110, 20'000, frames);
  EXPECT_NEAR(ratio(made[2], made[1]), 3, 0.01);
  EXPECT_NEAR(ratio(made[3], made[1]), 1, 0.01);
}

TEST(LaneScheduler, WithoutAWeightAPriorityIsStrict) {
  LaneScheduler scheduler(PriorityWeights{.of = {1, 1, 0, 1, 0, 1, 1, 1}});
  EXPECT_EQ(scheduler.pick(0b11111), 4U);
  EXPECT_EQ(scheduler.pick(0b11101111), 2U) << "weighted ones of a higher number come after it";
  EXPECT_EQ(scheduler.pick(0b1000), 3U);
}

TEST(LaneScheduler, StrictPacketsBetweenThemDoNotChangeShares) {
  LaneScheduler scheduler(PriorityWeights{.of = {1, 2, 0, 0, 0, 0, 0, 0}});
  Sent made{};
  for (int i = 0; i < 30'000; ++i) {
    const std::uint32_t lane = scheduler.pick(i % 3 == 0 ? 0b111U : 0b011U);
    made[lane] += 4'096;
    scheduler.charge(4'096);
  }
  EXPECT_EQ(made[2], 10'000U * 4'096);
  EXPECT_NEAR(ratio(made[1], made[0]), 2, 0.01);
}

TEST(LaneScheduler, WhoHadNothingToSendHasSavedNothing) {
  LaneScheduler scheduler(PriorityWeights{.of = {1, 1, 0, 0, 0, 0, 0, 0}});
  (void)sent(scheduler, 0b01, 1'000, all_of(4'096));
  const Sent made = sent(scheduler, 0b11, 1'000, all_of(4'096));
  EXPECT_NEAR(ratio(made[1], made[0]), 1, 0.01);
}

TEST(LaneScheduler, VirtualLanesGoByTheTablesOfThePort) {
  LaneScheduler low(fabric::VlArbitration{.high = {}, .low = {{0, 64}, {1, 192}}});
  const Sent shared = sent(low, 0b11, 10'000, all_of(4'096));
  EXPECT_NEAR(ratio(shared[1], shared[0]), 3, 0.02);
  LaneScheduler high(fabric::VlArbitration{.high = {{1, 64}}, .low = {{0, 64}}});
  EXPECT_EQ(sent(high, 0b11, 100, all_of(4'096))[0], 0U);
  EXPECT_EQ(high.pick(0b01), 0U);
  EXPECT_EQ(high.pick(0b1000), 3U) << "in no table, and alone";
}

}  // namespace
}  // namespace weft::host
