#include "study/failures/checkpoint_formula.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::study::failures {
namespace {

constexpr CheckpointTerms kTerms{.time = 100, .restart = 600, .mean_between = 3 * 3600.0};

TEST(CheckpointFormula, YoungsIntervalIsTheRootOfTwiceTheProduct) {
  EXPECT_DOUBLE_EQ(young_interval(kTerms), std::sqrt(2 * 100 * 10800.0));
}

TEST(CheckpointFormula, DalysIntervalIsNearlyTheBest) {
  const double best = best_interval(kTerms);
  EXPECT_NEAR(daly_interval(kTerms) / best, 1, 0.002);
  EXPECT_GE(efficiency(kTerms, best), efficiency(kTerms, daly_interval(kTerms)));
  EXPECT_GT(efficiency(kTerms, best), efficiency(kTerms, best * 1.1));
  EXPECT_GT(efficiency(kTerms, best), efficiency(kTerms, best / 1.1));
  // Young's is larger by about the time to write.
  EXPECT_GT(young_interval(kTerms), best);
}

TEST(CheckpointFormula, WhereFailuresAreRareItIsFirstOrder) {
  // 1 - time/interval - interval/(2 M) - R/M, to first order.
  const CheckpointTerms rare{.time = 1, .restart = 10, .mean_between = 1e6};
  const double interval = young_interval(rare);
  const double first = 1 - rare.time / interval - interval / (2 * rare.mean_between) - rare.restart / rare.mean_between;
  EXPECT_NEAR(efficiency(rare, interval), first, 1e-5);
}

TEST(CheckpointFormula, WhereACheckpointTakesLongerThanTwiceTheMeanTheIntervalIsTheMean) {
  EXPECT_EQ(daly_interval({.time = 50, .restart = 0, .mean_between = 20}), 20);
  EXPECT_EQ(best_interval({.time = 0, .restart = 0, .mean_between = 20}), 0);
}

TEST(CheckpointFormula, AvailabilityOfSeveralIsBinomial) {
  EXPECT_DOUBLE_EQ(binomial_availability(1, 1, 0.9), 0.9);
  EXPECT_NEAR(binomial_availability(2, 1, 0.9), 1 - 0.1 * 0.1, 1e-12);
  EXPECT_NEAR(binomial_availability(4, 3, 0.9), std::pow(0.9, 4) + 4 * std::pow(0.9, 3) * 0.1, 1e-12);
  EXPECT_DOUBLE_EQ(binomial_availability(5, 0, 0.3), 1);
}

}  // namespace
}  // namespace weft::study::failures
