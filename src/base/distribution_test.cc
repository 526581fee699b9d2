#include "base/distribution.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace weft {
namespace {

constexpr int kDraws = 200'000;

TEST(Exponential, GivesTheseNumbersOnEveryPlatform) {
  // Worked out with 60 decimal digits from the stream's bits: mean * -ln((bits + 1) / 2^64), rounded.
  const auto exponential = Exponential<Duration>::make(10_ms).value();
  RandomStream random(1, "exponential");
  for (const std::int64_t expected : std::array<std::int64_t, 4>{3863687024, 28382375580, 843350243, 14066707849}) {
    EXPECT_EQ(exponential.sample(random), Duration::picoseconds(expected));
  }
}

TEST(Exponential, HasItsMeanAndItsVariance) {
  const double mean = 1e6;
  const auto exponential = Exponential<Duration>::make(1_us).value();
  RandomStream random(1, "mean");
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto value = static_cast<double>(exponential.sample(random).picoseconds());
    sum += value;
    squares += value * value;
  }
  // The deviation is the mean itself; the square of a draw has mean 2 m^2 and deviation sqrt(20) m^2.
  EXPECT_NEAR(sum / kDraws, mean, 5 * mean / std::sqrt(kDraws));
  EXPECT_NEAR(squares / kDraws, 2 * mean * mean, 5 * std::sqrt(20.0) * mean * mean / std::sqrt(kDraws));
}

TEST(Exponential, ExceedsEachMultipleOfTheMeanWithItsProbability) {
  const auto exponential = Exponential<Bytes>::make(1_mb).value();
  RandomStream random(1, "tail");
  std::array<int, 6> above{};
  for (int i = 0; i < kDraws; ++i) {
    const auto multiple = exponential.sample(random) / 1_mb;
    for (std::size_t k = 0; k < above.size(); ++k) {
      above[k] += multiple >= static_cast<std::int64_t>(k) ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < above.size(); ++k) {
    const double p = std::exp(-static_cast<double>(k));
    EXPECT_NEAR(above[k], kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)) + 1e-6) << k;
  }
}

TEST(Exponential, OfMeanZeroIsZero) {
  const auto exponential = Exponential<Duration>::make(Duration::zero()).value();
  RandomStream random(1, "zero");
  EXPECT_EQ(exponential.sample(random), Duration::zero());
}

TEST(Exponential, LargestMeanStaysInRange) {
  const auto exponential = Exponential<Duration>::make(Duration::picoseconds(kMaxExponentialMean)).value();
  RandomStream random(1, "large");
  for (int i = 0; i < 1000; ++i) {
    EXPECT_GE(exponential.sample(random), Duration::zero());
  }
}

TEST(Exponential, RefusesAMeanOutOfRange) {
  EXPECT_FALSE(Exponential<Duration>::make(-1_ps).has_value());
  EXPECT_FALSE(Exponential<Duration>::make(Duration::picoseconds(kMaxExponentialMean + 1)).has_value());
  EXPECT_EQ(Exponential<Bytes>::make(-1_bytes).error().message,
            "mean -1 B of an exponential distribution is out of range; from 0 to 144115188075855871 B");
}

TEST(Uniform, StaysInItsRangeAndHasItsMean) {
  const auto uniform = Uniform<Duration>::make({.low = 100_ns, .high = 300_ns}).value();
  RandomStream random(1, "uniform");
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Duration value = uniform.sample(random);
    ASSERT_GE(value, 100_ns);
    ASSERT_LE(value, 300_ns);
    sum += static_cast<double>(value.picoseconds());
  }
  EXPECT_EQ(uniform.mean(), 200_ns);
  const double deviation = 200e3 / std::sqrt(12.0);
  EXPECT_NEAR(sum / kDraws, 200e3, 5 * deviation / std::sqrt(kDraws));
}

TEST(Uniform, RefusesAnInvertedRange) {
  EXPECT_EQ(Uniform<Bytes>::make({.low = 2_kib, .high = 1_kib}).error().message,
            "uniform distribution from 2 KiB to 1 KiB: the first must not be larger");
}

TEST(Constant, DrawsNothing) {
  RandomStream used(1, "constant");
  RandomStream untouched(1, "constant");
  EXPECT_EQ(Constant<Duration>(5_ns).sample(used), 5_ns);
  EXPECT_EQ(used.next(), untouched.next());
}

TEST(Distribution, DispatchesToItsKind) {
  RandomStream random(1, "any");
  const Distribution<Bytes> constant = Constant<Bytes>(4_kib);
  EXPECT_EQ(sample(constant, random), 4_kib);
  EXPECT_EQ(mean(constant), 4_kib);
  const Distribution<Bytes> exponential = Exponential<Bytes>::make(1_mb).value();
  EXPECT_EQ(mean(exponential), 1_mb);
  const auto table = CdfTable::make(
      {{.value = 0, .cumulative = Probability::zero()}, {.value = 1000, .cumulative = Probability::one()}});
  const Distribution<Bytes> empirical = Empirical<Bytes>(table.value());
  EXPECT_EQ(mean(empirical), 500_bytes);
  EXPECT_LT(sample(empirical, random), 1000_bytes);
}

}  // namespace
}  // namespace weft
