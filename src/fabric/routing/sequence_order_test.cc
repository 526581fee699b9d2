#include "fabric/routing/sequence_order.h"

#include <gtest/gtest.h>

namespace weft::fabric {
namespace {

using Place = SequenceOrder::Place;
constexpr LeafFlow kFlow{.source = EndpointId(1), .destination = EndpointId(9), .hash = 77, .priority = 3};

TEST(SequenceOrder, EachFlowCountsItsOwnPackets) {
  SequenceSource source;
  LeafFlow other = kFlow;
  other.priority = 4;
  EXPECT_EQ(source.next(kFlow), 0U);
  EXPECT_EQ(source.next(kFlow), 1U);
  EXPECT_EQ(source.next(other), 0U);
}

TEST(SequenceOrder, APacketIsEarlyWhileAnotherBeforeItIsMissing) {
  SequenceOrder order;
  EXPECT_EQ(order.take(kFlow, 0), Place::kDue);
  EXPECT_EQ(order.take(kFlow, 2), Place::kEarly);
  EXPECT_EQ(order.take(kFlow, 1), Place::kDue);
  EXPECT_EQ(order.take(kFlow, 2), Place::kDue);
  EXPECT_EQ(order.take(kFlow, 1), Place::kLate);
}

TEST(SequenceOrder, WhatIsGivenUpIsLateAfterwards) {
  SequenceOrder order;
  order.skip_to(kFlow, 10);
  EXPECT_EQ(order.take(kFlow, 9), Place::kLate);
  EXPECT_EQ(order.take(kFlow, 10), Place::kDue);
}

TEST(SequenceOrder, NumbersWrap) {
  SequenceOrder order;
  order.skip_to(kFlow, 0xFFFFFFFF);
  EXPECT_EQ(order.take(kFlow, 0), Place::kEarly);
  EXPECT_EQ(order.take(kFlow, 0xFFFFFFFF), Place::kDue);
  EXPECT_EQ(order.take(kFlow, 0), Place::kDue);
  EXPECT_EQ(order.take(kFlow, 0xFFFFFFFF), Place::kLate);
}

}  // namespace
}  // namespace weft::fabric
