#include "study/compare/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::study::compare {
namespace {

TEST(Estimate, OfOneValueHasNoInterval) {
  const Estimate estimate = estimate_of(std::vector<double>{3});
  EXPECT_EQ(estimate.mean, 3);
  EXPECT_FALSE(estimate.low || estimate.high);
}

TEST(Estimate, IntervalIsStudents) {
  // Standard deviation 1, so half the interval is t(2) / sqrt(3).
  const Estimate estimate = estimate_of(std::vector<double>{11, 12, 13});
  EXPECT_DOUBLE_EQ(estimate.mean, 12);
  EXPECT_NEAR(*estimate.high - estimate.mean, 4.303 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(estimate.mean - *estimate.low, *estimate.high - estimate.mean, 1e-12);
}

TEST(Estimate, OfDurationsIsNotBelowZero) { EXPECT_EQ(*estimate_of(std::vector<double>{1, 2, 3}).low, 0); }

/// The defect: intervals that touched at their ends made steps alike whose means were a third apart.
TEST(Estimate, IsAlikeWhereAMeanIsWithinTheIntervalOfTheOther) {
  const Estimate narrow{.mean = 1, .low = 0.97, .high = 1.03};
  EXPECT_FALSE(is_alike(narrow, {.mean = 1.32, .low = 1.01, .high = 1.7}));
  EXPECT_TRUE(is_alike(narrow, {.mean = 1.2, .low = 0.9, .high = 1.5}));
  EXPECT_TRUE(is_alike({.mean = 1.02, .low = 1.01, .high = 1.03}, narrow));
  EXPECT_FALSE(is_alike(narrow, {.mean = 1.04, .low = {}, .high = {}}));
  EXPECT_TRUE(is_alike(narrow, {.mean = 1.02, .low = {}, .high = {}}));
}

}  // namespace
}  // namespace weft::study::compare
