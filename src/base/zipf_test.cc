#include "base/zipf.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace weft {
namespace {

double as_double(Probability p) { return std::ldexp(static_cast<double>(p.raw()), -63); }

TEST(Zipf, GivesTheseNumbersOnEveryPlatform) {
  // Worked out in 60-digit decimals from the stream's bits.
  const auto zipf = Zipf::make({.items = 1000, .exponent = {6, 5}}).value();
  RandomStream random(1, "zipf");
  for (const std::uint32_t expected : std::array<std::uint32_t, 8>{2, 1, 15, 2, 2, 12, 522, 53}) {
    EXPECT_EQ(zipf.sample(random), expected);
  }
}

TEST(Zipf, ProbabilitiesFollowThePowerLawAndAddUpToOne) {
  constexpr std::uint32_t kItems = 5000;
  const auto zipf = Zipf::make({.items = kItems, .exponent = {3, 2}}).value();
  double harmonic = 0;
  for (std::uint32_t k = 1; k <= kItems; ++k) {
    harmonic += std::pow(k, -1.5);
  }
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < kItems; ++i) {
    sum += zipf.probability(i).raw();
    // The stated bound: (s + 1) * 2^-47, s = 1.5.
    EXPECT_NEAR(as_double(zipf.probability(i)), std::pow(i + 1, -1.5) / harmonic, 2.5 * std::ldexp(1.0, -47));
  }
  EXPECT_EQ(sum, Probability::kOne);
}

TEST(Zipf, DrawsEachItemWithItsProbability) {
  constexpr int kDraws = 200'000;
  const auto zipf = Zipf::make({.items = 20, .exponent = {1, 1}}).value();
  RandomStream random(1, "counts");
  std::vector<int> counts(20);
  for (int i = 0; i < kDraws; ++i) {
    ++counts.at(zipf.sample(random));
  }
  for (std::uint32_t i = 0; i < 20; ++i) {
    const double p = as_double(zipf.probability(i));
    EXPECT_NEAR(counts[i], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p))) << i;
  }
}

TEST(Zipf, ExponentZeroIsUniform) {
  const auto zipf = Zipf::make({.items = 8, .exponent = {0, 1}}).value();
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(zipf.probability(i), Probability::from_ratio({.numerator = 1, .denominator = 8}));
  }
}

TEST(Zipf, OneItemIsCertain) {
  const auto zipf = Zipf::make({.items = 1, .exponent = {1, 1}}).value();
  RandomStream random(1, "one");
  EXPECT_EQ(zipf.sample(random), 0U);
  EXPECT_EQ(zipf.probability(0), Probability::one());
}

TEST(Zipf, SteepestExponentStillAddsUpToOne) {
  const auto zipf = Zipf::make({.items = 100'000, .exponent = {159, 10}}).value();
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    sum += zipf.probability(i).raw();
  }
  EXPECT_EQ(sum, Probability::kOne);
  RandomStream random(1, "steep");
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(zipf.sample(random), 100U);
  }
}

TEST(Zipf, RefusesParametersOutOfRange) {
  EXPECT_EQ(Zipf::make({.items = 0, .exponent = {1, 1}}).error().message,
            "a Zipf distribution over 0 items; from 1 to 16777216");
  EXPECT_FALSE(Zipf::make({.items = Zipf::kMaxItems + 1, .exponent = {1, 1}}).has_value());
  EXPECT_EQ(Zipf::make({.items = 2, .exponent = {16, 1}}).error().message,
            "Zipf exponent 16/1 is out of range; from 0 to below 16");
  EXPECT_FALSE(Zipf::make({.items = 2, .exponent = {1, 0}}).has_value());
}

}  // namespace
}  // namespace weft
