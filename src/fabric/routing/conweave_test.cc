#include "fabric/routing/conweave.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::fabric {
namespace {

constexpr Time kStart = Time::zero() + 1_ms;
constexpr LeafFlow kFlow{.source = EndpointId(1), .destination = EndpointId(9), .hash = 77, .priority = 3};
constexpr ConWeaveSource::Paths kPaths{.leaf = 5, .count = 8, .round_trip = 6_us};
constexpr Duration kDeadline = 6_us + 4_us;  // the round trip and the margin

ConWeaveHeader header_of(ConWeaveKind kind, std::uint32_t epoch) { return {.epoch = epoch, .kind = kind}; }

TEST(ConWeaveSource, TheFirstPacketOfAnEpochAsksForAReply) {
  ConWeaveSource leaf({}, 1);
  const ConWeaveSource::Sent first = leaf.send(kFlow, kPaths, kStart);
  EXPECT_EQ(first.header.kind, ConWeaveKind::kRequest);
  EXPECT_EQ(first.header.epoch, 1U);
  EXPECT_EQ(first.header.phase, 0);
  EXPECT_TRUE(first.begins);
  EXPECT_FALSE(first.moved);
  const ConWeaveSource::Sent second = leaf.send(kFlow, kPaths, kStart + 1_us);
  EXPECT_EQ(second.header.kind, ConWeaveKind::kData);
  EXPECT_EQ(second.header.path, first.header.path);
  EXPECT_FALSE(second.begins);
}

TEST(ConWeaveSource, AReplyInTimeEndsTheEpochOnTheSamePath) {
  ConWeaveSource leaf({}, 1);
  const std::uint16_t path = leaf.send(kFlow, kPaths, kStart).header.path;
  leaf.answer(kFlow, header_of(ConWeaveKind::kReply, 1), kStart + 9_us);
  for (int i = 0; i < 40; ++i) {
    const ConWeaveSource::Sent next = leaf.send(kFlow, kPaths, kStart + 10_us + i * 1_us);
    EXPECT_EQ(next.header.path, path);
    EXPECT_EQ(next.header.kind, i == 0 ? ConWeaveKind::kRequest : next.header.kind);
    EXPECT_EQ(next.header.epoch, static_cast<std::uint32_t>(i + 2));
    leaf.answer(kFlow, header_of(ConWeaveKind::kReply, next.header.epoch), kStart + 10_us + i * 1_us);
  }
}

TEST(ConWeaveSource, WithoutAReplyTheLastPacketByTheOldPathIsTheTail) {
  ConWeaveSource leaf({}, 1);
  const std::uint16_t path = leaf.send(kFlow, kPaths, kStart).header.path;
  EXPECT_EQ(leaf.send(kFlow, kPaths, kStart + kDeadline).header.kind, ConWeaveKind::kData) << "not yet too late";
  const Time late = kStart + kDeadline + 1_ns;
  const ConWeaveSource::Sent tail = leaf.send(kFlow, kPaths, late);
  EXPECT_EQ(tail.header.kind, ConWeaveKind::kTail);
  EXPECT_EQ(tail.header.path, path);
  EXPECT_EQ(tail.header.phase, 0);
  const ConWeaveSource::Sent next = leaf.send(kFlow, kPaths, late + 1_ns);
  EXPECT_EQ(next.header.phase, 1);
  EXPECT_EQ(next.header.tail_sent, late);
  EXPECT_EQ(next.header.epoch, 1U);
  EXPECT_EQ(next.moved, next.header.path != path);
}

TEST(ConWeaveSource, AReplyThatComesTooLateOrForAnotherEpochSaysNothing) {
  ConWeaveSource leaf({}, 1);
  (void)leaf.send(kFlow, kPaths, kStart);
  leaf.answer(kFlow, header_of(ConWeaveKind::kReply, 2), kStart + 1_us);
  leaf.answer(kFlow, header_of(ConWeaveKind::kClear, 1), kStart + 1_us);  // of a phase that has not begun
  leaf.answer(kFlow, header_of(ConWeaveKind::kReply, 1), kStart + kDeadline);
  leaf.answer({.source = EndpointId(3), .destination = EndpointId(4)}, header_of(ConWeaveKind::kReply, 1), kStart);
  EXPECT_EQ(leaf.send(kFlow, kPaths, kStart + kDeadline + 1_ns).header.kind, ConWeaveKind::kTail);
}

TEST(ConWeaveSource, AnEpochThatMovedEndsWhenTheOrderIsClear) {
  ConWeaveSource leaf({}, 1);
  (void)leaf.send(kFlow, kPaths, kStart);
  (void)leaf.send(kFlow, kPaths, kStart + 11_us);  // the tail
  const std::uint16_t path = leaf.send(kFlow, kPaths, kStart + 12_us).header.path;
  leaf.answer(kFlow, header_of(ConWeaveKind::kReply, 1), kStart + 12_us);
  EXPECT_EQ(leaf.send(kFlow, kPaths, kStart + 13_us).header.phase, 1);
  leaf.answer(kFlow, header_of(ConWeaveKind::kClear, 1), kStart + 20_us);
  const ConWeaveSource::Sent next = leaf.send(kFlow, kPaths, kStart + 21_us);
  EXPECT_EQ(next.header.kind, ConWeaveKind::kRequest);
  EXPECT_EQ(next.header.epoch, 2U);
  EXPECT_EQ(next.header.phase, 0);
  EXPECT_EQ(next.header.path, path);
}

// Or a lost answer would keep a busy flow where it is for good.
TEST(ConWeaveSource, AnEpochThatNobodyClearedEndsAfterTheExpiry) {
  ConWeaveSource leaf({}, 1);
  (void)leaf.send(kFlow, kPaths, kStart);
  const Time tail = kStart + 11_us;
  EXPECT_EQ(leaf.send(kFlow, kPaths, tail).header.kind, ConWeaveKind::kTail);
  for (Time now = tail + 1_us; now <= tail + 300_us; now = now + 1_us) {
    EXPECT_EQ(leaf.send(kFlow, kPaths, now).header.epoch, 1U);
  }
  EXPECT_EQ(leaf.send(kFlow, kPaths, tail + 301_us).header.epoch, 2U);
}

TEST(ConWeaveSource, AFlowThatPausedBeginsAnewByAnyPath) {
  std::set<std::uint16_t> taken;
  ConWeaveSource leaf({}, 1);
  Time now = kStart;
  for (int i = 0; i < 200; ++i, now = now + 301_us) {
    const ConWeaveSource::Sent sent = leaf.send(kFlow, kPaths, now);
    EXPECT_EQ(sent.header.kind, ConWeaveKind::kRequest);
    taken.insert(sent.header.path);
  }
  EXPECT_EQ(taken.size(), 8U);
}

TEST(ConWeaveSource, PathsThatWereReportedAreAvoidedForAWhile) {
  ConWeaveSource leaf({}, 1);
  for (std::uint16_t path = 0; path < 7; ++path) {
    leaf.notify(5, path, kStart);
    leaf.notify(6, 7, kStart);  // the way to another leaf is another way
  }
  (void)leaf.send(kFlow, kPaths, kStart - 1_ms);
  int stayed = 0;
  std::uint16_t before = leaf.send(kFlow, kPaths, kStart - 1_ms).header.path;
  ConWeaveSource fresh = leaf;
  Time now = kStart + 1_ns;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    const LeafFlow flow{.source = EndpointId(i), .destination = EndpointId(9)};
    before = fresh.send(flow, kPaths, kStart - 12_us).header.path;
    EXPECT_EQ(fresh.send(flow, kPaths, now).header.kind, ConWeaveKind::kTail);
    const std::uint16_t after = fresh.send(flow, kPaths, now).header.path;
    EXPECT_TRUE(after == 7 || after == before) << "a path that was reported: " << after;
    stayed += after == before ? 1 : 0;
  }
  // Neither of two samples is the path that is left: (7/8)^2, and of the others those that were on it.
  EXPECT_NEAR(stayed, 2'000 * (49.0 / 64 + 15.0 / 64 / 8), 80);
  std::set<std::uint16_t> later;
  for (std::uint32_t i = 0; i < 200; ++i) {
    const LeafFlow flow{.source = EndpointId(5'000 + i), .destination = EndpointId(9)};
    later.insert(leaf.send(flow, kPaths, kStart + 16_us).header.path);
  }
  EXPECT_EQ(later.size(), 8U) << "after the pause all count again";
}

ConWeaveHeader old_path(Time sent, ConWeaveKind kind = ConWeaveKind::kData, std::uint32_t epoch = 1) {
  return {.sent = sent, .epoch = epoch, .kind = kind};
}
ConWeaveHeader new_path(Time sent, Time tail, std::uint32_t epoch = 1) {
  return {.sent = sent, .tail_sent = tail, .epoch = epoch, .kind = ConWeaveKind::kData, .phase = 1};
}

TEST(ConWeaveDestination, RequestsAreAnswered) {
  ConWeaveDestination leaf({});
  EXPECT_EQ(leaf.on_packet(kFlow, old_path(kStart, ConWeaveKind::kRequest), kStart).answer, ConWeaveKind::kReply);
  EXPECT_EQ(leaf.on_packet(kFlow, old_path(kStart), kStart).answer, ConWeaveKind::kNone);
}

TEST(ConWeaveDestination, WhatOvertakesTheTailWaitsForIt) {
  ConWeaveDestination leaf({});
  // 5 us under way by the old path; the tail leaves 2 us after that packet and is expected 2 us after it.
  (void)leaf.on_packet(kFlow, old_path(kStart, ConWeaveKind::kRequest), kStart + 5_us);
  const auto early = leaf.on_packet(kFlow, new_path(kStart + 3_us, kStart + 2_us), kStart + 6_us);
  EXPECT_TRUE(early.hold);
  EXPECT_EQ(early.until, kStart + 5_us + 2_us + 16_us);
  // Another one by the old path, on its way for 8 us now: expected 1 us after it.
  const auto behind = leaf.on_packet(kFlow, old_path(kStart + 1_us), kStart + 9_us);
  EXPECT_FALSE(behind.hold);
  EXPECT_EQ(behind.until, kStart + 9_us + 1_us + 16_us);
  const auto tail = leaf.on_packet(kFlow, old_path(kStart + 2_us, ConWeaveKind::kTail), kStart + 12_us);
  EXPECT_FALSE(tail.hold);
  EXPECT_TRUE(tail.release_after);
  EXPECT_EQ(tail.answer, ConWeaveKind::kClear);
  EXPECT_FALSE(leaf.on_packet(kFlow, new_path(kStart + 4_us, kStart + 2_us), kStart + 13_us).hold);
}

TEST(ConWeaveDestination, BehindTheTailNothingWaits) {
  ConWeaveDestination leaf({});
  (void)leaf.on_packet(kFlow, old_path(kStart, ConWeaveKind::kRequest), kStart + 5_us);
  const auto tail = leaf.on_packet(kFlow, old_path(kStart + 2_us, ConWeaveKind::kTail), kStart + 7_us);
  EXPECT_FALSE(tail.release_after);
  EXPECT_EQ(tail.answer, ConWeaveKind::kClear);
  EXPECT_FALSE(leaf.on_packet(kFlow, new_path(kStart + 3_us, kStart + 2_us), kStart + 8_us).hold);
}

TEST(ConWeaveDestination, WithoutAnythingByTheOldPathTheDefaultCounts) {
  ConWeaveDestination leaf({});
  const auto early = leaf.on_packet(kFlow, new_path(kStart + 3_us, kStart + 2_us), kStart + 6_us);
  EXPECT_TRUE(early.hold);
  EXPECT_EQ(early.until, kStart + 6_us + 200_us + 16_us);
}

TEST(ConWeaveDestination, AfterTheWaitTheOrderIsGivenUp) {
  ConWeaveDestination leaf({});
  (void)leaf.on_packet(kFlow, old_path(kStart, ConWeaveKind::kRequest), kStart + 5_us);
  EXPECT_TRUE(leaf.on_packet(kFlow, new_path(kStart + 3_us, kStart + 2_us), kStart + 6_us).hold);
  EXPECT_EQ(leaf.give_up(kFlow), 1U);
  EXPECT_FALSE(leaf.on_packet(kFlow, new_path(kStart + 4_us, kStart + 2_us), kStart + 30_us).hold);
  const auto tail = leaf.on_packet(kFlow, old_path(kStart + 2_us, ConWeaveKind::kTail), kStart + 40_us);
  EXPECT_FALSE(tail.release_after);
  EXPECT_EQ(tail.answer, ConWeaveKind::kClear);
}

TEST(ConWeaveDestination, ANewEpochEndsTheWait) {
  ConWeaveDestination leaf({});
  EXPECT_TRUE(leaf.on_packet(kFlow, new_path(kStart + 3_us, kStart + 2_us), kStart + 6_us).hold);
  const auto next = leaf.on_packet(kFlow, old_path(kStart + 9_us, ConWeaveKind::kRequest, 2), kStart + 14_us);
  EXPECT_TRUE(next.release_before);
  EXPECT_FALSE(next.hold);
  EXPECT_FALSE(leaf.on_packet(kFlow, old_path(kStart + 2_us, ConWeaveKind::kTail), kStart + 15_us).release_after)
      << "the tail of an epoch that is over";
}

}  // namespace
}  // namespace weft::fabric
