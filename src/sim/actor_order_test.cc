#include "sim/actor_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "base/stable_hash.h"

namespace weft::sim {
namespace {

std::uint64_t name(const std::string& text) { return stable_hash(1, text); }

TEST(Ranks, AreDenseAndDistinct) {
  std::array<Wake, 6> wakes;
  ActorOrder table;
  for (std::uint32_t i = 0; i < wakes.size(); ++i) {
    table.add({name("host" + std::to_string(i / 2)), i % 2}, wakes[i]);
  }
  table.assign();
  std::vector<int> seen(wakes.size());
  for (const Wake& wake : wakes) {
    ASSERT_LT(wake.rank(), wakes.size());
    ++seen[wake.rank()];
  }
  EXPECT_EQ(seen, std::vector<int>(wakes.size(), 1));
}

TEST(Ranks, DoNotDependOnTheOrderOfAdding) {
  std::array<Wake, 20> forwards;
  std::array<Wake, 20> backwards;
  ActorOrder first;
  ActorOrder second;
  for (std::uint32_t i = 0; i < 20; ++i) {
    first.add({name(std::to_string(i)), 3}, forwards[i]);
    second.add({name(std::to_string(19 - i)), 3}, backwards[19 - i]);
  }
  first.assign();
  second.assign();
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(forwards[i].rank(), backwards[i].rank());
  }
}

TEST(Ranks, KeepTheirOrderWhenOthersAreAdded) {
  std::array<Wake, 10> few;
  std::array<Wake, 60> many;
  ActorOrder small;
  ActorOrder large;
  for (std::uint32_t i = 0; i < 10; ++i) {
    small.add({name("host" + std::to_string(i)), 0}, few[i]);
  }
  for (std::uint32_t i = 0; i < 60; ++i) {
    large.add({name("host" + std::to_string(i)), 0}, many[i]);
  }
  small.assign();
  large.assign();
  for (std::size_t a = 0; a < 10; ++a) {
    for (std::size_t b = 0; b < 10; ++b) {
      EXPECT_EQ(few[a].rank() < few[b].rank(), many[a].rank() < many[b].rank());
    }
  }
}

TEST(Ranks, DependOnTheSeedOfTheNames) {
  const auto order = [](std::uint64_t seed) {
    std::array<Wake, 12> wakes;
    ActorOrder table;
    for (std::uint32_t i = 0; i < 12; ++i) {
      table.add({stable_hash(seed, "host" + std::to_string(i)), 0}, wakes[i]);
    }
    table.assign();
    std::vector<std::uint32_t> ranks;
    for (const Wake& wake : wakes) {
      ranks.push_back(wake.rank());
    }
    return ranks;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(RanksDeathTest, RefuseTwoActorsOfOneKey) {
  std::array<Wake, 2> wakes;
  ActorOrder table;
  table.add({7, 1}, wakes[0]);
  table.add({7, 1}, wakes[1]);
  EXPECT_DEATH(table.assign(), "");
}

// Derived from the rule alone: the hash of a key, and the key itself where hashes are the same.
TEST(Ranks, AreThoseOfAPlainSortOnAnyNumberOfThreads) {
  constexpr std::uint32_t kActors = 40'000;
  std::vector<ActorKey> keys;
  for (std::uint32_t i = 0; i < kActors; ++i) {
    keys.push_back({name(std::to_string(i / 4)), i % 4});
  }
  const auto place = [&keys](std::uint32_t i) {
    const std::uint64_t hash = SplitMix64(keys[i].owner + std::uint64_t{keys[i].role} * 0x9e3779b97f4a7c15).next();
    return std::tuple(hash, keys[i].owner, keys[i].role);
  };
  std::vector<std::uint32_t> sorted(kActors);
  std::iota(sorted.begin(), sorted.end(), 0U);
  std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  for (const std::uint32_t threads : {1U, 2U, 3U}) {
    std::vector<Wake> wakes(kActors);
    ActorOrder table;
    for (std::uint32_t i = 0; i < kActors; ++i) {
      table.add(keys[i], wakes[i]);
    }
    table.assign(threads);
    for (std::uint32_t rank = 0; rank < kActors; ++rank) {
      ASSERT_EQ(wakes[sorted[rank]].rank(), rank) << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace weft::sim
