#include "study/results/percentiles.h"

#include <gtest/gtest.h>

#include <numeric>

namespace weft::study::results {
namespace {

Probability percent(std::uint64_t value) { return Probability::from_ratio({.numerator = value, .denominator = 100}); }

TEST(Percentiles, IsTheSmallestValueThatTheShareDoesNotExceed) {
  for (const std::size_t count : {1U, 2U, 7U, 100U, 1000U}) {
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    for (std::uint64_t share = 1; share <= 100; ++share) {
      const int found = percentile(std::span<const int>(values), percent(share));
      EXPECT_GE(static_cast<std::uint64_t>(found) * 100, share * count);
      EXPECT_LT(static_cast<std::uint64_t>(found - 1) * 100, share * count);
    }
  }
}

TEST(Percentiles, TheRarestOfFewValuesIsTheLargest) {
  const Probability rare = Probability::from_ratio({.numerator = 999, .denominator = 1000});
  EXPECT_EQ(percentile_rank(rare, 999), 998U);
  EXPECT_EQ(percentile_rank(rare, 1000), 998U);
  EXPECT_EQ(percentile_rank(Probability::zero(), 10), 0U);
  EXPECT_EQ(percentile_rank(Probability::one(), 10), 9U);
}

TEST(Percentiles, SpreadSortsAndIsAbsentWithoutValues) {
  const std::vector<Probability> shares = {percent(50), percent(100)};
  EXPECT_FALSE(spread_of<Duration>({}, shares));
  const auto spread = spread_of<Duration>({3_us, 1_us, 2_us}, shares);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->percentiles, (std::vector<Duration>{2_us, 3_us}));
  EXPECT_EQ(spread->median, 2_us);
  EXPECT_EQ(spread->p999, 3_us);
  EXPECT_EQ(spread->max, 3_us);
  EXPECT_EQ(spread->count, 3U);
}

TEST(Percentiles, JainsIndexIsOneForEqualsAndTheShareOfTheBusyOtherwise) {
  const std::vector<Rate> equal(7, 13_gbps);
  EXPECT_DOUBLE_EQ(*jain_index(equal), 1.0);
  const std::vector<Rate> one = {0_bps, 400_gbps, 0_bps, 0_bps};
  EXPECT_DOUBLE_EQ(*jain_index(one), 1.0 / 4);
  const std::vector<Rate> two_to_one = {2_gbps, 1_gbps};
  EXPECT_NEAR(*jain_index(two_to_one), 9.0 / (2 * 5), 1e-6);
  EXPECT_FALSE(jain_index({}));
  EXPECT_FALSE(jain_index(std::vector<Rate>(3, 0_bps)));
}

TEST(Percentiles, AreNamedAsPeopleDo) {
  EXPECT_EQ(percentile_name(percent(50)), "p50");
  EXPECT_EQ(percentile_name(Probability::from_ratio({.numerator = 999, .denominator = 1000})), "p99.9");
}

}  // namespace
}  // namespace weft::study::results
