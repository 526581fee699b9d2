#include "study/sweep/quantile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::study::sweep {
namespace {

// Tables of Student's distribution: two-sided 95 and 99 %.
TEST(SweepQuantile, OfStudentIsThatOfTheTables) {
  EXPECT_NEAR(student_quantile(0.95, 1), 12.706, 0.0005);
  EXPECT_NEAR(student_quantile(0.95, 4), 2.776, 0.0005);
  EXPECT_NEAR(student_quantile(0.99, 10), 3.169, 0.0005);
}

// The square of Student's t of n degrees is Fisher's F of 1 and n.
TEST(SweepQuantile, OfFisherWithOneDegreeIsTheSquareOfStudents) {
  for (const std::size_t freedom : {1, 3, 8, 40}) {
    const double t = student_quantile(0.95, freedom);
    EXPECT_NEAR(fisher_quantile(0.95, {.above = 1, .below = freedom}), t * t, 1e-6 * t * t);
  }
  EXPECT_NEAR(fisher_quantile(0.95, {.above = 3, .below = 10}), 3.708, 0.0005);
}

TEST(SweepQuantile, MeanOfSeedsHasStudentsInterval) {
  const std::vector<double> values = {1, 2, 3, 4};
  const MeanOfSeeds own = mean_of_seeds(values);
  EXPECT_DOUBLE_EQ(own.mean, 2.5);
  const double half = student_quantile(0.95, 3) * std::sqrt(5.0 / 3 / 4);
  EXPECT_NEAR(own.interval->high - own.mean, half, 1e-12);
  EXPECT_NEAR(*own.relative_half(), half / 2.5, 1e-12);
}

TEST(SweepQuantile, OneSeedHasNoInterval) {
  EXPECT_FALSE(mean_of_seeds(std::vector<double>{7}).interval);
  EXPECT_FALSE(mean_of_seeds(std::vector<double>{7}).relative_half());
}

}  // namespace
}  // namespace weft::study::sweep
