#include "transport/path/round_robin_path.h"

#include <gtest/gtest.h>

#include <map>

namespace weft::transport {
namespace {

TEST(RoundRobinPath, ConsecutivePacketsShareThePathsEqually) {
  constexpr std::uint16_t kPaths[] = {1, 2, 7, 64};
  for (const std::uint16_t paths : kPaths) {
    RoundRobinPath path({.base = 0xC000, .paths = paths});
    std::map<std::uint16_t, int> uses;
    for (std::uint32_t psn = 0; psn < 10U * paths; ++psn) {
      ++uses[path.entropy_for(Psn(psn), Time::zero())];
    }
    ASSERT_EQ(uses.size(), paths);
    EXPECT_EQ(uses.begin()->first, 0xC000);
    EXPECT_EQ(uses.rbegin()->first, 0xC000 + paths - 1);
    for (const auto& [entropy, count] : uses) {
      EXPECT_EQ(count, 10) << entropy;
    }
  }
}

TEST(RoundRobinPath, PathDependsOnThePacketAlone) {
  RoundRobinPath path({.base = 0xD000, .paths = 5});
  const std::uint16_t before = path.entropy_for(Psn(123), Time::zero());
  path.on_loss(before, PathLoss::kTimeout, Time::zero());
  EXPECT_EQ(path.entropy_for(Psn(123), Time::zero() + Duration::microseconds(9)), before);
}

TEST(RoundRobinPath, PacketsOfABurstShareAPath) {
  RoundRobinPath path({.base = 0xC000, .paths = 4}, 8);
  for (std::uint32_t psn = 0; psn < 320; ++psn) {
    EXPECT_EQ(path.entropy_for(Psn(psn), Time::zero()), 0xC000 + psn / 8 % 4);
  }
}

TEST(RoundRobinPath, TellsItsNumberOfPathsAndLearnsNothing) {
  const RoundRobinPath path({.paths = 5});
  EXPECT_EQ(path.paths(), 5U);
  EXPECT_FALSE(path.wants_feedback());
}

TEST(RoundRobinPathDeathTest, NeedsAPath) { EXPECT_DEATH(RoundRobinPath({.paths = 0}), "paths"); }

}  // namespace
}  // namespace weft::transport
