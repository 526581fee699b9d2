#include "base/fixed_log.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"

namespace weft {
namespace {

// The reference needs more bits than the bounds under test; where long double is a plain double it has too few.
constexpr bool kReferenceIsFine = std::numeric_limits<long double>::digits >= 64;

long double from_q48(std::uint64_t raw) { return std::ldexp(static_cast<long double>(raw), -kQ48Bits); }

// Small numbers, both sides of every power of two, both sides of every table entry, and random ones of every size.
std::vector<std::uint64_t> points() {
  std::vector<std::uint64_t> result;
  for (std::uint64_t x = 1; x <= 2000; ++x) {
    result.push_back(x);
  }
  for (int bit = 11; bit < 64; ++bit) {
    const std::uint64_t power = std::uint64_t{1} << bit;
    for (std::uint64_t i = 0; i < 128; ++i) {
      const std::uint64_t edge = power + (power >> 7) * i;
      result.insert(result.end(), {edge - 1, edge, edge + 1});
    }
  }
  result.push_back(std::numeric_limits<std::uint64_t>::max());
  RandomStream random(1, "log");
  for (int i = 0; i < 100'000; ++i) {
    result.push_back((random.next() | 1U) >> random.uniform(63) | 1U);
  }
  return result;
}

TEST(FixedLog, PowersOfTwoAreExact) {
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    EXPECT_EQ(log2_q48(std::uint64_t{1} << bit), bit << kQ48Bits);
  }
}

TEST(FixedLog, Log2KeepsItsErrorBound) {
  if (!kReferenceIsFine) {
    GTEST_SKIP() << "long double is too coarse here";
  }
  const long double bound = std::ldexp(1.0L, -48);
  for (const std::uint64_t x : points()) {
    ASSERT_LT(std::fabs(from_q48(log2_q48(x)) - std::log2(static_cast<long double>(x))), bound) << x;
  }
}

TEST(FixedLog, LnKeepsItsErrorBound) {
  if (!kReferenceIsFine) {
    GTEST_SKIP() << "long double is too coarse here";
  }
  const long double bound = std::ldexp(1.0L, -47);
  for (const std::uint64_t x : points()) {
    ASSERT_LT(std::fabs(from_q48(ln_q48(x)) - std::log(static_cast<long double>(x))), bound) << x;
  }
}

TEST(FixedLog, Exp2KeepsItsErrorBound) {
  if (!kReferenceIsFine) {
    GTEST_SKIP() << "long double is too coarse here";
  }
  const long double bound = std::ldexp(1.0L, -59);
  RandomStream random(1, "exp2");
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t x = random.next() >> (10 + random.uniform(50));
    const long double actual = std::ldexp(static_cast<long double>(exp2_minus_q63(x)), -63);
    ASSERT_LT(std::fabs(actual - std::exp2(-from_q48(x))), bound) << x;
  }
}

TEST(FixedLog, Exp2OfWholeNumbersIsExact) {
  for (std::uint64_t n = 0; n <= 63; ++n) {
    EXPECT_EQ(exp2_minus_q63(n << kQ48Bits), std::uint64_t{1} << (63 - n));
  }
  EXPECT_EQ(exp2_minus_q63(std::uint64_t{64} << kQ48Bits), 0U);
  EXPECT_EQ(exp2_minus_q63(std::numeric_limits<std::uint64_t>::max()), 0U);
}

TEST(FixedLog, GivesTheseBitsOnEveryPlatform) {
  EXPECT_EQ(log2_q48(3), 0x195c01a39fbd7U);
  EXPECT_EQ(ln_q48(10), 0x24d763776aaa3U);
  EXPECT_EQ(exp2_minus_q63(std::uint64_t{1} << (kQ48Bits - 1)), 0x5a827999fcef3242U);
}

TEST(FixedLog, LogarithmNeverFalls) {
  std::uint64_t before = 0;
  for (std::uint64_t x = 1; x < 300'000; ++x) {
    const std::uint64_t value = log2_q48(x);
    ASSERT_GE(value, before) << x;
    before = value;
  }
}

}  // namespace
}  // namespace weft
