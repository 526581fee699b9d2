#include "study/sweep/effects.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "study/sweep/basis.h"
#include "study/sweep/design.h"
#include "study/sweep/test_noise.h"

namespace weft::study::sweep {
namespace {

using Function = std::function<double(const std::vector<double>& at, std::size_t seed)>;

/// Every combination of levels, with what the function gives.
Samples grid(const std::vector<std::size_t>& levels, std::size_t seeds, const Function& of) {
  Samples samples{.levels = levels, .at = {}, .values = {}, .is_whole_grid = true};
  std::size_t points = 1;
  for (const std::size_t count : levels) {
    points *= count;
  }
  for (std::size_t number = 0; number < points; ++number) {
    std::vector<double> at;
    std::size_t left = number;
    for (const std::size_t count : levels) {
      at.push_back(static_cast<double>(left % count));
      left /= count;
    }
    std::vector<double> values;
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      values.push_back(of(at, seed));
    }
    samples.at.push_back(at);
    samples.values.push_back(values);
  }
  return samples;
}

/// Points of a Latin hypercube over ranges from -1 to 1.
Samples cube(std::size_t factors, std::size_t points, std::size_t seeds, std::uint64_t draw, const Function& of) {
  std::vector<Factor> ranges(factors, {.key = "x", .range = ContinuousRange{}});
  static const ValueScale kAny{.type = "any", .text = [](double) { return std::string(); }};
  for (Factor& factor : ranges) {
    factor.range->scale = &kAny;
    factor.range->high = 1;
  }
  Samples samples{.levels = std::vector<std::size_t>(factors, 0), .at = {}, .values = {}};
  const Result<Design> design = latin_hypercube(ranges, {.points = points, .seed = draw});
  for (const Point& point : design->points) {
    samples.at.push_back(point.at);
    std::vector<double>& values = samples.values.emplace_back();
    for (std::size_t seed = 0; seed < seeds; ++seed) {
      values.push_back(of(point.at, seed));
    }
  }
  return samples;
}

TEST(Basis, IsOrthonormalOverItsLevels) {
  for (const std::size_t levels : {2, 3, 7, 40}) {
    const Basis basis = Basis::of_levels(levels);
    ASSERT_EQ(basis.size(), levels - 1);
    for (std::size_t a = 0; a < basis.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double product = 0;
        double mean = 0;
        for (const double place : basis.places()) {
          product += basis.at(place)[a] * basis.at(place)[b] / static_cast<double>(levels);
          mean += basis.at(place)[a] / static_cast<double>(levels);
        }
        EXPECT_NEAR(product, a == b ? 1 : 0, 1e-9);
        EXPECT_NEAR(mean, 0, 1e-9);
      }
    }
  }
}

// 10 + 3 a + 2 b + 1 ab with a and b -1 or 1: effects 6 and 4, the interaction 2; variances 9, 4 and 1 of 14.
TEST(Effects, OfALinearFunctionWithAnInteractionAreItsCoefficients) {
  const auto function = [](const std::vector<double>& at, std::size_t seed) {
    const double a = 2 * at[0] - 1;
    const double b = 2 * at[1] - 1;
    return 10 + 3 * a + 2 * b + a * b + 0.5 * static_cast<double>(seed);
  };
  const Result<Effects> effects = effects_of(grid({2, 2}, 3, function));
  ASSERT_TRUE(effects) << effects.error().message;
  EXPECT_EQ(effects->method, Effects::Method::kAnalysisOfVariance);
  EXPECT_NEAR(effects->mean, 10.5, 1e-12);
  EXPECT_NEAR(effects->main[0].span, 6, 1e-12);
  EXPECT_NEAR(effects->main[1].span, 4, 1e-12);
  EXPECT_NEAR(effects->pairs[0].span, 2, 1e-12);
  EXPECT_NEAR(effects->main[0].share, 9.0 / 14, 1e-12);
  EXPECT_NEAR(effects->main[1].share, 4.0 / 14, 1e-12);
  EXPECT_NEAR(effects->pairs[0].share, 1.0 / 14, 1e-12);
  EXPECT_NEAR(effects->rest, 0, 1e-12);
  EXPECT_EQ(effects->main[0].lowest_at, std::vector<double>{0});
  EXPECT_EQ(effects->main[0].highest_at, std::vector<double>{1});
  // What a seed adds to every point is no uncertainty of effects.
  EXPECT_NEAR(effects->main[0].interval->low, 6, 1e-9);
  EXPECT_NEAR(effects->main[0].interval->high, 6, 1e-9);
}

TEST(Effects, OfThreeTogetherAreInTheRest) {
  const auto function = [](const std::vector<double>& at, std::size_t) {
    return 5 + (2 * at[0] - 1) * (2 * at[1] - 1) * (2 * at[2] - 1) + 2 * at[0];
  };
  const Result<Effects> effects = effects_of(grid({2, 2, 2}, 2, function));
  ASSERT_TRUE(effects);
  EXPECT_NEAR(effects->main[0].share, 0.5, 1e-12);
  EXPECT_NEAR(effects->rest, 0.5, 1e-12);
  EXPECT_NEAR(effects->main[1].span, 0, 1e-12);
}

TEST(Effects, AKeyThatDoesNothingDoesNotMatter) {
  TestNoise noise(7);
  const auto function = [&](const std::vector<double>& at, std::size_t) {
    return 100 + 20 * at[0] + 0.05 * noise.next();
  };
  const Result<Effects> effects = effects_of(grid({3, 4}, 5, function));
  ASSERT_TRUE(effects);
  EXPECT_EQ(importance_of(effects->main[0], effects->mean, 0.01), Importance::kMatters);
  EXPECT_EQ(importance_of(effects->main[1], effects->mean, 0.01), Importance::kDoesNot);
  EXPECT_EQ(importance_of(effects->pairs[0], effects->mean, 0.01), Importance::kDoesNot);
}

TEST(Effects, WithLoudNoiseItIsNotKnownWhetherAKeyMatters) {
  TestNoise noise(8);
  const auto function = [&](const std::vector<double>&, std::size_t) { return 100 + 10 * noise.next(); };
  const Result<Effects> effects = effects_of(grid({2, 2}, 3, function));
  ASSERT_TRUE(effects);
  EXPECT_EQ(importance_of(effects->main[0], effects->mean, 0.01), Importance::kNotKnown);
}

TEST(Effects, OneSeedOfTwoKeysHasNothingToHoldThemAgainst) {
  const Result<Effects> effects =
      effects_of(grid({2, 2}, 1, [](const std::vector<double>& at, std::size_t) { return at[0]; }));
  ASSERT_TRUE(effects) << effects.error().message;
  EXPECT_TRUE(effects->pairs_left_out);
  EXPECT_EQ(effects->method, Effects::Method::kLeastSquares);
}

// x1 + x2^2 + x1 x3 over independent uniform ranges: variances 1/3, 4/45 and 1/9 (Sobol's indices in closed form).
TEST(Effects, OfASampleAreSobolsIndices) {
  const auto function = [](const std::vector<double>& at, std::size_t) {
    return at[0] + at[1] * at[1] + at[0] * at[2];
  };
  const Result<Effects> effects = effects_of(cube(4, 60, 1, 3, function));
  ASSERT_TRUE(effects) << effects.error().message;
  const double all = 1.0 / 3 + 4.0 / 45 + 1.0 / 9;
  EXPECT_TRUE(effects->quadratic);
  EXPECT_NEAR(effects->main[0].share, 1.0 / 3 / all, 1e-9);
  EXPECT_NEAR(effects->main[1].share, 4.0 / 45 / all, 1e-9);
  EXPECT_NEAR(effects->main[2].share, 0, 1e-9);
  EXPECT_NEAR(effects->main[3].span, 0, 1e-9);
  for (const Effect& pair : effects->pairs) {
    const bool is_real = pair.first == 0 && *pair.second == 2;
    EXPECT_NEAR(pair.share, is_real ? 1.0 / 9 / all : 0, 1e-9);
  }
  EXPECT_NEAR(effects->main[0].span, 2, 1e-9);
  EXPECT_NEAR(effects->main[1].span, 1, 1e-9);
}

TEST(Effects, TooFewPointsForOneCoefficientOfEachKeyAreAnError) {
  const auto function = [](const std::vector<double>& at, std::size_t) { return at[0]; };
  const Result<Effects> effects = effects_of(cube(6, 7, 2, 1, function));
  ASSERT_FALSE(effects);
  EXPECT_EQ(effects.error().message, "7 points are too few for effects of 6 keys: 8 at least");
}

/// How often, of `times`, the interval of the first key's effect covers what it is.
template <class Make>
double coverage(std::size_t times, double truth, const Make& make) {
  std::size_t covered = 0;
  for (std::size_t i = 0; i < times; ++i) {
    const Result<Effects> effects = effects_of(make(i));
    const Interval own = *effects->main[0].interval;
    covered += own.low <= truth && truth <= own.high ? 1 : 0;
  }
  return static_cast<double>(covered) / static_cast<double>(times);
}

// The effect is 1.5; noise of seeds, of points, and of what a seed makes of the first key. 2000 times: 95 % less three
// standard errors are 93.5 %.
TEST(Effects, IntervalsOnAGridCoverTheTruth) {
  const double share = coverage(2'000, 1.5, [](std::size_t i) {
    TestNoise noise(i);
    std::vector<double> of_seed(4);
    std::vector<double> slope(4);
    for (std::size_t s = 0; s < 4; ++s) {
      of_seed[s] = noise.next();
      slope[s] = 0.3 * noise.next();
    }
    return grid({2, 3}, 4, [&](const std::vector<double>& at, std::size_t seed) {
      return 10 + (1.5 + slope[seed]) * at[0] + 0.5 * at[1] + of_seed[seed] + 0.2 * noise.next();
    });
  });
  EXPECT_GE(share, 0.935);
  EXPECT_LE(share, 0.995);
}

TEST(Effects, IntervalsOfASampleCoverTheTruth) {
  const double share = coverage(1'000, 4, [](std::size_t i) {
    TestNoise noise(i + 10'000);
    return cube(3, 40, 2, i, [&](const std::vector<double>& at, std::size_t) {
      return 10 + 2 * at[0] + 0.5 * at[1] * at[2] + noise.next();
    });
  });
  EXPECT_GE(share, 0.93);
}

// Five levels, none of which does anything: that the two ends were chosen by what was measured is no effect.
TEST(Effects, ChoosingTheEndsMakesNoEffect) {
  const double share = coverage(1'000, 0, [](std::size_t i) {
    TestNoise noise(i + 20'000);
    return grid({5, 2}, 4, [&](const std::vector<double>&, std::size_t) { return 10 + noise.next(); });
  });
  EXPECT_GE(share, 0.93);
}

TEST(Effects, SharesHaveIntervalsThatCoverThem) {
  std::size_t covered = 0;
  constexpr std::size_t kTimes = 500;
  for (std::size_t i = 0; i < kTimes; ++i) {
    TestNoise noise(i + 30'000);
    const Result<Effects> effects = effects_of(grid({2, 2}, 6, [&](const std::vector<double>& at, std::size_t) {
      return 10 + 3 * (2 * at[0] - 1) + 2 * (2 * at[1] - 1) + 0.5 * noise.next();
    }));
    const Interval own = *effects->main[0].share_interval;
    covered += own.low <= 9.0 / 13 && 9.0 / 13 <= own.high ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(covered) / kTimes, 0.9);
}

}  // namespace
}  // namespace weft::study::sweep
