#include "sim/actor_order.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

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

}  // namespace
}  // namespace weft::sim
