// States of a reliable connection at work: draining, failing, starting anew, and what unsignalled requests report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/property/tapped_pair.h"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using verbs::AsyncEventType;
using verbs::QpState;
using verbs::WcStatus;
using verbs::WrOpcode;

constexpr std::uint32_t kMtu = 1'024;

std::vector<std::uint64_t> ids(const std::vector<verbs::WorkCompletion>& completions, WcStatus status) {
  std::vector<std::uint64_t> all;
  for (const verbs::WorkCompletion& completion : completions) {
    EXPECT_EQ(completion.status, status) << completion.wr_id;
    all.push_back(completion.wr_id);
  }
  return all;
}

/// Runs until side 0 has sent `count` packets.
void run_until_sent(TappedPair& pair, std::size_t count) {
  while (pair.requests_of(0).size() < count) {
    pair.network().run_until(pair.network().now() + Duration::nanoseconds(10));
  }
}

//= ibta-1.7 10.3.1.5
TEST(RcDraining, FinishesTheCurrentMessageAndBeginsNoOther) {
  constexpr std::uint32_t kPackets = 10;
  for (const std::size_t sent : {1U, 3U, 9U}) {
    TappedPair pair({});
    ASSERT_TRUE(pair.post(0, {.wr_id = 1, .length = kPackets * kMtu}));
    ASSERT_TRUE(pair.post(0, {.wr_id = 2, .length = kMtu}));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .wr_id = 3, .length = kMtu}));
    run_until_sent(pair, sent);
    ASSERT_TRUE(pair.move_to(0, QpState::kSqd));
    EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 0);
    ASSERT_TRUE(pair.post(0, {.wr_id = 4, .length = 0}));
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(pair.requests_of(0).size(), kPackets);
    EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kSuccess), ElementsAre(1));
    EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 1);
    ASSERT_TRUE(pair.move_to(0, QpState::kRts));
    ASSERT_TRUE(pair.network().run());
    EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kSuccess), ElementsAre(2, 3, 4));
    EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 0);
  }
}

TEST(RcDraining, IsOverOnlyWhenLostPacketsHaveArrivedAfterAll) {
  TappedPair pair({.timeout = 3});
  pair.set_judge([](const Logged&, std::size_t i) { return i == 1 || i == 3 ? Fate::lost() : Fate{}; });
  ASSERT_TRUE(pair.post(0, {.wr_id = 1, .length = 4 * kMtu}));
  ASSERT_TRUE(pair.post(0, {.wr_id = 2, .length = kMtu}));
  run_until_sent(pair, 2);
  ASSERT_TRUE(pair.move_to(0, QpState::kSqd));
  while (pair.side(0).poll_send().empty()) {
    EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 0);
    pair.network().run_until(pair.network().now() + Duration::nanoseconds(100));
  }
  EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 1);
  EXPECT_GE(pair.qp(0).counters().retransmitted_packets, 1U);
  EXPECT_EQ(pair.qp(0).requester().queued(), 1U);
}

TEST(RcDraining, OfAnIdleQueueIsOverAtOnceEachTime) {
  TappedPair pair({});
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(pair.move_to(0, QpState::kSqd));
    EXPECT_EQ(pair.take_events(0, AsyncEventType::kSqDrained), 1);
    ASSERT_TRUE(pair.move_to(0, QpState::kRts));
  }
}

TEST(RcDraining, StillAnswersThePeer) {
  TappedPair pair({});
  ASSERT_TRUE(pair.move_to(0, QpState::kSqd));
  ASSERT_TRUE(pair.post(1, {.wr_id = 1, .length = 3 * kMtu}));
  ASSERT_TRUE(pair.post(1, {.opcode = WrOpcode::kRdmaRead, .wr_id = 2, .length = 3 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_THAT(ids(pair.side(1).poll_send(), WcStatus::kSuccess), ElementsAre(1, 2));
}

//= ibta-1.7 10.3.1.6
TEST(RcError, FlushesBothQueuesInTheOrderOfPosting) {
  TappedPair pair({});
  for (std::uint64_t i = 0; i < 5; ++i) {
    const std::uint8_t flags = i % 2 == 0 ? std::uint8_t{verbs::kSendSignaled} : std::uint8_t{0};
    ASSERT_TRUE(pair.post(0, {.wr_id = i, .length = 3 * kMtu, .flags = flags}));
    ASSERT_TRUE(pair.side(0).post_recv(100 + i, 0, 64));
  }
  run_until_sent(pair, 4);
  ASSERT_TRUE(pair.move_to(0, QpState::kErr));
  // Failure is told of unsignalled requests too.
  EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kWrFlushErr), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(ids(pair.side(0).poll_recv(), WcStatus::kWrFlushErr), ElementsAre(100, 101, 102, 103, 104));
  ASSERT_TRUE(pair.post(0, {.wr_id = 7, .length = 1}));
  ASSERT_TRUE(pair.side(0).post_recv(107, 0, 64));
  EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kWrFlushErr), ElementsAre(7));
  EXPECT_THAT(ids(pair.side(0).poll_recv(), WcStatus::kWrFlushErr), ElementsAre(107));
  const std::size_t sent = pair.requests_of(0).size();
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.requests_of(0).size(), sent);
  EXPECT_TRUE(pair.side(0).poll_send().empty());
}

TEST(RcReset, EmptiesEverythingWithoutACompletionAndTheConnectionCanBeMadeAgain) {
  const RcPairOptions options{.first_psn = Psn(77)};
  TappedPair pair(options);
  ASSERT_TRUE(pair.side(0).post_recv(1, 0, 64));
  ASSERT_TRUE(pair.post(0, {.length = 30 * kMtu}));
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 30 * kMtu}));
  run_until_sent(pair, 8);
  for (const int side : {0, 1}) {
    ASSERT_TRUE(pair.move_to(side, QpState::kReset));
    EXPECT_TRUE(pair.side(side).poll_send().empty());
    EXPECT_TRUE(pair.side(side).poll_recv().empty());
    EXPECT_EQ(pair.qp(side).requester().queued(), 0U);
    EXPECT_TRUE(pair.qp(side).next_timeout().is_never());
    EXPECT_TRUE(pair.qp(side).next_transmit().is_never());
  }
  ASSERT_TRUE(pair.network().run());
  const std::size_t before = pair.departures().size();
  pair.side(0).connect(pair.side(1), options);
  pair.side(1).connect(pair.side(0), options);
  ASSERT_TRUE(pair.post(0, {.wr_id = 5, .length = 3 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kSuccess), ElementsAre(5));
  EXPECT_EQ(pair.departures().at(before).psn(), Psn(77));
  EXPECT_TRUE(pair.side(0).poll_recv().empty());
}

//= ibta-1.7 10.7.3.1
TEST(RcUnsignalled, CompletesOnlyWhenItFails) {
  TappedPair pair({});
  ASSERT_TRUE(pair.post(0, {.wr_id = 1, .length = kMtu, .flags = 0}));
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .wr_id = 2, .length = kMtu, .flags = 0}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.qp(0).requester().queued(), 0U);
  EXPECT_TRUE(pair.side(0).poll_send().empty());
  // Beyond the end of the peer's region.
  ASSERT_TRUE(pair.post(0, {.wr_id = 3, .length = kMtu, .remote = RcPairOptions{}.memory_bytes, .flags = 0}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_THAT(ids(pair.side(0).poll_send(), WcStatus::kRemAccessErr), ElementsAre(3));
  EXPECT_EQ(pair.qp(0).state(), QpState::kErr);
}

//= ibta-1.7 11.6.3
TEST(RcCompletionQueue, OverflowEndsTheQueuePairAndRaisesOneEvent) {
  TappedPair pair({.cq_capacity = 2});
  for (std::uint64_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(pair.post(0, {.wr_id = i, .length = 8}));
  }
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.qp(0).state(), QpState::kErr);
  EXPECT_EQ(pair.take_events(0, AsyncEventType::kCqErr), 1);
  EXPECT_EQ(pair.qp(1).state(), QpState::kRts);
}

TEST(RcCompletionQueue, OverflowOfTheReceiversEndsTheReceiver) {
  TappedPair pair({}, {.cq_capacity = 2});
  for (std::uint64_t i = 0; i < 4; ++i) {
    ASSERT_TRUE(pair.side(1).post_recv(i, 0, 64));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .wr_id = i, .length = 8}));
  }
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.qp(1).state(), QpState::kErr);
  EXPECT_EQ(pair.take_events(1, AsyncEventType::kCqErr), 1);
  EXPECT_EQ(pair.qp(0).state(), QpState::kErr);
  const auto completions = pair.side(0).poll_send();
  ASSERT_EQ(completions.size(), 4U);
  EXPECT_EQ(completions[1].status, WcStatus::kSuccess);
  EXPECT_EQ(completions[2].status, WcStatus::kRemOpErr);
  EXPECT_EQ(completions[3].status, WcStatus::kWrFlushErr);
}

}  // namespace
}  // namespace weft::testing
