#include "host/reorder_meter.h"

#include <gtest/gtest.h>

namespace weft::host {
namespace {

using Late = ReorderMeter::Late;

TEST(ReorderMeter, PacketsInOrderAreNotLate) {
  ReorderMeter meter;
  for (std::uint32_t psn = Psn::kModulus - 5; psn < Psn::kModulus + 5; ++psn) {
    meter.note({.flow = 3}, Psn(psn));
  }
  EXPECT_EQ(meter.packets(), 10U);
  EXPECT_TRUE(meter.late().empty());
}

TEST(ReorderMeter, ALatePacketIsAsFarAwayAsTheHighestBeforeIt) {
  ReorderMeter meter;
  for (const std::uint32_t psn : {0U, 4U, 1U, 2U, 5U, 3U}) {
    meter.note({.flow = 3}, Psn(psn));
  }
  EXPECT_EQ(meter.late(), (std::vector<Late>{{2, 2}, {3, 1}}));
}

TEST(ReorderMeter, AnotherFlowInThePlaceBeginsAnew) {
  ReorderMeter meter;
  meter.note({.flow = 3, .epoch = 7}, Psn(100));
  meter.note({.flow = 3, .epoch = 8}, Psn(50));
  EXPECT_TRUE(meter.late().empty());
  meter.note({.flow = 3, .epoch = 8}, Psn(48));
  EXPECT_EQ(meter.late(), (std::vector<Late>{{2, 1}}));
}

TEST(ReorderMeter, FlowsAndDirectionsAreApart) {
  ReorderMeter meter;
  meter.note({.flow = 3}, Psn(100));
  meter.note({.flow = 4}, Psn(1));
  meter.note({.flow = 3, .answers = true}, Psn(2));
  EXPECT_TRUE(meter.late().empty());
}

TEST(ReorderMeter, LargeDistancesShareCountsAndTheLargestIsKept) {
  ReorderMeter meter;
  meter.note({.flow = 3}, Psn(100'000));
  for (const std::uint32_t distance : {31U, 32U, 33U, 1'000U, 1'010U, 99'999U}) {
    meter.note({.flow = 3}, Psn(100'000 - distance));
  }
  EXPECT_EQ(meter.late(), (std::vector<Late>{{31, 1}, {33, 2}, {1'010, 2}, {99'999, 1}}));
}

TEST(ReorderMeter, AQueuePairThatIsGoneLeavesNothingBehind) {
  ReorderMeter meter;
  meter.note({.flow = 3}, Psn(100));
  meter.forget(3);
  meter.note({.flow = 3}, Psn(1));
  EXPECT_TRUE(meter.late().empty());
}

}  // namespace
}  // namespace weft::host
