#include "transport/path/oblivious_path.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace weft::transport {
namespace {

std::vector<std::uint16_t> next(PathSelector& path, int count) {
  std::vector<std::uint16_t> taken;
  for (int i = 0; i < count; ++i) {
    taken.push_back(path.entropy_for(Psn(0), Time::zero()));
  }
  return taken;
}

TEST(ObliviousPath, TakesEveryPathOncePerCycle) {
  constexpr std::uint16_t kPaths[] = {1, 2, 16, 128};
  for (const std::uint16_t paths : kPaths) {
    ObliviousPath path({.base = 0xC000, .paths = paths}, RandomStream(1, "flow"));
    for (int cycle = 0; cycle < 5; ++cycle) {
      const std::vector<std::uint16_t> taken = next(path, paths);
      const std::set<std::uint16_t> different(taken.begin(), taken.end());
      EXPECT_EQ(different.size(), paths);
      EXPECT_EQ(*different.begin(), 0xC000);
      EXPECT_EQ(*different.rbegin(), 0xC000 + paths - 1);
    }
  }
}

TEST(ObliviousPath, ACycleIsACounterXorAMask) {
  ObliviousPath path({.base = 0, .paths = 64}, RandomStream(1, "flow"));
  std::set<std::uint16_t> masks;
  for (int cycle = 0; cycle < 20; ++cycle) {
    const std::vector<std::uint16_t> taken = next(path, 64);
    for (std::uint16_t i = 0; i < 64; ++i) {
      EXPECT_EQ(taken[i] ^ taken[0], i);
    }
    masks.insert(taken[0]);
  }
  // 20 masks of 64: the chance of fewer than 10 different ones is below one in a million.
  EXPECT_GE(masks.size(), 10U);
}

TEST(ObliviousPath, OrderFollowsTheStreamAlone) {
  ObliviousPath one({.paths = 32}, RandomStream(1, "one"));
  ObliviousPath same({.paths = 32}, RandomStream(1, "one"));
  ObliviousPath other({.paths = 32}, RandomStream(1, "other"));
  same.on_loss(0xC003, PathLoss::kTimeout, Time::zero());
  const std::vector<std::uint16_t> taken = next(one, 320);
  EXPECT_EQ(taken, next(same, 320));
  EXPECT_NE(taken, next(other, 320));
}

TEST(ObliviousPath, LearnsNothing) {
  const ObliviousPath path({.paths = 32}, RandomStream(1, "flow"));
  EXPECT_FALSE(path.wants_feedback());
  EXPECT_EQ(path.paths(), 32U);
}

TEST(ObliviousPathDeathTest, NeedsAPowerOfTwo) {
  EXPECT_DEATH(ObliviousPath({.paths = 48}, RandomStream(1, "flow")), "single_bit");
}

}  // namespace
}  // namespace weft::transport
