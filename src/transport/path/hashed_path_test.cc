#include "transport/path/hashed_path.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::transport {
namespace {

constexpr EntropyRange kRange{.base = 0xC000, .paths = 16};

TEST(HashedPath, PacketsOfABurstShareAPathAndABurstTakesItAgain) {
  HashedPath path({.range = kRange, .burst = 8, .seed = 3});
  std::map<std::uint32_t, std::uint16_t> of_burst;
  for (std::uint32_t psn = 0; psn < 800; ++psn) {
    const std::uint16_t entropy = path.entropy_for(Psn(psn), Time::zero());
    EXPECT_TRUE(kRange.contains(entropy));
    EXPECT_EQ(of_burst.try_emplace(psn / 8, entropy).first->second, entropy);
  }
  EXPECT_EQ(path.entropy_for(Psn(13), Time::zero()), of_burst[1]);
}

// 1,600 packets over 16 paths: 100 each, with a deviation of 10.
TEST(HashedPath, EveryPathGetsItsShareAndConsecutivePacketsAreIndependent) {
  HashedPath path({.range = kRange, .seed = 3});
  std::map<std::uint16_t, int> uses;
  int repeats = 0;
  std::uint16_t last = 0;
  for (std::uint32_t psn = 0; psn < 1'600; ++psn) {
    const std::uint16_t entropy = path.entropy_for(Psn(psn), Time::zero());
    ++uses[entropy];
    repeats += entropy == last ? 1 : 0;
    last = entropy;
  }
  ASSERT_EQ(uses.size(), 16U);
  for (const auto& [entropy, count] : uses) {
    EXPECT_NEAR(count, 100, 45) << entropy;
  }
  EXPECT_NEAR(repeats, 100, 45);
}

TEST(HashedPath, AnotherSeedGivesOtherPaths) {
  HashedPath one({.range = kRange, .seed = 3});
  HashedPath other({.range = kRange, .seed = 4});
  int same = 0;
  for (std::uint32_t psn = 0; psn < 1'600; ++psn) {
    same += one.entropy_for(Psn(psn), Time::zero()) == other.entropy_for(Psn(psn), Time::zero()) ? 1 : 0;
  }
  EXPECT_NEAR(same, 100, 45);
}

TEST(HashedPathDeathTest, NeedsABurst) { EXPECT_DEATH(HashedPath({.range = kRange, .burst = 0}), "burst"); }

}  // namespace
}  // namespace weft::transport
