#include "base/probability.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Probability, RatioEndsAreExact) {
  EXPECT_EQ(Probability::from_ratio({.numerator = 0, .denominator = 7}), Probability::zero());
  EXPECT_EQ(Probability::from_ratio({.numerator = 7, .denominator = 7}), Probability::one());
  EXPECT_EQ(Probability::from_ratio({.numerator = 1, .denominator = 4}).raw(), Probability::kOne / 4);
  EXPECT_EQ(Probability::from_ratio({.numerator = ~0ULL, .denominator = ~0ULL}), Probability::one());
}

TEST(Probability, RatioRoundsToTheNearestUnit) {
  for (std::uint64_t n = 1; n <= 3; ++n) {
    const auto third = Probability::from_ratio({.numerator = n, .denominator = 3});
    const auto three = static_cast<Uint128>(third.raw()) * 3;
    const auto exact = static_cast<Uint128>(n) << 63;
    EXPECT_LE(three > exact ? three - exact : exact - three, Uint128{1});
  }
}

TEST(Probability, ComplementAddsUpToOne) {
  const auto p = Probability::from_ratio({.numerator = 1, .denominator = 3});
  EXPECT_EQ(p.raw() + p.complement().raw(), Probability::kOne);
  EXPECT_EQ(Probability::one().complement(), Probability::zero());
}

TEST(Probability, ProductOfIndependentEvents) {
  const auto quarter = Probability::from_ratio({.numerator = 1, .denominator = 4});
  EXPECT_EQ(quarter * quarter, Probability::from_ratio({.numerator = 1, .denominator = 16}));
  EXPECT_EQ(quarter * Probability::one(), quarter);
  EXPECT_EQ(quarter * Probability::zero(), Probability::zero());
}

TEST(ProbabilityDeathTest, IsNeverAboveOne) {
  EXPECT_DEATH((void)Probability::from_ratio({.numerator = 2, .denominator = 1}), "numerator <= ratio.denominator");
}

}  // namespace
}  // namespace weft
