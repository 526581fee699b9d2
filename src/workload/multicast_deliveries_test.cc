#include "workload/multicast_deliveries.h"

#include <gtest/gtest.h>

namespace weft::workload {
namespace {

using QueuePair = MulticastDeliveries::QueuePair;

constexpr RankId kSender{0};
constexpr RankId kNear{1};
constexpr RankId kFar{2};
constexpr QueuePair kFrom{.endpoint = EndpointId(4), .qpn = Qpn(9)};

MulticastDeliveries group() {
  MulticastDeliveries deliveries({.senders = {kSender}, .members = {kSender, kNear, kFar}});
  deliveries.add_sender(kFrom, kSender);
  return deliveries;
}

TEST(MulticastDeliveries, ADatagramIsForEveryMemberButItsSender) {
  MulticastDeliveries deliveries = group();
  deliveries.on_posted(kSender, 0, Time::zero());
  EXPECT_EQ(deliveries.counts().expected, 2U);
  EXPECT_EQ(deliveries.members()[0].expected, 0U);
  EXPECT_EQ(deliveries.members()[1].expected, 1U);
}

TEST(MulticastDeliveries, LatenciesAreThoseOfTheFirstAndOfTheLastMember) {
  MulticastDeliveries deliveries = group();
  deliveries.on_posted(kSender, 0, Time::zero() + 1_us);
  deliveries.on_delivered(kNear, kFrom, 0, Time::zero() + 3_us);
  deliveries.on_delivered(kFar, kFrom, 0, Time::zero() + 8_us);
  deliveries.on_posted(kSender, 1, Time::zero() + 10_us);
  deliveries.on_delivered(kFar, kFrom, 1, Time::zero() + 14_us);
  deliveries.on_delivered(kNear, kFrom, 1, Time::zero() + 15_us);
  const MulticastCounts counts = deliveries.counts();
  EXPECT_EQ(counts.first.mean(), 3_us);
  EXPECT_EQ(counts.first.most, 4_us);
  EXPECT_EQ(counts.last.mean(), 6_us);
  EXPECT_EQ(counts.last.least, 5_us);
  EXPECT_EQ(counts.last.most, 7_us);
  EXPECT_EQ(deliveries.members()[2].latency.most, 7_us);
}

TEST(MulticastDeliveries, ASecondCopyIsCountedAndIsNoDelivery) {
  MulticastDeliveries deliveries = group();
  deliveries.on_posted(kSender, 0, Time::zero());
  deliveries.on_delivered(kNear, kFrom, 0, Time::zero() + 1_us);
  deliveries.on_delivered(kNear, kFrom, 0, Time::zero() + 2_us);
  EXPECT_EQ(deliveries.counts().repeated, 1U);
  EXPECT_EQ(deliveries.counts().delivered, 1U);
}

TEST(MulticastDeliveries, ADatagramOfNobodyKnownIsNotCounted) {
  MulticastDeliveries deliveries = group();
  deliveries.on_posted(kSender, 0, Time::zero());
  deliveries.on_delivered(kNear, {.endpoint = EndpointId(5), .qpn = Qpn(9)}, 0, Time::zero() + 1_us);
  EXPECT_EQ(deliveries.counts().delivered, 0U);
  EXPECT_EQ(deliveries.counts().repeated, 0U);
}

TEST(MulticastDeliveries, TheGroupEndsWhenAllIsSentAndDelivered) {
  MulticastDeliveries deliveries = group();
  int told = 0;
  deliveries.on_end([&] { ++told; });
  deliveries.on_posted(kSender, 0, Time::zero());
  deliveries.on_delivered(kNear, kFrom, 0, Time::zero() + 1_us);
  deliveries.on_sender_done(kSender, Time::zero() + 1_us);
  EXPECT_FALSE(deliveries.has_ended());
  deliveries.on_delivered(kFar, kFrom, 0, Time::zero() + 2_us);
  EXPECT_TRUE(deliveries.has_ended());
  EXPECT_EQ(told, 1);
}

TEST(MulticastDeliveries, WhatIsGivenUpIsIncomplete) {
  MulticastDeliveries deliveries = group();
  deliveries.on_posted(kSender, 0, Time::zero());
  deliveries.on_posted(kSender, 1, Time::zero());
  for (const RankId member : {kNear, kFar})
    deliveries.on_delivered(member, kFrom, 1, Time::zero() + 1_us);
  deliveries.on_delivered(kNear, kFrom, 0, Time::zero() + 1_us);
  deliveries.on_sender_done(kSender, Time::zero() + 1_us);
  EXPECT_EQ(deliveries.last_activity(), Time::zero() + 1_us);
  deliveries.give_up();
  EXPECT_TRUE(deliveries.has_ended());
  EXPECT_EQ(deliveries.counts().incomplete, 1U);
  EXPECT_EQ(deliveries.counts().delivered, 3U);
}

}  // namespace
}  // namespace weft::workload
