#include "study/sweep/stopping.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "study/sweep/test_noise.h"

namespace weft::study::sweep {
namespace {

using Source = std::function<double(std::size_t point, std::size_t seed)>;

/// Runs rounds until nothing more is needed; the values, and how many that were.
struct Outcome {
  std::vector<SeedValues> values;
  std::size_t runs = 0;
};
Outcome run_until_known(std::size_t points, const StopRule& rule, const Source& source) {
  Outcome outcome{.values = std::vector<SeedValues>(points)};
  std::vector<std::size_t> wanted(points, rule.first);
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (std::size_t point = 0; point < points; ++point) {
      while (outcome.values[point].size() < wanted[point]) {
        outcome.values[point].push_back(source(point, outcome.values[point].size()));
        ++outcome.runs;
        is_new = true;
      }
    }
    wanted = seeds_needed(outcome.values, rule);
  }
  return outcome;
}

TEST(Stopping, WithoutAQuestionTheFirstSeedsAreAll) {
  TestNoise noise(1);
  const Outcome outcome = run_until_known(4, {}, [&](std::size_t, std::size_t) { return 10 + noise.next(); });
  EXPECT_EQ(outcome.runs, 4 * StopRule{}.first);
}

TEST(Stopping, WhatDoesNotDependOnTheSeedNeedsNoMoreOfThem) {
  const auto source = [](std::size_t point, std::size_t) { return 10.0 + static_cast<double>(point); };
  for (const Question question : {Question::kBest, Question::kRanking, Question::kPrecision}) {
    const StopRule rule{.question = question, .precision = 0.01, .first = 2};
    EXPECT_EQ(run_until_known(5, rule, source).runs, 10u);
  }
}

TEST(Stopping, PrecisionGivesEachPointWhatItsOwnNoiseNeeds) {
  TestNoise noise(2);
  const StopRule rule{.question = Question::kPrecision, .precision = 0.02, .first = 5, .most = 200};
  const Outcome outcome = run_until_known(
      2, rule, [&](std::size_t point, std::size_t) { return 100 + (point == 0 ? 0.5 : 5.0) * noise.next(); });
  EXPECT_EQ(outcome.values[0].size(), 5u);
  // t 1.96 and a standard deviation of 5 %: (1.96 * 5 / 2)^2 = 24 seeds; rounds grow by half.
  EXPECT_GE(outcome.values[1].size(), 15u);
  EXPECT_LE(outcome.values[1].size(), 60u);
  EXPECT_LE(*mean_of_seeds(outcome.values[1]).relative_half(), 0.02);
}

TEST(Stopping, MostSeedsIsABound) {
  TestNoise noise(3);
  const StopRule rule{.question = Question::kPrecision, .precision = 0.001, .first = 3, .most = 17};
  const Outcome outcome = run_until_known(3, rule, [&](std::size_t, std::size_t) { return 1 + 0.5 * noise.next(); });
  EXPECT_EQ(outcome.runs, 3u * 17);
}

// What seeds have in common says nothing of which is better: each pair differs by 1 % under every seed.
TEST(Stopping, PointsAreHeldAgainstOneAnotherSeedBySeed) {
  TestNoise noise(4);
  std::vector<double> of_seed;
  for (int i = 0; i < 40; ++i) {
    of_seed.push_back(noise.next());
  }
  const StopRule rule{.question = Question::kRanking, .first = 3};
  const Outcome outcome = run_until_known(3, rule, [&](std::size_t point, std::size_t seed) {
    return 10 + of_seed[seed] + 0.1 * static_cast<double>(point);
  });
  EXPECT_EQ(outcome.runs, 9u);
}

TEST(Stopping, BestSpendsSeedsOnThoseThatMightBeIt) {
  TestNoise noise(5);
  const StopRule rule{.question = Question::kBest, .first = 5, .most = 200};
  const Outcome outcome = run_until_known(6, rule, [&](std::size_t point, std::size_t) {
    return (point == 0 ? 10.0 : point == 1 ? 10.5 : 30.0) + 0.4 * noise.next();
  });
  EXPECT_GT(outcome.values[1].size(), outcome.values[5].size());
  EXPECT_EQ(outcome.values[5].size(), 5u);
  EXPECT_EQ(best_points(outcome.values, rule).alike, std::vector<std::size_t>{0});
}

TEST(Stopping, PointsThatDifferByLessThanCountsAreAlike) {
  TestNoise noise(6);
  const StopRule rule{.question = Question::kBest, .first = 5, .most = 400, .same = 0.005};
  const Outcome outcome = run_until_known(
      2, rule, [&](std::size_t point, std::size_t) { return 10 + (point == 0 ? 0.0 : 0.001) + 0.02 * noise.next(); });
  EXPECT_LT(outcome.runs, 100u);
  EXPECT_EQ(best_points(outcome.values, rule).alike.size(), 2u);
}

TEST(Stopping, HigherMayBeBetter) {
  const std::vector<SeedValues> values = {{1, 1}, {}, {3, 3}, {2, 2}};
  EXPECT_EQ(ranked(values, Better::kHigher), (std::vector<std::size_t>{2, 3, 0}));
  EXPECT_EQ(ranked(values, Better::kLower), (std::vector<std::size_t>{0, 3, 2}));
}

// Looking after each round favours intervals that chance made short. 1000 times, normal noise of 5 % to a precision of
// 2 %: the interval still covers the truth in nine of ten.
TEST(Stopping, IntervalsCoverTheTruthAlthoughTheyDecideWhenToStop) {
  constexpr std::size_t kTimes = 1'000;
  std::size_t covered = 0;
  for (std::size_t i = 0; i < kTimes; ++i) {
    TestNoise noise(i + 100);
    const StopRule rule{.question = Question::kPrecision, .precision = 0.02, .first = 5, .most = 200};
    const Outcome outcome = run_until_known(1, rule, [&](std::size_t, std::size_t) { return 100 + 5 * noise.next(); });
    const Interval own = *mean_of_seeds(outcome.values[0]).interval;
    covered += own.low <= 100 && 100 <= own.high ? 1 : 0;
  }
  EXPECT_GE(static_cast<double>(covered) / kTimes, 0.9);
}

// Two of ten points are nearly as good as the best. What is named best is the best, or known to be within `same`.
TEST(Stopping, TheBestPointIsSeldomAWrongOne) {
  constexpr std::size_t kTimes = 300;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < kTimes; ++i) {
    TestNoise noise(i + 5'000);
    const StopRule rule{.question = Question::kBest, .first = 5, .most = 100};
    const Outcome outcome = run_until_known(10, rule, [&](std::size_t point, std::size_t) {
      return 10 + (point < 3 ? 0.2 * static_cast<double>(point) : 3.0) + 0.3 * noise.next();
    });
    const BestPoints best = best_points(outcome.values, rule);
    wrong += best.not_known.empty() && best.alike.front() != 0 ? 1 : 0;
  }
  EXPECT_LE(static_cast<double>(wrong) / kTimes, 0.05);
}

}  // namespace
}  // namespace weft::study::sweep
