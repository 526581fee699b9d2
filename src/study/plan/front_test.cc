#include "study/plan/front.h"

#include <gmock/gmock.h>

#include <limits>

namespace weft::study::plan {
namespace {

using ::testing::ElementsAre;

TEST(ParetoFront, HasWhatNothingBeats) {
  const std::vector<Criteria> designs = {{1, 5}, {2, 4}, {3, 4}, {5, 1}, {6, 6}};
  EXPECT_THAT(pareto_front(designs), ElementsAre(0, 1, 3));
}

TEST(ParetoFront, OfAlikeOnesHasTheFirst) {
  const std::vector<Criteria> designs = {{1, 1}, {1.001, 1}, {1, 1}};
  EXPECT_THAT(pareto_front(designs, 0.01), ElementsAre(0));
}

TEST(ParetoFront, WhatIsNotKnownIsWorse) {
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(dominates({1, 1}, {1, unknown}));
  EXPECT_FALSE(dominates({1, unknown}, {1, unknown}));
  EXPECT_FALSE(dominates({1, unknown}, {2, 1}));
}

// A little better than the next in one thing, and worse within the tolerance in the other, round about.
TEST(ParetoFront, IsNeverEmpty) {
  const std::vector<Criteria> designs = {{1.00, 1.2, 1.009}, {1.009, 1.00, 1.2}, {1.2, 1.009, 1.00}};
  EXPECT_FALSE(pareto_front(designs, 0.25).empty());
}

}  // namespace
}  // namespace weft::study::plan
