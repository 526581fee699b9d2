#include "transport/path/reps_path.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::transport {
namespace {

using namespace literals;

const Time kStart = Time::zero() + 1_ms;

/// Entropies outside of the range stand for those that were acknowledged: a random one is never taken for them.
RepsPath sixteen_paths() { return {{.range = {.base = 0xC000, .paths = 16}}, RandomStream(1, "flow")}; }

void acknowledge(RepsPath& path, std::uint16_t first, int count, Time now = kStart) {
  for (int i = 0; i < count; ++i) {
    path.on_ack(static_cast<std::uint16_t>(first + i), PathMark::kNone, now);
  }
}

bool is_random(std::uint16_t entropy) { return entropy >= 0xC000 && entropy < 0xC010; }

TEST(RepsPath, WithoutAcknowledgementsTakesRandomPaths) {
  RepsPath path = sixteen_paths();
  EXPECT_TRUE(path.wants_feedback());
  EXPECT_EQ(path.paths(), 16U);
  std::set<std::uint16_t> taken;
  for (int i = 0; i < 200; ++i) {
    taken.insert(path.entropy_for(Psn(0), kStart));
  }
  EXPECT_EQ(taken.size(), 16U);
  EXPECT_TRUE(is_random(*taken.begin()) && is_random(*taken.rbegin()));
}

TEST(RepsPath, UsesEachGoodEntropyOnceMoreTheOldestFirst) {
  RepsPath path = sixteen_paths();
  acknowledge(path, 1, 3);
  EXPECT_EQ(path.fresh(), 3U);
  EXPECT_EQ(path.entropy_for(Psn(0), kStart), 1);
  acknowledge(path, 4, 1);
  for (const int expected : {2, 3, 4}) {
    EXPECT_EQ(path.entropy_for(Psn(0), kStart), expected);
  }
  EXPECT_TRUE(is_random(path.entropy_for(Psn(0), kStart)));
}

TEST(RepsPath, CountsThePathsThatItTookAtRandom) {
  RepsPath path = sixteen_paths();
  (void)path.entropy_for(Psn(0), kStart);
  EXPECT_EQ(path.changes(), 1U);
  acknowledge(path, 1, 2);
  (void)path.entropy_for(Psn(0), kStart);
  (void)path.entropy_for(Psn(0), kStart);
  EXPECT_EQ(path.changes(), 1U) << "recycled";
  (void)path.entropy_for(Psn(0), kStart);
  EXPECT_EQ(path.changes(), 2U);
}

TEST(RepsPath, DoesNotRecycleAMarkedOne) {
  RepsPath path = sixteen_paths();
  path.on_ack(1, PathMark::kMarked, kStart);
  EXPECT_EQ(path.fresh(), 0U);
  EXPECT_TRUE(is_random(path.entropy_for(Psn(0), kStart)));
}

TEST(RepsPath, TheRingKeepsTheNewestEight) {
  RepsPath path = sixteen_paths();
  acknowledge(path, 1, 11);
  EXPECT_EQ(path.fresh(), 8U);
  for (std::uint16_t expected = 4; expected <= 11; ++expected) {
    EXPECT_EQ(path.entropy_for(Psn(0), kStart), expected);
  }
  EXPECT_TRUE(is_random(path.entropy_for(Psn(0), kStart)));
}

TEST(RepsPath, ATimeoutFreezesItToWhatTheRingHolds) {
  RepsPath path = sixteen_paths();
  acknowledge(path, 1, 3);
  EXPECT_EQ(path.entropy_for(Psn(0), kStart), 1);  // used, and kept all the same
  path.on_loss(0xC001, PathLoss::kTimeout, kStart);
  EXPECT_TRUE(path.is_frozen());
  for (int round = 0; round < 3; ++round) {
    for (const int expected : {1, 2, 3}) {
      EXPECT_EQ(path.entropy_for(Psn(0), kStart + 1_ms), expected);
    }
  }
  acknowledge(path, 9, 1);
  std::set<std::uint16_t> seen;
  for (int i = 0; i < 4; ++i) {
    seen.insert(path.entropy_for(Psn(0), kStart + 1_ms));
  }
  EXPECT_EQ(seen, (std::set<std::uint16_t>{1, 2, 3, 9}));
}

TEST(RepsPath, OtherLossesDoNotFreeze) {
  RepsPath path = sixteen_paths();
  path.on_loss(0xC001, PathLoss::kTrimmed, kStart);
  path.on_loss(0xC001, PathLoss::kOther, kStart);
  EXPECT_FALSE(path.is_frozen());
}

TEST(RepsPath, FreezingEndsAfterItsTimeAndSixteenPacketsExplore) {
  RepsPath path = sixteen_paths();
  acknowledge(path, 1, 3);
  path.on_loss(0xC001, PathLoss::kTimeout, kStart);
  (void)path.entropy_for(Psn(0), kStart + 10_ms);
  EXPECT_TRUE(path.is_frozen());
  acknowledge(path, 20, 2, kStart + 10_ms + 1_ns);
  EXPECT_FALSE(path.is_frozen());
  EXPECT_EQ(path.fresh(), 2U);  // the ring was emptied before
  path.on_loss(0xC001, PathLoss::kTimeout, kStart + 10_ms + 2_ns);
  EXPECT_FALSE(path.is_frozen());
  for (int i = 0; i < 16; ++i) {
    EXPECT_TRUE(is_random(path.entropy_for(Psn(0), kStart + 11_ms)));
  }
  EXPECT_EQ(path.entropy_for(Psn(0), kStart + 11_ms), 20);
  path.on_loss(0xC001, PathLoss::kTimeout, kStart + 11_ms);
  EXPECT_TRUE(path.is_frozen());
}

TEST(RepsPath, FrozenWithNothingToReuseTakesRandomPaths) {
  RepsPath path = sixteen_paths();
  path.on_loss(0xC001, PathLoss::kTimeout, kStart);
  EXPECT_TRUE(is_random(path.entropy_for(Psn(0), kStart)));
}

}  // namespace
}  // namespace weft::transport
