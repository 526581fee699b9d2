#include "fabric/routing/pinned_flows.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

LeafFlow flow(std::uint32_t source, std::uint32_t hash = 7, std::uint8_t priority = 3) {
  return {.source = EndpointId(source), .destination = EndpointId(9), .hash = hash, .priority = priority};
}

TEST(PinnedFlows, HoldsAsManyFlowsAsItsCapacityAndReplacesTheirPorts) {
  PinnedFlows table(2);
  EXPECT_EQ(table.install(flow(1), 4), PinnedFlows::Outcome::kInstalled);
  EXPECT_EQ(table.install(flow(2), 5), PinnedFlows::Outcome::kInstalled);
  EXPECT_EQ(table.install(flow(3), 6), PinnedFlows::Outcome::kFull);
  EXPECT_EQ(table.install(flow(2), 7), PinnedFlows::Outcome::kInstalled) << "it has an entry already";
  EXPECT_EQ(table.find(flow(2)), 7);
  EXPECT_EQ(table.find(flow(3)), std::nullopt);
  table.remove(flow(1));
  EXPECT_EQ(table.find(flow(1)), std::nullopt);
  EXPECT_EQ(table.install(flow(3), 6), PinnedFlows::Outcome::kInstalled);
  EXPECT_EQ(table.size(), 2U);
}

TEST(PinnedFlows, TellsFlowsOfOnePairApartButNotTheirPriorities) {
  PinnedFlows table(4);
  table.install(flow(1, 7, 3), 4);
  EXPECT_EQ(table.find(flow(1, 7, 0)), 4);
  EXPECT_EQ(table.find(flow(1, 8, 3)), std::nullopt);
}

TEST(FlowMeter, CountsByFlowInTheOrderOfFlowsAndBeginsAnew) {
  FlowMeter meter;
  EXPECT_TRUE(meter.add(flow(2), 100));
  EXPECT_FALSE(meter.add(flow(1), 10));
  EXPECT_FALSE(meter.add(flow(2, 7, 0), 1));
  EXPECT_EQ(meter.take(),
            (std::vector<MeteredFlow>{{.flow = flow(1, 7, 0), .bytes = 10}, {.flow = flow(2, 7, 0), .bytes = 101}}));
  EXPECT_TRUE(meter.take().empty());
  EXPECT_TRUE(meter.add(flow(2), 100)) << "the first again";
}

}  // namespace
}  // namespace weft::fabric
