#include "fabric/bit_errors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weft::fabric {
namespace {

constexpr Probability rate(std::uint64_t one_in) { return Probability::from_ratio({1, one_in}); }
double value(Probability p) { return static_cast<double>(p.raw()) / static_cast<double>(Probability::one().raw()); }

TEST(BitErrors, TheChanceOfDamageIsThatOfAnyBit) {
  for (const std::uint64_t one_in : {100'000ULL, 10'000'000ULL, 1'000'000'000'000ULL}) {
    const BitErrors errors(rate(one_in), 1);
    for (const std::uint32_t bytes : {1U, 64U, 84U, 4'178U, 65'535U}) {
      const double expected = -std::expm1(8.0 * bytes * std::log1p(-1.0 / static_cast<double>(one_in)));
      EXPECT_NEAR(value(errors.damage_probability(bytes)) / expected, 1.0, 1e-5) << one_in << " " << bytes;
    }
  }
}

TEST(BitErrors, NoErrorsDamageNothing) {
  BitErrors errors(Probability::zero(), 1);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_FALSE(errors.damages(65'535));
  }
}

TEST(BitErrors, DamageAsManyPacketsAsTheirChanceSays) {
  constexpr int kDraws = 200'000;
  BitErrors errors(rate(1'000'000), 3);
  int damaged = 0;
  for (int i = 0; i < kDraws; ++i) {
    damaged += errors.damages(4'178) ? 1 : 0;
  }
  const double p = value(errors.damage_probability(4'178));
  EXPECT_NEAR(damaged, kDraws * p, 5 * std::sqrt(kDraws * p * (1 - p)));
}

TEST(BitErrors, PacketErrorsHitPacketsOfEveryLengthAlike) {
  const Probability one_in_a_hundred = rate(100);
  const BitErrors packets(Probability::zero(), 1, one_in_a_hundred);
  for (const std::uint32_t bytes : {1U, 84U, 4'178U}) {
    EXPECT_EQ(packets.damage_probability(bytes), one_in_a_hundred);
  }
  const BitErrors both(rate(1'000'000), 1, one_in_a_hundred);
  const BitErrors bits(rate(1'000'000), 1);
  EXPECT_NEAR(value(both.damage_probability(4'178)), 1 - (1 - value(bits.damage_probability(4'178))) * 0.99, 1e-12);
}

TEST(BitErrors, TheSeedDecides) {
  BitErrors first(rate(100'000), 5);
  BitErrors second(rate(100'000), 5);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(first.damages(1'500), second.damages(1'500));
  }
}

}  // namespace
}  // namespace weft::fabric
