#include "base/cdf_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace weft {
namespace {

Probability percent(std::uint64_t n) { return Probability::from_ratio({.numerator = n, .denominator = 100}); }

std::string error_of(std::vector<CdfPoint> points) {
  const auto table = CdfTable::make(std::move(points));
  return table ? "no error" : table.error().message;
}

TEST(CdfTable, InterpolatesBetweenPoints) {
  const auto table = CdfTable::make({{0, percent(0)}, {100, percent(50)}, {1100, percent(100)}}).value();
  EXPECT_EQ(table.quantile(percent(0)), 0);
  EXPECT_EQ(table.quantile(percent(25)), 50);
  EXPECT_EQ(table.quantile(percent(50)), 100);
  EXPECT_EQ(table.quantile(percent(75)), 600);
  EXPECT_EQ(table.quantile(percent(100)), 1100);
}

TEST(CdfTable, FirstPointAboveZeroIsAValueOfItsOwn) {
  const auto table = CdfTable::make({{64, percent(50)}, {128, percent(100)}}).value();
  EXPECT_EQ(table.quantile(percent(0)), 64);
  EXPECT_EQ(table.quantile(percent(49)), 64);
  EXPECT_EQ(table.quantile(percent(75)), 96);
  EXPECT_EQ(table.mean(), (64 * 50 + 96 * 50) / 100);
}

TEST(CdfTable, StepIsAValueOfItsOwn) {
  const auto table =
      CdfTable::make({{0, percent(0)}, {10, percent(25)}, {10, percent(75)}, {20, percent(100)}}).value();
  for (const std::uint64_t p : {25U, 50U, 74U}) {
    EXPECT_EQ(table.quantile(percent(p)), 10);
  }
  EXPECT_EQ(table.mean(), 10);
}

TEST(CdfTable, GapBetweenValuesIsNeverDrawn) {
  const auto table =
      CdfTable::make({{0, percent(0)}, {10, percent(50)}, {1000, percent(50)}, {1010, percent(100)}}).value();
  RandomStream random(1, "gap");
  for (int i = 0; i < 10'000; ++i) {
    const std::int64_t value = table.sample(random);
    EXPECT_TRUE(value < 10 || value >= 1000) << value;
  }
}

TEST(CdfTable, OnePointIsAConstant) {
  const auto table = CdfTable::make({{7, percent(100)}}).value();
  RandomStream random(1, "constant");
  EXPECT_EQ(table.sample(random), 7);
  EXPECT_EQ(table.mean(), 7);
}

TEST(CdfTable, QuantileNeverFalls) {
  const auto table =
      CdfTable::make({{3, percent(1)}, {50, percent(20)}, {51, percent(80)}, {9'999, percent(100)}}).value();
  std::int64_t before = 0;
  for (std::uint64_t p = 0; p <= 100; ++p) {
    EXPECT_GE(table.quantile(percent(p)), before);
    before = table.quantile(percent(p));
  }
}

TEST(CdfTable, SampleMeanIsTheMean) {
  const auto table = CdfTable::make({{0, percent(0)}, {1'000'000, percent(90)}, {10'000'000, percent(100)}}).value();
  EXPECT_NEAR(static_cast<double>(table.mean()), 0.9 * 0.5e6 + 0.1 * 5.5e6, 1);
  constexpr int kDraws = 200'000;
  RandomStream random(1, "mean");
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    sum += static_cast<double>(table.sample(random));
  }
  // The mean of the square of a segment from a to b is (a^2 + ab + b^2) / 3.
  const double mean = 1e6;
  const double square = 0.9 * 1e12 / 3 + 0.1 * (1e12 + 1e13 + 1e14) / 3;
  const double deviation = std::sqrt(square - mean * mean);
  EXPECT_NEAR(sum / kDraws, mean, 5 * deviation / std::sqrt(kDraws));
}

TEST(CdfTable, LargestValuesDoNotOverflow) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto table = CdfTable::make({{kMax - 2, percent(50)}, {kMax, percent(100)}}).value();
  EXPECT_EQ(table.quantile(percent(100)), kMax);
  EXPECT_EQ(table.quantile(percent(75)), kMax - 1);
  EXPECT_EQ(table.mean(), kMax - 2);
}

TEST(CdfTable, RefusesBadTables) {
  EXPECT_EQ(error_of({}), "a distribution table needs at least one point");
  EXPECT_EQ(error_of({{-1, percent(100)}}), "point 1: value -1 is negative");
  EXPECT_EQ(error_of({{10, percent(0)}, {9, percent(100)}}), "point 2: value 9 is below the one before, 10");
  EXPECT_EQ(error_of({{0, percent(0)}, {5, percent(60)}, {9, percent(50)}}),
            "point 3: percentile 50% is below the one before, 60%");
  EXPECT_EQ(error_of({{0, percent(0)}, {0, percent(0)}}), "point 2: the same value 0 and percentile 0% again");
  EXPECT_EQ(error_of({{0, percent(0)}, {5, percent(99)}}),
            "the last point, value 5, is at 99%; the table must end at 100%");
}

}  // namespace
}  // namespace weft
