// Rules of TCP, each seen from outside: what a pair of connections puts on the wire.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "tests/property/tcp_pair.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/dctcp.h"
#include "transport/congestion/new_reno.h"

namespace weft::testing {
namespace {

using namespace weft::transport;
using namespace weft::literals;

constexpr std::uint32_t kRoom = 1'448;  // with timestamps

TcpPair::Options transfer(std::uint64_t bytes) {
  TcpPair::Options options;
  options.plans[0].to_write = bytes;
  for (TcpOptions& tcp : options.tcp) {
    tcp.time_wait = 1_s;
  }
  return options;
}

void for_both(TcpPair::Options& options, const std::function<void(TcpOptions&)>& set) {
  set(options.tcp[0]);
  set(options.tcp[1]);
}

void expect_delivered(const TcpPair& pair) {
  for (int end = 0; end < 2; ++end) {
    EXPECT_EQ(pair.program(end).received(), pair.program(end).plan().expected);
    EXPECT_EQ(pair.program(end).wrong() + pair.program(end).twice(), 0U);
  }
}

//= rfc9293 3.5
TEST(TcpOpening, TheHandshakeTakesThreeSegments) {
  TcpPair::Options options = transfer(0);
  options.opening = Opening::kHandshake;
  options.closes = false;
  TcpPair pair(options);
  std::vector<std::uint8_t> flags;
  pair.set_filter([&](int, const wire::Packet& packet) {
    flags.push_back(packet.tcp.flags);
    return false;
  });
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(flags, (std::vector<std::uint8_t>{wire::kTcpSyn, wire::kTcpSyn | wire::kTcpAck, wire::kTcpAck}));
  EXPECT_EQ(pair.connection(0).state(), TcpState::kEstablished);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kEstablished);
}

TEST(TcpOpening, EstablishedEndsAgreeWithThoseOfAHandshake) {
  std::vector<std::string> data[2];
  for (const Opening opening : {Opening::kEstablish, Opening::kHandshake}) {
    TcpPair::Options options = transfer(100'000);
    options.opening = opening;
    options.closes = false;
    for_both(options, [](TcpOptions& tcp) { tcp.receive_buffer = Bytes(60'000); });  // a SYN can tell it
    for_both(options, [](TcpOptions& tcp) { tcp.timestamps = false; });
    TcpPair pair(options);
    auto& into = data[opening == Opening::kEstablish ? 0 : 1];
    pair.set_filter([&](int from, const wire::Packet& packet) {
      if (from == 0 && packet.common.payload_bytes > 0) {
        into.push_back(
            fmt::format("{} {} {}", packet.tcp.sequence, packet.tcp.acknowledgement, packet.common.payload_bytes));
      }
      return false;
    });
    ASSERT_TRUE(pair.run());
    expect_delivered(pair);
  }
  EXPECT_EQ(data[0], data[1]);
}

//= rfc9293 3.5
TEST(TcpOpening, BothEndsMayOpenAtOnce) {
  TcpPair::Options options = transfer(50'000);
  options.opening = Opening::kBothActive;
  TcpPair pair(options);
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kNone);
}

//= rfc9293 3.10.7.1
TEST(TcpOpening, AClosedPeerRefuses) {
  TcpPair::Options options = transfer(0);
  options.opening = Opening::kHandshake;
  options.closes = false;
  TcpPair pair(options);
  pair.connection(1).close(pair.now());  // it was listening
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).state(), TcpState::kClosed);
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kRefused);
}

TEST(TcpOpening, NoAnswerFailsAfterTheRetriesWithDoubledTimeouts) {
  TcpPair::Options options = transfer(0);
  options.opening = Opening::kHandshake;
  options.tcp[0].syn_retries = 3;
  TcpPair pair(options);
  std::vector<Time> sent;
  pair.set_filter([&](int, const wire::Packet&) {
    sent.push_back(pair.now());
    return true;
  });
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kTimedOut);
  ASSERT_EQ(sent.size(), 4U);
  //= rfc6298 5
  EXPECT_EQ(sent[1] - sent[0], 1_s);
  EXPECT_EQ(sent[2] - sent[1], 2_s);
  EXPECT_EQ(sent[3] - sent[2], 4_s);
  EXPECT_EQ(pair.now() - sent[3], 8_s);
}

//= rfc9293 3.6
TEST(TcpClosing, TheFirstToCloseWaitsAndTheOtherDoesNot) {
  TcpPair::Options options = transfer(10'000);
  options.closes = false;
  TcpPair pair(options);
  pair.connection(0).close(pair.now());
  pair.run_until(Time::zero() + 100_ms);
  EXPECT_EQ(pair.connection(0).state(), TcpState::kFinWait2);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kCloseWait);
  pair.connection(1).close(pair.now());
  pair.run_until(Time::zero() + 200_ms);
  EXPECT_EQ(pair.connection(0).state(), TcpState::kTimeWait);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kClosed);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).state(), TcpState::kClosed);
  expect_delivered(pair);
}

//= rfc9293 3.6
TEST(TcpClosing, AHalfClosedConnectionStillCarriesDataBack) {
  TcpPair::Options options = transfer(1'000);
  options.closes = false;
  options.plans[1].to_write = 200'000;
  options.plans[1].write_size = 5'000;
  TcpPair pair(options);
  pair.connection(0).close(pair.now());
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).state(), TcpState::kFinWait2);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kCloseWait);
}

TEST(TcpClosing, AbortResetsThePeer) {
  TcpPair::Options options = transfer(10'000'000);
  options.closes = false;
  TcpPair pair(options);
  pair.run_until(Time::zero() + 1_ms);
  pair.connection(1).abort(pair.now());
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kReset);
  EXPECT_EQ(pair.connection(0).state(), TcpState::kClosed);
}

//= rfc5961 3.2
TEST(TcpReset, OnlyTheExpectedSequenceNumberResets) {
  TcpPair::Options options = transfer(1'000);
  options.closes = false;
  TcpPair pair(options);
  std::uint32_t next = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    next = from == 0 ? packet.tcp.sequence + packet.common.payload_bytes : next;
    return false;
  });
  ASSERT_TRUE(pair.run());
  wire::Packet reset;
  reset.common.kind = wire::PacketKind::kTcp;
  reset.tcp = wire::TcpHeader{};
  reset.tcp.flags = wire::kTcpRst;
  const auto answers = pair.connection(1).counters().acks_sent;
  reset.tcp.sequence = next - 1;
  pair.inject(1, reset);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kEstablished);
  EXPECT_FALSE(pair.connection(1).response_pending());
  reset.tcp.sequence = next + 1;
  pair.inject(1, reset);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kEstablished);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(1).counters().acks_sent, answers + 1);  // a challenge
  reset.tcp.sequence = next;
  pair.inject(1, reset);
  EXPECT_EQ(pair.connection(1).failure(), TcpFailure::kReset);
}

//= rfc5961 4.2
TEST(TcpReset, ASynInAConnectionIsChallenged) {
  TcpPair::Options options = transfer(1'000);
  options.closes = false;
  options.tcp[0].timestamps = options.tcp[1].timestamps = false;
  TcpPair pair(options);
  std::uint32_t next = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    next = from == 0 ? packet.tcp.sequence + packet.common.payload_bytes : next;
    return false;
  });
  ASSERT_TRUE(pair.run());
  wire::Packet syn;
  syn.common.kind = wire::PacketKind::kTcp;
  syn.tcp = wire::TcpHeader{};
  syn.tcp.flags = wire::kTcpSyn;
  syn.tcp.sequence = next + 100;
  pair.inject(1, syn);
  EXPECT_EQ(pair.connection(1).state(), TcpState::kEstablished);
  EXPECT_TRUE(pair.connection(1).response_pending());
}

//= rfc7323 5.3
TEST(TcpPaws, ASegmentWithAnOldTimestampIsAnsweredAndDropped) {
  TcpPair::Options options = transfer(10'000);
  options.closes = false;
  options.start = 1_s;
  TcpPair pair(options);
  wire::Packet last;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    last = from == 0 && packet.common.payload_bytes > 0 ? packet : last;
    return false;
  });
  ASSERT_TRUE(pair.run());
  last.tcp.sequence += last.common.payload_bytes;  // new data, from the past
  last.tcp.timestamp -= 1'000;
  const auto arrived = pair.connection(1).arrived();
  pair.inject(1, last);
  EXPECT_EQ(pair.connection(1).arrived(), arrived);
  EXPECT_EQ(pair.connection(1).counters().rejected, 1U);
  EXPECT_TRUE(pair.connection(1).response_pending());
}

//= rfc5681 4.2
TEST(TcpAcknowledging, EverySecondSegmentIsAcknowledged) {
  TcpPair::Options options = transfer(100 * kRoom);
  options.closes = false;
  for_both(options, [](TcpOptions& tcp) { tcp.delayed_ack.push = TcpDelayedAck::Push::kAsOthers; });
  TcpPair pair(options);
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).counters().data_segments_sent, 100U);
  EXPECT_EQ(pair.connection(1).counters().acks_sent, 50U);
}

//= rfc9293 3.8.6.3
TEST(TcpAcknowledging, ALoneSegmentWaitsForTheTimerUnlessItIsPushed) {
  for (const auto push : {TcpDelayedAck::Push::kAsOthers, TcpDelayedAck::Push::kAtOnce}) {
    TcpPair::Options options = transfer(100);
    options.closes = false;
    for_both(options, [push](TcpOptions& tcp) { tcp.delayed_ack.push = push; });
    TcpPair pair(options);
    Time acknowledged;
    pair.set_filter([&](int from, const wire::Packet&) {
      acknowledged = from == 1 ? pair.now() : acknowledged;
      return false;
    });
    ASSERT_TRUE(pair.run());
    const Duration taken = acknowledged.since_start();
    if (push == TcpDelayedAck::Push::kAtOnce) {
      EXPECT_LT(taken, 100_us);
    } else {
      EXPECT_GT(taken, 40_ms);
      EXPECT_LT(taken, 41_ms);
    }
  }
}

//= rfc2018 4
TEST(TcpLoss, AHoleIsReportedAndFilledOnce) {
  for (const auto detection : {TcpLossDetection::kRack, TcpLossDetection::kDuplicateAcks}) {
    TcpPair::Options options = transfer(40 * kRoom);
    for_both(options, [detection](TcpOptions& tcp) { tcp.loss_detection = detection; });
    TcpPair pair(options);
    int count = 0;
    pair.set_filter([&](int from, const wire::Packet& packet) {
      return from == 0 && packet.common.payload_bytes > 0 && ++count == 5;
    });
    ASSERT_TRUE(pair.run());
    expect_delivered(pair);
    EXPECT_EQ(pair.connection(0).counters().retransmissions, 1U);
    EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
    EXPECT_EQ(pair.connection(0).counters().fast_recoveries, 1U);
    EXPECT_EQ(pair.connection(1).counters().duplicate_payload, 0U);
  }
}

//= rfc6582 3.2
TEST(TcpLoss, WithoutSackThreeDuplicatesRepairAHole) {
  TcpPair::Options options = transfer(40 * kRoom);
  NewReno control;
  options.tcp[0].congestion_control = &control;
  for_both(options, [](TcpOptions& tcp) { tcp.selective_acks = false; });
  TcpPair pair(options);
  int count = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    const int at = from == 0 && packet.common.payload_bytes > 0 ? ++count : 0;
    return at == 12 || at == 14;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
  EXPECT_EQ(pair.connection(0).counters().retransmissions, 2U);
  EXPECT_EQ(pair.connection(0).counters().fast_recoveries, 1U);
}

//= rfc8985 7.3
TEST(TcpLoss, ALostTailIsFoundByAProbe) {
  TcpPair::Options options = transfer(10 * kRoom);
  for_both(options, [](TcpOptions& tcp) { tcp.delayed_ack.longest = 5_ms; });
  options.closes = false;
  TcpPair pair(options);
  int count = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    return from == 0 && packet.common.payload_bytes > 0 && ++count == 10;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).counters().tail_probes, 1U);
  EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
  EXPECT_LT(pair.now().since_start(), 20_ms);
}

/// Loses data segments of end 0 by their place in the stream, from 1, when they leave for the first time.
void lose_first_copies(TcpPair& pair, std::function<bool(int)> lost) {
  pair.set_filter(
      [lost = std::move(lost), seen = std::set<std::uint32_t>()](int from, const wire::Packet& packet) mutable {
        return from == 0 && packet.common.payload_bytes > 0 && seen.insert(packet.tcp.sequence).second &&
               lost(static_cast<int>(seen.size()));
      });
}

// The probe is acknowledged beyond a gap, where the echoed timestamp is older than it; and a short one may be faster
// than any segment before it.
//= rfc8985 6.2
TEST(TcpLoss, AProbeThatHasArrivedTellsOfAllThatWasLostBeforeIt) {
  for (const bool timestamps : {false, true}) {
    for (const std::uint64_t missing : {0U, 1'148U}) {
      TcpPair::Options options = transfer(100 * kRoom - missing);
      for_both(options, [timestamps](TcpOptions& tcp) {
        tcp.timestamps = timestamps;
        tcp.mss = timestamps ? 1'460 : 1'448;
      });
      options.closes = false;
      TcpPair pair(options);
      lose_first_copies(pair, [](int place) { return place > 78; });
      ASSERT_TRUE(pair.run());
      expect_delivered(pair);
      EXPECT_EQ(pair.connection(0).counters().tail_probes, 1U);
      EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
      EXPECT_LE(pair.connection(0).counters().retransmissions, 22U);
      EXPECT_EQ(pair.connection(1).counters().duplicate_payload, 0U);
    }
  }
}

// Nothing above them has arrived, but copies that left later.
//= rfc8985 6.2
TEST(TcpLoss, WhatLeftBeforeACopyThatHasArrivedIsLostWhereverItIs) {
  TcpPair::Options options = transfer(100 * kRoom);
  options.closes = false;
  options.delay = 100_us;  // so that all have left before the first acknowledgement
  TcpPair pair(options);
  lose_first_copies(pair, [](int place) { return (place > 20 && place <= 40) || place > 91; });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
  EXPECT_EQ(pair.connection(0).counters().tail_probes, 0U);
  EXPECT_EQ(pair.connection(0).counters().retransmissions, 29U);
}

// A receiver keeps what its buffer has room for.
//= rfc2018 4
TEST(TcpLoss, FiveHundredHolesAreFilledOnceEach) {
  TcpPair::Options options = transfer(1'200 * kRoom);
  options.closes = false;
  TcpPair pair(options);
  lose_first_copies(pair, [](int place) { return place > 100 && place <= 1'100 && place % 2 == 0; });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
  EXPECT_EQ(pair.connection(0).counters().retransmissions, 500U);
  EXPECT_EQ(pair.connection(1).counters().duplicate_payload, 0U);
  EXPECT_EQ(pair.connection(1).counters().dropped_for_room, 0U);
}

//= rfc8985 7.4.2
TEST(TcpLoss, ATailThatAProbeRepairedIsTakenForCongestion) {
  NewReno control;
  TcpPair::Options options = transfer(10 * kRoom);
  for_both(options, [](TcpOptions& tcp) { tcp.delayed_ack.longest = 5_ms; });
  options.tcp[0].congestion_control = &control;
  options.closes = false;
  TcpPair pair(options);
  int count = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    return from == 0 && packet.common.payload_bytes > 0 && ++count == 10;
  });
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).counters().tail_probes, 1U);
  // That the first copy was lost, and not its acknowledgement, is sure when later data are acknowledged.
  pair.connection(0).write(kRoom, pair.now());
  pair.run_until(pair.now() + 100_ms);
  EXPECT_LT(control.ssthresh(), TcpCongestionControl::kNoThreshold);
}

TEST(TcpLoss, AConnectionThatHasEndedSendsNothingAgain) {
  TcpPair::Options options = transfer(8 * kRoom);
  options.closes = false;
  TcpPair pair(options);
  pair.set_filter([](int from, const wire::Packet&) { return from == 0; });
  pair.run_until(pair.now() + 1500_ms);
  ASSERT_GT(pair.connection(0).counters().timeouts, 0U);
  pair.connection(0).abort(pair.now());
  const std::uint64_t data = pair.connection(0).counters().data_segments_sent;
  EXPECT_TRUE(pair.connection(0).next_data().is_never());
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).counters().data_segments_sent, data);
  EXPECT_TRUE(pair.connection(0).next_timeout().is_never());
}

TEST(TcpLoss, AProbeWhoseAnswerCameBeforeItLeftIsNotSent) {
  TcpPair::Options options = transfer(0);
  options.closes = false;
  TcpPair pair(options);
  TcpConnection& sender = pair.connection(0);
  std::vector<wire::Packet> answers;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    answers.push_back(packet);
    return from == 1 && answers.size() > 2;  // the second answer is late
  });
  sender.write(kRoom, pair.now());
  pair.run_until(pair.now() + 100_us);  // a round trip is known
  sender.write(kRoom, pair.now());
  pair.run_until(pair.now() + 30_us);
  ASSERT_EQ(answers.size(), 4U);
  sender.on_timeout(sender.next_timeout());
  EXPECT_EQ(sender.next_data(), Time::zero());
  pair.inject(0, answers.back());
  EXPECT_TRUE(sender.next_data().is_never());
}

//= rfc6298 5
TEST(TcpLoss, SilenceDoublesTheTimeoutUntilTheConnectionFails) {
  TcpPair::Options options = transfer(kRoom);
  options.closes = false;
  options.tcp[0].retries = 4;
  options.tcp[0].initial_rto = 300_ms;
  TcpPair pair(options);
  std::vector<Time> sent;
  pair.set_filter([&](int, const wire::Packet&) {
    sent.push_back(pair.now());
    return true;
  });
  ASSERT_TRUE(pair.run());
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kTimedOut);
  ASSERT_EQ(sent.size(), 5U);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    EXPECT_EQ(sent[i] - sent[i - 1], 300_ms * (1 << (i - 1)));
  }
}

//= rfc3522 3.2
TEST(TcpLoss, ATimeoutByALongDelayAloneIsUndone) {
  TcpPair::Options options = transfer(200 * kRoom);
  NewReno control;
  options.tcp[0].congestion_control = &control;
  options.tcp[0].minimum_rto = 1_ms;
  options.tcp[0].loss_detection = TcpLossDetection::kDuplicateAcks;
  options.faults.reordering = Probability::one();
  options.faults.reorder_delay = 1_ns;
  TcpPair pair(options);
  bool held = false;
  int acks = 0;
  // One acknowledgement, and all that would follow it for a while, comes too late: the peer's answers are lost until
  // the timer has fired, the segments are not.
  pair.set_filter([&](int from, const wire::Packet& packet) {
    if (from == 1 && packet.common.payload_bytes == 0 && ++acks > 5 && !held) {
      return true;
    }
    held = held || (from == 0 && pair.connection(0).counters().timeouts > 0);
    return false;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_GE(pair.connection(0).counters().timeouts, 1U);
}

//= rfc9293 3.8.6.1
TEST(TcpWindow, AClosedWindowIsProbedAndOpens) {
  TcpPair::Options options = transfer(300'000);
  options.reading = Reading::kNever;
  for_both(options, [](TcpOptions& tcp) { tcp.receive_buffer = Bytes(100'000); });
  TcpPair pair(options);
  pair.run_until(Time::zero() + 5_s);
  EXPECT_EQ(pair.connection(1).arrived(), 100'000U);
  EXPECT_GE(pair.connection(0).counters().window_probes, 3U);
  EXPECT_EQ(pair.connection(0).counters().timeouts, 0U);
  EXPECT_EQ(pair.connection(0).failure(), TcpFailure::kNone);
  for (int i = 0; i < 3; ++i) {
    pair.read(1);
    pair.run_until(pair.now() + 1_s);
  }
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
}

//= rfc9293 3.8.6.1
TEST(TcpWindow, ALostUpdateIsMadeUpForByAProbe) {
  TcpPair::Options options = transfer(200'000);
  options.reading = Reading::kNever;
  for_both(options, [](TcpOptions& tcp) { tcp.receive_buffer = Bytes(100'000); });
  TcpPair pair(options);
  pair.run_until(Time::zero() + 500_ms);
  int lost = 0;
  pair.set_filter([&](int from, const wire::Packet&) { return from == 1 && lost++ == 0; });
  pair.read(1);
  pair.run_until(pair.now() + 2_s);
  EXPECT_EQ(pair.connection(1).arrived(), 200'000U);
}

//= rfc9293 3.8.6.2.1
TEST(TcpWindow, NoSmallSegmentsForASlowReader) {
  TcpPair::Options options = transfer(1'000'000);
  options.reading = Reading::kLate;
  for_both(options, [](TcpOptions& tcp) { tcp.receive_buffer = Bytes(20'000); });
  TcpPair pair(options);
  int small = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    small += from == 0 && packet.common.payload_bytes > 0 && packet.common.payload_bytes < kRoom ? 1 : 0;
    return false;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_LE(small, 1);  // the last one
}

//= rfc9293 3.7.4
TEST(TcpNagle, SmallWritesAreGatheredWhileSomethingIsUnacknowledged) {
  std::uint64_t segments[2] = {};
  for (const auto nagle : {TcpNagle::kOff, TcpNagle::kOn}) {
    TcpPair::Options options = transfer(0);
    options.closes = false;
    for_both(options, [nagle](TcpOptions& tcp) { tcp.nagle = nagle; });
    TcpPair pair(options);
    for (int i = 0; i < 100; ++i) {
      pair.connection(0).write(10, pair.now());
      pair.run_until(pair.now() + 1_us);
    }
    ASSERT_TRUE(pair.run());
    EXPECT_EQ(pair.connection(1).arrived(), 1'000U);
    segments[nagle == TcpNagle::kOn ? 1 : 0] = pair.connection(0).counters().data_segments_sent;
  }
  EXPECT_EQ(segments[0], 100U);
  // One each round trip of a little more than 20 us, and the first.
  EXPECT_LE(segments[1], 1U + 100U / 20U);
}

TEST(TcpFrames, NoSegmentCutsAFrameThatFits) {
  for (const std::uint64_t frame : {100ULL, 700ULL, 1'000ULL, 1'448ULL}) {
    TcpPair::Options options = transfer(frame * 3'000);
    options.plans[0].frame = frame;
    options.faults.loss = Probability::from_ratio({.numerator = 5, .denominator = 100});
    for_both(options, [](TcpOptions& tcp) { tcp.minimum_rto = 1_ms; });
    options.opening = Opening::kHandshake;
    TcpPair pair(options);
    std::uint32_t first = 0;
    pair.set_filter([&](int from, const wire::Packet& packet) {
      if (from == 0 && packet.tcp.has(wire::kTcpSyn)) {
        first = packet.tcp.sequence + 1;
      } else if (from == 0 && packet.common.payload_bytes > 0) {
        EXPECT_EQ((packet.tcp.sequence - first) % frame, 0U);
        EXPECT_EQ(packet.common.payload_bytes % frame, 0U);
      }
      return false;
    });
    ASSERT_TRUE(pair.run());
    EXPECT_GT(pair.connection(0).counters().retransmissions, 0U);
    expect_delivered(pair);
  }
}

TEST(TcpSequence, AStreamLongerThanFourGibibytesArrives) {
  constexpr std::uint64_t kBytes = (std::uint64_t{1} << 32) + 12'345;
  const TcpIdentity there{.local = {.endpoint = EndpointId(0), .connection = Qpn(1), .port = 1},
                          .peer = {.endpoint = EndpointId(1), .connection = Qpn(2), .port = 2}};
  const TcpIdentity back{.local = there.peer, .peer = there.local};
  StreamProgram nothing({});
  TcpOptions options;
  options.mss = 9'216;
  TcpConnection sender(there, options, nothing);
  class Counter final : public TcpStreamUser {
   public:
    [[nodiscard]] std::uint32_t segment_length(StreamOffset, std::uint32_t room) const override { return room; }
    void gather(StreamOffset, std::span<std::byte>) const override {}
    void on_arrival(const StreamRun& run) override { bytes += run.length; }
    std::uint64_t bytes = 0;
  } counter;
  TcpConnection receiver(back, options, counter);
  Time now;
  sender.establish(now);
  receiver.establish(now);
  sender.write(kBytes, now);
  std::uint64_t sent = 0;
  const auto carry = [&](TcpConnection& from, TcpConnection& to, std::uint64_t lost_one_in) {
    wire::Packet packet;
    wire::ColdPacket cold;
    bool any = false;
    for (int i = 0; i < 30 && from.next_transmit() <= now && from.poll_transmit({packet, cold, {}}, now); ++i) {
      any = true;
      if (++sent % lost_one_in != 0) {
        to.on_packet({packet, cold, {}}, now);
      }
    }
    return any;
  };
  while (sender.acknowledged() < kBytes) {
    now += 1_us;
    const bool forth = carry(sender, receiver, 10'007);
    receiver.consume(receiver.arrived() - receiver.consumed(), now);
    const bool answered = carry(receiver, sender, 1'000'003);
    if (!forth && !answered) {
      now = later(now, earlier(sender.next_timeout(), receiver.next_timeout()));
      ASSERT_FALSE(now.is_never());
    }
    sender.on_timeout(now);
    receiver.on_timeout(now);
  }
  EXPECT_EQ(counter.bytes, kBytes);
  EXPECT_EQ(receiver.arrived(), kBytes);
  EXPECT_GT(sender.counters().retransmissions, 0U);
}

//= rfc3168 6.1
TEST(TcpEcnMarks, AMarkHalvesTheWindowOnceAndTheEchoEnds) {
  TcpPair::Options options = transfer(400 * kRoom);
  NewReno control;
  options.tcp[0].congestion_control = &control;
  options.opening = Opening::kHandshake;
  for_both(options, [](TcpOptions& tcp) { tcp.ecn = TcpEcn::kClassic; });
  options.bottleneck = {.rate = Rate::bits_per_second(1'000'000'000), .mark_above = Bytes(60'000)};
  options.rate = Rate::bits_per_second(10'000'000'000);
  TcpPair pair(options);
  int reduced = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    reduced += from == 0 && packet.common.payload_bytes > 0 && packet.tcp.has(wire::kTcpCwr) ? 1 : 0;
    return false;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_GT(pair.marked(), 0U);
  EXPECT_GE(pair.connection(0).counters().mark_reductions, 1U);
  EXPECT_EQ(static_cast<std::uint32_t>(reduced), pair.connection(0).counters().mark_reductions);
  EXPECT_EQ(pair.connection(0).counters().retransmissions, 0U);
}

//= rfc8257 3.3
TEST(TcpEcnMarks, DctcpKeepsTheQueueNearItsThreshold) {
  TcpPair::Options options = transfer(20'000'000);
  options.carries_bytes = false;
  Dctcp control;
  options.tcp[0].congestion_control = &control;
  for_both(options, [](TcpOptions& tcp) { tcp.ecn = TcpEcn::kPerPacket; });
  options.bottleneck = {.rate = Rate::bits_per_second(10'000'000'000), .mark_above = Bytes(65 * 1'514)};
  options.rate = Rate::bits_per_second(40'000'000'000);
  options.delay = 20_us;
  TcpPair pair(options);
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_LT(control.alpha(), Probability::from_ratio({.numerator = 1, .denominator = 2}));
  EXPECT_EQ(pair.dropped(), 0U);
}

/// A transfer under DCTCP over IPv6 whose path marks so many of all segments, with PLB at its sender.
struct PlbTransfer {
  explicit PlbTransfer(Probability marking) : options(transfer(2'000'000)) {
    options.carries_bytes = false;
    options.opening = Opening::kHandshake;
    options.tcp[0].congestion_control = &control;
    options.tcp[0].plb = &plb;
    for_both(options, [](TcpOptions& tcp) {
      tcp.ecn = TcpEcn::kPerPacket;
      tcp.encapsulation = wire::Encapsulation::kTcpIpv6;
    });
    options.faults.marking = marking;
    options.delay = 20_us;
  }
  Dctcp control;
  TcpPlb plb{{.rehash_rounds = 5}, RandomStream(3, "plb")};
  TcpPair::Options options;
};

// Where every segment is marked every round is congested, and each fifth one changes the label.
TEST(TcpPlbRules, ACongestedConnectionTakesAnotherFlowLabelAndKeepsItsPorts) {
  PlbTransfer made(Probability::one());
  TcpPair pair(made.options);
  std::uint16_t label = made.plb.label();
  std::uint64_t changes = 0;
  std::set<std::uint16_t> of_peer;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    if (from == 0) {
      changes += packet.common.entropy == label ? 0 : 1;
      label = packet.common.entropy;
    } else {
      of_peer.insert(packet.common.entropy);
    }
    EXPECT_EQ(packet.tcp.source_port, pair.connection(from).identity().local.port);
    return false;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_GT(made.plb.changes(), 10U);
  EXPECT_LE(changes, made.plb.changes());
  EXPECT_GE(changes + 1, made.plb.changes());  // the last may have had nothing left to send
  EXPECT_EQ(of_peer.size(), 1U);               // acknowledgements are those of a connection without PLB
  EXPECT_EQ(pair.connection(0).entropy(), made.plb.label());
}

TEST(TcpPlbRules, WithoutMarksTheLabelStays) {
  PlbTransfer made(Probability::zero());
  TcpPair pair(made.options);
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_EQ(made.plb.changes(), 0U);
}

TEST(TcpPlbRules, EachRetransmissionTimeoutTakesAnotherLabel) {
  PlbTransfer made(Probability::zero());
  TcpPair pair(made.options);
  int dropped = 0;
  pair.set_filter([&](int from, const wire::Packet& packet) {
    return from == 0 && packet.common.payload_bytes > 0 && dropped++ < 14;
  });
  ASSERT_TRUE(pair.run());
  expect_delivered(pair);
  EXPECT_GT(pair.connection(0).counters().timeouts, 0U);
  EXPECT_EQ(made.plb.changes(), pair.connection(0).counters().timeouts);
}

// The same numbers of segments and bytes as over IPv4: only the header differs.
TEST(TcpFrames, OverIpv6AreTwentyBytesLonger) {
  const auto frames = [](wire::Encapsulation encapsulation) {
    TcpPair::Options options = transfer(100'000);
    for_both(options, [&](TcpOptions& tcp) { tcp.encapsulation = encapsulation; });
    TcpPair pair(options);
    pair.keep_frames();
    EXPECT_TRUE(pair.run());
    expect_delivered(pair);
    return pair.frames();
  };
  const auto four = frames(wire::Encapsulation::kTcpIpv4);
  const auto six = frames(wire::Encapsulation::kTcpIpv6);
  ASSERT_EQ(four.size(), six.size());
  for (std::size_t i = 0; i < four.size(); ++i) {
    EXPECT_EQ(six[i].bytes.size(), four[i].bytes.size() + 20);
  }
}

TEST(TcpMemory, AnIdleConnectionTakesLittle) {
  TcpPair::Options options = transfer(0);
  options.closes = false;
  TcpPair pair(options);
  EXPECT_LE(sizeof(TcpConnection) + pair.connection(0).heap_bytes(), 1'024U);
}

}  // namespace
}  // namespace weft::testing
