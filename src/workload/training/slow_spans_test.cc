#include "workload/training/slow_spans.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

constexpr Probability kHalf = Probability::from_ratio({.numerator = 1, .denominator = 2});
constexpr Probability kQuarter = Probability::from_ratio({.numerator = 1, .denominator = 4});

Time at(Duration since) { return Time::zero() + since; }

TEST(SlowSpans, WorkOutsideOfThemTakesItsOwnTime) {
  const SlowSpans slow({{.from = at(10_ms), .until = at(20_ms), .speed = kHalf}});
  EXPECT_EQ(slow.stretch(10_ms, at(0_ms)), 10_ms);
  EXPECT_EQ(slow.stretch(7_ms, at(20_ms)), 7_ms);
  EXPECT_EQ(SlowSpans().stretch(3_ms, at(1_ms)), 3_ms);
  EXPECT_TRUE(SlowSpans().empty());
}

TEST(SlowSpans, WorkInsideTakesAsMuchLongerAsSpeedIsLost) {
  const SlowSpans slow({{.from = at(10_ms), .until = at(20_ms), .speed = kHalf}});
  EXPECT_EQ(slow.stretch(3_ms, at(12_ms)), 6_ms);
  const SlowSpans always({{.from = Time::zero(), .speed = kQuarter}});
  EXPECT_EQ(always.stretch(5_ms, at(1_s)), 20_ms);
}

// 4 ms before, 10 ms in which half is done, the rest behind.
TEST(SlowSpans, WorkAcrossOneIsWhatEachPartTakes) {
  const SlowSpans slow({{.from = at(10_ms), .until = at(20_ms), .speed = kHalf}});
  EXPECT_EQ(slow.stretch(12_ms, at(6_ms)), 4_ms + 10_ms + 3_ms);
}

TEST(SlowSpans, WhereTheyOverlapTheSlowestCounts) {
  const SlowSpans slow({{.from = at(10_ms), .until = at(30_ms), .speed = kHalf},
                        {.from = at(20_ms), .until = at(40_ms), .speed = kQuarter}});
  ASSERT_EQ(slow.spans().size(), 2U);
  EXPECT_EQ(slow.spans()[0].until, at(20_ms));
  EXPECT_EQ(slow.spans()[1].speed, kQuarter);
  // 5 ms of work in the first 10 ms, 5 ms in the 20 behind.
  EXPECT_EQ(slow.stretch(10_ms, at(10_ms)), 30_ms);
}

}  // namespace
}  // namespace weft::workload
