#include "fabric/routing/drill.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace weft::fabric {
namespace {

constexpr std::array<std::uint16_t, 4> kPorts{3, 5, 8, 9};
constexpr NextHops kHops(kPorts.data(), kPorts.size());

/// One balancer with its stream of random numbers.
struct Chooser {
  explicit Chooser(const DrillOptions& options) : drill(options, 3) {}

  std::uint16_t choose(const std::map<std::uint16_t, std::uint64_t>& loads, std::uint32_t engine = 0,
                       const NextHops& hops = kHops) {
    return drill.choose(hops, engine, {.seed = 7, .count = count}, [&](std::uint16_t port) {
      ++looks;
      return loads.at(port);
    });
  }

  Drill drill;
  std::uint32_t count = 0;
  int looks = 0;
};

const std::map<std::uint16_t, std::uint64_t> kEqual{{3, 5}, {5, 5}, {8, 5}, {9, 5}};

TEST(Drill, WithAllPortsAsSamplesTakesTheLeastLoaded) {
  Chooser all({.samples = 4, .memory = 0});
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(all.choose({{3, 4}, {5, 9}, {8, 3}, {9, 7}}), 8);
  }
}

TEST(Drill, LooksAtDistinctSamplesAndAtTheOnesThatItRemembers) {
  Chooser two({.samples = 2, .memory = 0});
  (void)two.choose(kEqual);
  EXPECT_EQ(two.looks, 2);
  Chooser many({.samples = 16, .memory = 2});
  (void)many.choose(kEqual);
  (void)many.choose(kEqual);
  EXPECT_EQ(many.looks, 8) << "each of the four once, remembered or not";
}

// A port with the least load is among two distinct samples of four with probability 1/2.
TEST(Drill, TheLeastLoadedPortIsTakenAsOftenAsItIsSampled) {
  Chooser two({.samples = 2, .memory = 0});
  int least = 0;
  for (int i = 0; i < 4'000; ++i) {
    least += two.choose({{3, 4}, {5, 9}, {8, 3}, {9, 7}}) == 8 ? 1 : 0;
  }
  EXPECT_NEAR(least, 2'000, 150);
}

TEST(Drill, RemembersTheLeastLoadedPort) {
  Chooser one({.samples = 1, .memory = 1});
  const std::map<std::uint16_t, std::uint64_t> loads{{3, 4}, {5, 9}, {8, 3}, {9, 7}};
  for (int i = 0; i < 100; ++i) {
    (void)one.choose(loads);
  }
  // Once it has been sampled, nothing is better.
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(one.choose(loads), 8);
  }
}

TEST(Drill, EachEngineHasAMemoryOfItsOwn) {
  Chooser one({.samples = 1, .memory = 1});
  for (int i = 0; i < 100; ++i) {
    (void)one.choose({{3, 4}, {5, 9}, {8, 3}, {9, 7}}, 0);
  }
  int least = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    Chooser other = one;
    other.count = 1'000 + i;
    least += other.choose({{3, 4}, {5, 9}, {8, 3}, {9, 7}}, 1) == 8 ? 1 : 0;
  }
  EXPECT_NEAR(least, 25, 15);
}

TEST(Drill, EqualPortsAreUsedAlike) {
  Chooser drill({});
  std::map<std::uint16_t, int> counts;
  for (int i = 0; i < 4'000; ++i) {
    ++counts[drill.choose(kEqual)];
  }
  ASSERT_EQ(counts.size(), 4U);
  for (const auto& [port, packets] : counts) {
    EXPECT_NEAR(packets, 1'000, 130) << port;
  }
}

TEST(Drill, APortThatIsNoNextHopAnyMoreIsForgotten) {
  Chooser one({.samples = 1, .memory = 1});
  const std::map<std::uint16_t, std::uint64_t> loads{{3, 4}, {5, 9}, {8, 0}, {9, 7}};
  for (int i = 0; i < 100; ++i) {
    (void)one.choose(loads);
  }
  const std::array<std::uint16_t, 3> left{3, 5, 9};
  for (int i = 0; i < 100; ++i) {
    EXPECT_NE(one.choose(loads, 0, NextHops(left.data(), left.size())), 8);
  }
}

// Balls into bins: n balls for n bins at random leave about ln n / ln ln n in the fullest, two choices ln ln n / ln 2
// (Azar et al., "Balanced allocations", STOC 1994), and a memory makes it no worse.
TEST(Drill, TwoChoicesLevelQueuesThatRandomOnesDoNot) {
  constexpr std::uint16_t kBins = 256;
  std::vector<std::uint16_t> ports(kBins);
  for (std::uint16_t i = 0; i < kBins; ++i) {
    ports[i] = i;
  }
  const NextHops hops(ports.data(), kBins);
  const auto fullest = [&](const DrillOptions& options) {
    Drill drill(options, 1);
    std::uint32_t count = 0;
    std::vector<std::uint64_t> bins(kBins);
    for (std::uint32_t ball = 0; ball < kBins; ++ball) {
      ++bins[drill.choose(hops, 0, {.seed = 3, .count = count}, [&](std::uint16_t port) { return bins[port]; })];
    }
    return *std::max_element(bins.begin(), bins.end());
  };
  EXPECT_GE(fullest({.samples = 1, .memory = 0}), 4U);
  EXPECT_LE(fullest({.samples = 2, .memory = 0}), 3U);
  EXPECT_LE(fullest({}), 3U);
}

}  // namespace
}  // namespace weft::fabric
