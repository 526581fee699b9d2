#include "fabric/routing/path_choice.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

namespace weft::fabric {
namespace {

constexpr std::array<std::uint16_t, 5> kPorts{3, 4, 9, 10, 17};
constexpr NextHops kHops(kPorts.data(), kPorts.size());

TEST(PathChoice, EcmpGivesAFlowOnePortAndFlowsAllPorts) {
  std::map<std::uint16_t, int> counts;
  for (std::uint32_t flow = 0; flow < 5'000; ++flow) {
    const std::uint32_t hash = switch_hash(flow, 1);
    EXPECT_EQ(ecmp(kHops, hash), ecmp(kHops, hash));
    ++counts[ecmp(kHops, hash)];
  }
  ASSERT_EQ(counts.size(), kPorts.size());
  for (const std::uint16_t port : kPorts) {
    EXPECT_NEAR(counts[port], 1'000, 150);
  }
}

TEST(PathChoice, SprayUsesAllPortsForThePacketsOfOneFlow) {
  std::map<std::uint16_t, int> counts;
  for (std::uint32_t packet = 0; packet < 5'000; ++packet) {
    ++counts[spray(kHops, 7, packet)];
  }
  ASSERT_EQ(counts.size(), kPorts.size());
  for (const std::uint16_t port : kPorts) {
    EXPECT_NEAR(counts[port], 1'000, 150);
  }
}

TEST(PathChoice, RotateTakesPortsInTurn) {
  std::uint32_t cursor = 3;
  std::vector<std::uint16_t> taken;
  for (int i = 0; i < 4; ++i) {
    taken.push_back(rotate(kHops, cursor));
  }
  EXPECT_EQ(taken, (std::vector<std::uint16_t>{10, 17, 3, 4}));
}

TEST(PathChoice, RotateStartsAnewInASmallerSet) {
  std::uint32_t cursor = 4;
  EXPECT_EQ(rotate(NextHops(kPorts.data(), 2), cursor), 3);
  EXPECT_EQ(rotate(NextHops(kPorts.data(), 2), cursor), 4);
}

TEST(PathChoice, OfOnePortIsThatPort) {
  const NextHops one(kPorts.data() + 2, 1);
  std::uint32_t cursor = 9;
  EXPECT_EQ(ecmp(one, 0xFFFF'FFFF), 9);
  EXPECT_EQ(spray(one, 1, 2), 9);
  EXPECT_EQ(rotate(one, cursor), 9);
}

}  // namespace
}  // namespace weft::fabric
