#include "study/tuning/tuning_formulas.h"

#include <gtest/gtest.h>

namespace weft::study::tuning {
namespace {

/// The switch of the DCQCN paper: 12 MB, 32 ports, 8 priorities, headroom of 22.4 kB each, beta 8.
constexpr std::int64_t kGroups = 32 * 8;
constexpr DynamicThreshold kTrident = {
    .pool = Bytes(12'000'000 - kGroups * 22'400), .reserve = Bytes(0), .alpha_shift = 3};

TEST(TuningFormulas, MarkBeforePauseIsThePublishedBoundOfTheDcqcnPaper) {
  EXPECT_EQ(mark_before_pause(kTrident, CrowdedPorts{kGroups}).count(), 21'755);  // 21.75 kB in the paper
}

TEST(TuningFormulas, APauseComesWhenTheGroupHoldsAlphaTimesWhatIsLeft) {
  const Bytes held = pause_threshold(kTrident, CrowdedPorts{1});
  const std::int64_t left = kTrident.pool.count() - held.count();
  EXPECT_NEAR(static_cast<double>(held.count()), 8.0 * static_cast<double>(left), 8);
}

TEST(TuningFormulas, MoreCrowdedPortsPauseEarlier) {
  EXPECT_LT(pause_threshold(kTrident, CrowdedPorts{32}), pause_threshold(kTrident, CrowdedPorts{2}));
}

/// DCQCN at 40 Gb/s as published.
DcqcnFormula paper() {
  return {.line = 40_gbps,
          .packet = Bytes(1'000),
          .kmin = Bytes(5'000),
          .kmax = Bytes(200'000),
          .pmax = Probability::from_ratio({.numerator = 1, .denominator = 100}),
          .cnp_interval = 50_us,
          .increase_timer = 55_us,
          .byte_counter = Bytes(10'000'000),
          .additive_increase = 40_mbps};
}

TEST(TuningFormulas, RecoveryHalvesTheDistanceOncePerTimer) {
  EXPECT_EQ(recovery_time(paper()), 55_us * 6);  // 1/2 to 1/128 of the line
}

TEST(TuningFormulas, TheClimbTakesHalfOfTheLineInAdditiveSteps) { EXPECT_EQ(additive_climb(paper()), 55_us * 500); }

TEST(TuningFormulas, TheQueueOfTheFixedPointGrowsWithTheSendersUntilTheRampEnds) {
  const FixedPoint two = fixed_point(paper(), 2);
  const FixedPoint ten = fixed_point(paper(), 10);
  ASSERT_TRUE(two.queue && ten.queue);
  EXPECT_LT(*two.queue, *ten.queue);
  EXPECT_FALSE(fixed_point(paper(), 20).queue);  // p of 2 % is beyond Pmax of 1 %
}

TEST(TuningFormulas, StepsThatFollowTheLineNeedTheSameTimeAtEveryRate) {
  DcqcnFormula fast = paper();
  fast.line = 400_gbps;
  fast.additive_increase = 400_mbps;
  EXPECT_EQ(additive_climb(fast), additive_climb(paper()));
}

}  // namespace
}  // namespace weft::study::tuning
