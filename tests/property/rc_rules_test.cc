// Rules of a reliable connection as they show on the wire: requests for acknowledgement, credits, NAKs, the limits of
// READs and atomics, and READs that continue in their middle.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "tests/property/tapped_pair.h"
#include "transport/congestion/fixed_window.h"
#include "wire/aeth_syndrome.h"

namespace weft::testing {
namespace {

using ::testing::ElementsAre;
using verbs::WrOpcode;
using wire::Operation;

constexpr std::uint32_t kMtu = 1'024;

std::vector<int> places_that_ask(const std::vector<Logged>& requests) {
  std::vector<int> places;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].asks_for_ack()) {
      places.push_back(static_cast<int>(i) + 1);
    }
  }
  return places;
}

int count(const std::vector<Logged>& packets, Operation operation) {
  return static_cast<int>(
      std::ranges::count_if(packets, [operation](const Logged& packet) { return packet.operation() == operation; }));
}

//= ibta-1.7 9.7.3
TEST(RcAckRequest, IsOnEveryNthPacketAndOnTheLastOfASignalledRequest) {
  TappedPair pair({.rc = {.ack_request_interval = 4}});
  ASSERT_TRUE(pair.post(0, {.length = 10 * kMtu}));
  ASSERT_TRUE(pair.post(0, {.length = 3 * kMtu, .flags = 0}));
  ASSERT_TRUE(pair.post(0, {.length = kMtu, .flags = 0}));
  ASSERT_TRUE(pair.post(0, {.length = kMtu}));
  ASSERT_TRUE(pair.network().run());
  // 4 and 8 by number, 10 ends the first request, 14 by number; 15 ends the last.
  EXPECT_THAT(places_that_ask(pair.requests_of(0)), ElementsAre(4, 8, 10, 14, 15));
}

TEST(RcAckRequest, IsOnTheLastPacketBeforeTheQueueRunsEmpty) {
  TappedPair pair({});
  ASSERT_TRUE(pair.post(0, {.length = 2 * kMtu, .flags = 0}));
  ASSERT_TRUE(pair.post(0, {.length = 3 * kMtu, .flags = 0}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_THAT(places_that_ask(pair.requests_of(0)), ElementsAre(5));
  EXPECT_EQ(pair.qp(0).requester().queued(), 0U);
  EXPECT_TRUE(pair.side(0).poll_send().empty());
}

TEST(RcAckRequest, IsOnEveryPacketThatFillsTheWindow) {
  transport::FixedWindow window(Bytes(4 * kMtu));
  RcPairOptions limited;
  limited.rc.congestion_control = &window;
  TappedPair pair(limited, {});
  std::vector<bool> fills;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    if (packet.end == 0) {
      fills.push_back(pair.qp(0).requester().next_psn() - pair.qp(0).requester().oldest_unacknowledged() == 4);
    }
    return Fate{};
  });
  ASSERT_TRUE(pair.post(0, {.length = 16 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> requests = pair.requests_of(0);
  ASSERT_EQ(requests.size(), 16U);
  EXPECT_TRUE(fills[3]);
  for (std::size_t i = 0; i + 1 < requests.size(); ++i) {
    EXPECT_EQ(requests[i].asks_for_ack(), fills[i]) << i;
  }
}

//= ibta-1.7 9.7.5
TEST(RcAck, OneStandsForAllThatArrivedBeforeIt) {
  TappedPair pair({.rc = {.ack_request_interval = 1}});
  pair.hold(1, Time::zero() + Duration::microseconds(6));
  ASSERT_TRUE(pair.post(0, {.length = 12 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  const std::vector<Logged> answers = pair.answers_of(1);
  ASSERT_EQ(pair.requests_of(0).size(), 12U);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0].psn(), pair.requests_of(0).back().psn());
  EXPECT_EQ(answers[0].packet.ib.aeth.msn, Psn(1));
}

TEST(RcAck, ComesForEveryPacketThatAsksWhenTheResponderIsPrompt) {
  TappedPair pair({.rc = {.ack_request_interval = 1}});
  ASSERT_TRUE(pair.post(0, {.length = 12 * kMtu}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(psns(pair.answers_of(1)), psns(pair.requests_of(0)));
}

TEST(RcAck, GrantsNoCreditsUnlessAskedFor) {
  for (const bool shared : {false, true}) {
    // A shared receive queue never grants any.
    TappedPair pair({.rc = {.end_to_end_credits = shared}, .shared_receive_queue = shared});
    for (std::uint64_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(pair.side(1).post_recv(i, 0, kMtu));
      ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 100}));
    }
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 3 * kMtu}));
    ASSERT_TRUE(pair.network().run());
    int syndromes = 0;
    for (const Logged& answer : pair.answers_of(1)) {
      if (wire::describe(answer.packet.ib.opcode).aeth) {
        ++syndromes;
        EXPECT_EQ(answer.packet.ib.aeth.syndrome, wire::kSyndromeAckNoCredits);
      }
    }
    EXPECT_GE(syndromes, 3);
  }
}

//= ibta-1.7 9.7.7.2
TEST(RcCredits, SendsInFlightNeverExceedThePostedReceives) {
  constexpr std::uint64_t kSends = 40;
  TappedPair pair({.rc = {.ack_request_interval = 1, .end_to_end_credits = true}});
  std::uint64_t posted = 0;
  std::uint64_t sent = 0;
  std::uint64_t consumed = 0;
  bool ended = false;
  const auto post_one = [&] { ASSERT_TRUE(pair.side(1).post_recv(posted++, 0, 4 * kMtu)); };
  for (int i = 0; i < 4; ++i) {
    post_one();
  }
  ASSERT_TRUE(pair.post(0, {.length = 1}));  // its acknowledgement brings the first grant
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.answers_of(1).back().packet.ib.aeth.syndrome, wire::ack_syndrome(wire::code_of_credits(4)));
  int alone = 0;
  pair.set_judge([&](const Logged& packet, std::size_t) {
    if (packet.end == 0 && wire::describe(packet.packet.ib.opcode).first) {
      ++sent;
      const transport::RcRequester& requester = pair.qp(0).requester();
      const bool probe = requester.next_psn() - requester.oldest_unacknowledged() == 1;
      EXPECT_TRUE(probe || sent <= posted) << sent << " sent, " << posted << " posted";
      alone += probe ? 1 : 0;
    }
    return Fate{};
  });
  for (std::uint64_t i = 0; i < kSends; ++i) {
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 3 * kMtu}));
  }
  while (!ended) {
    pair.network().run_until(pair.network().now() + Duration::nanoseconds(100));
    for (std::size_t i = pair.side(1).poll_recv().size(); i > 0; --i) {
      ++consumed;
      post_one();
    }
    ended = consumed == kSends || pair.network().now() > Time::zero() + Duration::milliseconds(1);
  }
  EXPECT_EQ(consumed, kSends);
  EXPECT_EQ(sent, kSends);
  EXPECT_LT(alone, static_cast<int>(kSends));
  EXPECT_EQ(pair.qp(0).counters().rnr_nak_retry_err, 0U);
  EXPECT_EQ(pair.qp(0).counters().retransmitted_packets, 0U);
}

TEST(RcCredits, WithoutAnyOnlyASinglePacketProbes) {
  TappedPair pair({.rc = {.end_to_end_credits = true}});
  ASSERT_TRUE(pair.post(0, {.length = 1}));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.answers_of(1).back().packet.ib.aeth.syndrome, wire::ack_syndrome(0));
  ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kSend, .length = 5 * kMtu}));
  pair.network().run_until(Time::zero() + Duration::microseconds(60));
  const std::vector<Logged> requests = pair.requests_of(0);
  ASSERT_GE(requests.size(), 4U);
  EXPECT_EQ(count(requests, Operation::kSendFirst), static_cast<int>(requests.size()) - 1);
  EXPECT_TRUE(requests.back().asks_for_ack());
  EXPECT_EQ(pair.qp(1).counters().out_of_sequence, 0U);
  ASSERT_TRUE(pair.side(1).post_recv(1, 0, 5 * kMtu));
  ASSERT_TRUE(pair.network().run());
  EXPECT_EQ(pair.side(1).poll_recv().size(), 1U);
  EXPECT_EQ(pair.side(0).poll_send().size(), 2U);
}

//= ibta-1.7 9.7.5
TEST(RcNak, IsSentOnceForAGapAndBringsBackTheMissingPacketAndAllAfterIt) {
  constexpr std::uint32_t kPackets = 30;
  constexpr std::uint32_t kLost = 5;
  TappedPair pair({.timeout = 8});
  pair.set_judge([](const Logged&, std::size_t i) { return i == kLost ? Fate::lost() : Fate{}; });
  fill(pair.side(0).memory(), 5);
  ASSERT_TRUE(pair.post(0, {.length = kPackets * kMtu}));
  ASSERT_TRUE(pair.network().run());
  int naks = 0;
  for (const Logged& answer : pair.answers_of(1)) {
    if (answer.packet.ib.aeth.syndrome == wire::nak_syndrome(wire::NakCode::kPsnSequenceError)) {
      ++naks;
      EXPECT_EQ(answer.psn(), RcPairOptions{}.first_psn + kLost);
    }
  }
  EXPECT_EQ(naks, 1);
  EXPECT_EQ(pair.qp(0).counters().packet_seq_err, 1U);
  EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, 0U);
  const std::vector<Logged> requests = pair.requests_of(0);
  std::map<std::uint32_t, std::vector<Logged>> by_psn;
  for (const Logged& request : requests) {
    by_psn[request.psn().value()].push_back(request);
  }
  EXPECT_EQ(by_psn.size(), kPackets);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const std::vector<Logged>& copies = by_psn[(RcPairOptions{}.first_psn + i).value()];
    ASSERT_FALSE(copies.empty());
    ASSERT_LE(copies.size(), i < kLost ? 1U : 2U) << i;
    if (copies.size() == 2) {
      // Only the request for an acknowledgement may differ.
      wire::Packet first = copies[0].packet;
      wire::Packet second = copies[1].packet;
      first.ib.flags = static_cast<std::uint8_t>(first.ib.flags & ~wire::kBthAckRequest);
      second.ib.flags = static_cast<std::uint8_t>(second.ib.flags & ~wire::kBthAckRequest);
      EXPECT_EQ(std::memcmp(&first, &second, sizeof first), 0) << i;
    }
  }
  EXPECT_EQ(by_psn[(RcPairOptions{}.first_psn + kLost).value()].size(), 2U);
  EXPECT_EQ(std::memcmp(pair.side(0).memory().data(), pair.side(1).memory().data(), kPackets * kMtu), 0);
}

//= ibta-1.7 9.7.1
TEST(RcPsn, NumbersRunThroughTheWrapAndThroughTheHalf) {
  for (const std::uint32_t first : {0xFFFFFEU, 0x7FFFFFU, 0x7FFFFCU}) {
    TappedPair pair({.first_psn = Psn(first)});
    ASSERT_TRUE(pair.post(0, {.length = 4 * kMtu}));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 3 * kMtu}));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kAtomicFetchAndAdd, .length = 8}));
    ASSERT_TRUE(pair.network().run());
    const auto psn = [first](std::uint32_t i) { return (first + i) & 0xFFFFFFU; };
    EXPECT_THAT(psns(pair.requests_of(0)), ElementsAre(psn(0), psn(1), psn(2), psn(3), psn(4), psn(7)));
    EXPECT_THAT(psns(pair.answers_of(1)), ElementsAre(psn(3), psn(4), psn(5), psn(6), psn(7)));
    EXPECT_EQ(pair.side(0).poll_send().size(), 3U);
  }
}

//= ibta-1.7 9.7.4
TEST(RcReads, NoMoreThanTheAgreedNumberAreOutstanding) {
  constexpr std::uint8_t kLimits[] = {1, 2, 3, 7};
  for (const std::uint8_t most : kLimits) {
    TappedPair pair({.max_rd_atomic = most, .max_dest_rd_atomic = most});
    int outstanding = 0;
    int peak = 0;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      if (packet.end == 0) {
        peak = std::max(peak, ++outstanding);
        EXPECT_LE(outstanding, most);
      } else if (wire::describe(packet.packet.ib.opcode).last) {
        --outstanding;
      }
      return Fate{};
    });
    for (int i = 0; i < 12; ++i) {
      const bool atomic = i % 3 == 2;
      ASSERT_TRUE(pair.post(
          0, {.opcode = atomic ? WrOpcode::kAtomicFetchAndAdd : WrOpcode::kRdmaRead, .length = atomic ? 8 : 3 * kMtu}));
    }
    ASSERT_TRUE(pair.network().run());
    EXPECT_EQ(peak, most);
    EXPECT_EQ(pair.side(0).poll_send().size(), 12U);
  }
}

TEST(RcReads, FenceWaitsForTheLastByteOfEarlierReads) {
  for (const bool fenced : {false, true}) {
    TappedPair pair({});
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = 4 * kMtu}));
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kAtomicFetchAndAdd, .length = 8}));
    const auto flags = static_cast<std::uint8_t>(verbs::kSendSignaled | (fenced ? verbs::kSendFence : 0));
    ASSERT_TRUE(pair.post(0, {.length = 100, .flags = flags}));
    ASSERT_TRUE(pair.network().run());
    const Logged write = pair.requests_of(0).back();
    ASSERT_EQ(write.operation(), Operation::kWriteOnly);
    const std::vector<Logged> answers = pair.answers_of(1);
    ASSERT_EQ(answers.size(), 6U);
    ASSERT_EQ(answers[4].operation(), Operation::kAtomicAcknowledge);
    if (fenced) {
      EXPECT_EQ(write.at, pair.arrival_of(answers[4]));
    } else {
      EXPECT_LT(write.at, answers[0].at);
    }
    EXPECT_EQ(pair.side(0).poll_send().size(), 3U);
  }
}

//= ibta-1.7 9.7.6
TEST(RcReads, ContinueAtTheFirstMissingPacketWithItsAddressAndLength) {
  constexpr std::uint32_t kPackets = 6;
  constexpr std::uint32_t kLength = kPackets * kMtu - 10;
  constexpr std::uint32_t kRemote = 300;
  for (std::uint32_t lost = 0; lost < kPackets; ++lost) {
    TappedPair pair({.timeout = 3});
    fill(pair.side(1).memory(), 11);
    std::uint32_t answers_seen = 0;
    pair.set_judge([&](const Logged& packet, std::size_t) {
      return packet.end == 1 && answers_seen++ == lost ? Fate::lost() : Fate{};
    });
    ASSERT_TRUE(pair.post(0, {.opcode = WrOpcode::kRdmaRead, .length = kLength, .local = 50'000, .remote = kRemote}));
    ASSERT_TRUE(pair.network().run());
    const std::vector<Logged> requests = pair.requests_of(0);
    ASSERT_EQ(requests.size(), 2U) << "lost answer " << lost;
    const Psn first = RcPairOptions{}.first_psn;
    EXPECT_EQ(requests[0].packet.ib.reth.dma_length, kLength);
    EXPECT_EQ(requests[1].psn(), first + lost);
    EXPECT_EQ(requests[1].packet.ib.reth.virtual_address, RcSide::kBase + kRemote + lost * kMtu);
    EXPECT_EQ(requests[1].packet.ib.reth.dma_length, kLength - lost * kMtu);
    EXPECT_EQ(requests[1].packet.ib.reth.remote_key, pair.side(1).key);
    const std::vector<Logged> answers = pair.answers_of(1);
    ASSERT_EQ(answers.size(), 2 * kPackets - lost);
    const Logged& resumed = answers[kPackets];
    EXPECT_EQ(resumed.psn(), first + lost);
    EXPECT_EQ(resumed.operation(), lost + 1 == kPackets ? Operation::kReadResponseOnly : Operation::kReadResponseFirst);
    EXPECT_EQ(pair.qp(0).counters().local_ack_timeout_err, lost + 1 == kPackets ? 1U : 0U);
    EXPECT_EQ(std::memcmp(pair.side(0).memory().data() + 50'000, pair.side(1).memory().data() + kRemote, kLength), 0);
    EXPECT_EQ(pair.side(0).memory()[50'000 + kLength], RcSide::kGuardByte);
    EXPECT_EQ(pair.side(0).poll_send().size(), 1U);
  }
}

}  // namespace
}  // namespace weft::testing
