#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

namespace weft {
namespace {

TEST(SplitMix64, MatchesThePublishedSequence) {
  SplitMix64 mix(1234567);
  for (const std::uint64_t expected :
       std::initializer_list<std::uint64_t>{6457827717110365317U, 3203168211198807973U, 9817491932198370423U,
                                            4593380528125082431U, 16408922859458223821U}) {
    EXPECT_EQ(mix.next(), expected);
  }
}

TEST(Xoshiro256, MatchesThePublishedSequence) {
  Xoshiro256 generator({.words = {1, 2, 3, 4}});
  for (const std::uint64_t expected : std::initializer_list<std::uint64_t>{
           11520U, 0U, 1509978240U, 1215971899390074240U, 1216172134540287360U, 607988272756665600U,
           16172922978634559625U, 8476171486693032832U, 10595114339597558777U, 2904607092377533576U}) {
    EXPECT_EQ(generator.next(), expected);
  }
}

TEST(RandomStream, SeedAndNameGiveTheseNumbersForEver) {
  RandomStream random(1, "host0/nic0");
  const std::array<std::uint64_t, 3> golden = {0x848f74c3fc2e9e25, 0x757301d8dd8ac0c2, 0x57add78ab28b6d1e};
  for (const std::uint64_t expected : golden) {
    EXPECT_EQ(random.next(), expected);
  }
}

TEST(RandomStream, OtherSeedOrNameIsAnotherStream) {
  std::vector<std::uint64_t> first;
  for (const auto& [seed, name] : std::vector<std::pair<std::uint64_t, const char*>>{
           {1, "host0"}, {1, "host1"}, {2, "host0"}, {1, ""}, {0, "host0"}}) {
    first.push_back(RandomStream(seed, name).next());
  }
  std::ranges::sort(first);
  EXPECT_EQ(std::ranges::adjacent_find(first), first.end());
}

// Five standard deviations of a count with success probability p: what a fair draw exceeds once in two million.
double five_sigma(double draws, double p) { return 5 * std::sqrt(draws * p * (1 - p)); }

TEST(RandomStream, UniformIsFairAndStaysBelowItsBound) {
  constexpr int kDraws = 100'000;
  for (const std::uint64_t n : {1U, 2U, 3U, 10U, 97U}) {
    RandomStream random(n, "uniform");
    std::vector<int> counts(n);
    for (int i = 0; i < kDraws; ++i) {
      ++counts.at(random.uniform(n));
    }
    const double p = 1.0 / static_cast<double>(n);
    for (const int count : counts) {
      EXPECT_NEAR(count, kDraws * p, five_sigma(kDraws, p)) << n;
    }
  }
}

TEST(RandomStream, UniformIsUnbiasedWhereAPlainProductIsNot) {
  // Below 3 * 2^62, a product without rejection would give every third number twice the weight of the others.
  constexpr std::uint64_t kBound = 3ULL << 62;
  constexpr int kDraws = 30'000;
  RandomStream random(1, "bias");
  std::array<int, 3> counts{};
  for (int i = 0; i < kDraws; ++i) {
    ++counts.at(random.uniform(kBound) % 3);
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, kDraws / 3.0, five_sigma(kDraws, 1.0 / 3));
  }
}

TEST(RandomStream, UniformBetweenReachesBothEnds) {
  RandomStream random(1, "between");
  std::map<std::int64_t, int> counts;
  for (int i = 0; i < 1000; ++i) {
    ++counts[random.uniform_between({.low = -2, .high = 2})];
  }
  EXPECT_EQ(counts.size(), 5U);
  EXPECT_EQ(counts.begin()->first, -2);
  EXPECT_EQ(counts.rbegin()->first, 2);
  EXPECT_EQ(random.uniform_between({.low = 7, .high = 7}), 7);
}

TEST(RandomStream, UniformBetweenCoversTheWholeRangeOfInt64) {
  using Limits = std::numeric_limits<std::int64_t>;
  RandomStream random(1, "whole");
  int negative = 0;
  for (int i = 0; i < 1000; ++i) {
    negative += random.uniform_between({.low = Limits::min(), .high = Limits::max()}) < 0 ? 1 : 0;
  }
  EXPECT_NEAR(negative, 500, five_sigma(1000, 0.5));
}

TEST(RandomStream, BernoulliIsExactAtTheEnds) {
  RandomStream random(1, "bernoulli");
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(random.bernoulli(Probability::zero()));
    EXPECT_TRUE(random.bernoulli(Probability::one()));
  }
}

TEST(RandomStream, BernoulliHasItsProbability) {
  constexpr int kDraws = 100'000;
  for (const std::uint64_t denominator : {2U, 10U, 1000U}) {
    RandomStream random(denominator, "bernoulli");
    const auto p = Probability::from_ratio({.numerator = 1, .denominator = denominator});
    int hits = 0;
    for (int i = 0; i < kDraws; ++i) {
      hits += random.bernoulli(p) ? 1 : 0;
    }
    const double expected = 1.0 / static_cast<double>(denominator);
    EXPECT_NEAR(hits, kDraws * expected, five_sigma(kDraws, expected));
  }
}

TEST(RandomStream, ShuffleGivesEveryOrderEqually) {
  constexpr int kDraws = 48'000;
  RandomStream random(1, "shuffle");
  std::map<std::array<int, 4>, int> counts;
  for (int i = 0; i < kDraws; ++i) {
    std::array<int, 4> items = {0, 1, 2, 3};
    random.shuffle(std::span<int>(items));
    ++counts[items];
  }
  EXPECT_EQ(counts.size(), 24U);
  for (const auto& [order, count] : counts) {
    EXPECT_NEAR(count, kDraws / 24.0, five_sigma(kDraws, 1.0 / 24));
  }
}

TEST(RandomStream, ShuffleKeepsTheItems) {
  RandomStream random(1, "shuffle");
  std::vector<int> items(1000);
  std::iota(items.begin(), items.end(), 0);
  const auto sorted = items;
  random.shuffle(std::span<int>(items));
  EXPECT_NE(items, sorted);
  std::ranges::sort(items);
  EXPECT_EQ(items, sorted);
}

}  // namespace
}  // namespace weft
