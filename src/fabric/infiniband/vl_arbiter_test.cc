#include "fabric/infiniband/vl_arbiter.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::fabric {
namespace {

constexpr std::uint32_t kBoth = 0b11;

std::vector<std::uint32_t> serve(const VlArbitration& tables, std::uint32_t blocks, std::size_t packets) {
  VlArbiter arbiter;
  std::vector<std::uint32_t> order;
  while (order.size() < packets) {
    order.push_back(arbiter.pick(tables, kBoth));
    arbiter.charge(blocks);
  }
  return order;
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, AnEntrySendsUntilItsWeightIsUsedUp) {
  const VlArbitration tables{.high = {}, .low = {{.lane = 0, .weight = 2}, {.lane = 1, .weight = 3}}};
  EXPECT_EQ(serve(tables, 1, 7), (std::vector<std::uint32_t>{0, 0, 1, 1, 1, 0, 0}));
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, ThePacketThatUsesTheWeightUpGoesWhole) {
  const VlArbitration tables{.high = {}, .low = {{.lane = 0, .weight = 3}, {.lane = 1, .weight = 1}}};
  EXPECT_EQ(serve(tables, 2, 6), (std::vector<std::uint32_t>{0, 0, 1, 0, 0, 1}));
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, EntriesWithoutWeightAreSkipped) {
  const VlArbitration tables{.high = {}, .low = {{.lane = 0, .weight = 0}, {.lane = 1, .weight = 1}}};
  EXPECT_EQ(serve(tables, 1, 3), (std::vector<std::uint32_t>{1, 1, 1}));
  VlArbiter arbiter;
  EXPECT_EQ(arbiter.pick(tables, 0b01), VlArbiter::kNobody);
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, ALaneMayHaveSeveralEntries) {
  const VlArbitration tables{.high = {},
                             .low = {{.lane = 0, .weight = 1}, {.lane = 1, .weight = 1}, {.lane = 0, .weight = 1}}};
  EXPECT_EQ(serve(tables, 1, 6), (std::vector<std::uint32_t>{0, 1, 0, 0, 1, 0}));
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, HighLimitZeroAlternatesPackets) {
  const VlArbitration tables{
      .high = {{.lane = 0, .weight = 255}}, .low = {{.lane = 1, .weight = 255}}, .high_limit = 0};
  EXPECT_EQ(serve(tables, 66, 4), (std::vector<std::uint32_t>{0, 1, 0, 1}));
}

//= ibta-1.7 7.6.9
TEST(VlArbiter, HighLimitCountsUnitsOf4096Bytes) {
  const VlArbitration tables{
      .high = {{.lane = 0, .weight = 255}}, .low = {{.lane = 1, .weight = 255}}, .high_limit = 1};
  EXPECT_EQ(serve(tables, 32, 6), (std::vector<std::uint32_t>{0, 0, 1, 0, 0, 1}));
}

TEST(VlArbiter, AChanceThatTheLowTableCannotUsePasses) {
  const VlArbitration tables{
      .high = {{.lane = 0, .weight = 255}}, .low = {{.lane = 1, .weight = 255}}, .high_limit = 0};
  VlArbiter arbiter;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(arbiter.pick(tables, 0b01), 0U);
    arbiter.charge(1);
  }
  EXPECT_EQ(arbiter.pick(tables, kBoth), 1U);
}

}  // namespace
}  // namespace weft::fabric
