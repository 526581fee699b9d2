#include "transport/tcp/scoreboard.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "transport/tcp/rack.h"

namespace weft::transport {
namespace {

constexpr std::uint16_t kLength = 100;

Time at(int microseconds) { return Time::zero() + Duration::microseconds(microseconds); }

/// `count` segments, one a microsecond.
TcpScoreboard sent(int count) {
  TcpScoreboard board;
  for (int i = 0; i < count; ++i) {
    board.push({.sent = at(i), .begin = static_cast<std::uint32_t>(board.next()), .length = kLength, .flags = 0});
  }
  return board;
}

AckEvidence now(int microseconds) {
  AckEvidence evidence;
  evidence.now = at(microseconds);
  evidence.timestamp_unit = Duration::microseconds(1);
  return evidence;
}

Delivery acknowledge(TcpScoreboard& board, TcpSequence up_to, int when = 50) {
  Delivery delivery;
  delivery.received_to = board.received_to();
  board.acknowledge(up_to, now(when), delivery);
  return delivery;
}

Delivery sack(TcpScoreboard& board, TcpSequence begin, TcpSequence end, int when = 50) {
  Delivery delivery;
  delivery.received_to = board.received_to();
  board.sack(begin, end, now(when), delivery);
  return delivery;
}

//= rfc6675 4
TEST(TcpScoreboard, WhatIsReportedOrLostIsNotInFlight) {
  TcpScoreboard board = sent(10);
  EXPECT_EQ(board.in_flight(), 1'000);
  EXPECT_EQ(sack(board, 200, 400).bytes, 200);
  EXPECT_EQ(board.in_flight(), 800);
  board.mark_lost(0);
  EXPECT_EQ(board.in_flight(), 700);
  board.resend(0, at(60));
  EXPECT_EQ(board.in_flight(), 800);
  EXPECT_EQ(acknowledge(board, 400).bytes, 200);  // the other two were counted before
  EXPECT_EQ(board.in_flight(), 600);
  EXPECT_EQ(board.sacked(), 0);
}

TEST(TcpScoreboard, ABlockThatGrowsCountsItsNewPart) {
  TcpScoreboard board = sent(10);
  EXPECT_EQ(sack(board, 500, 600).bytes, 100);
  EXPECT_EQ(sack(board, 500, 800).bytes, 200);
  EXPECT_EQ(sack(board, 300, 800).bytes, 200);
  EXPECT_EQ(sack(board, 300, 800).bytes, 0);
  EXPECT_EQ(board.sacked_segments(), 5U);
}

TEST(TcpScoreboard, ASegmentInTwoHalvesIsMarkedWhenBothAreThere) {
  TcpScoreboard board = sent(10);
  EXPECT_EQ(sack(board, 200, 250).bytes, 0);
  EXPECT_EQ(sack(board, 200, 300).bytes, 100);
  EXPECT_EQ(sack(board, 550, 600).bytes, 0);
  EXPECT_EQ(sack(board, 500, 600).bytes, 100);
}

TEST(TcpScoreboard, PartOfASegmentMayBeAcknowledged) {
  TcpScoreboard board = sent(3);
  acknowledge(board, 130);
  EXPECT_EQ(board.una(), 130);
  EXPECT_EQ(board.size(), 2U);
  EXPECT_EQ(board[0].length, 70);
  EXPECT_EQ(board.in_flight(), 170);
}

TEST(TcpScoreboard, FindsTheFirstLostAgainAndAgain) {
  TcpScoreboard board = sent(10);
  for (const std::uint32_t index : {7U, 2U, 5U}) {
    board.mark_lost(index);
  }
  for (const std::uint32_t index : {2U, 5U, 7U}) {
    EXPECT_EQ(board.first_lost(), index);
    board.resend(index, at(60));
  }
  EXPECT_EQ(board.lost(), 0);
}

//= rfc2018 8
TEST(TcpScoreboard, APeerThatTakesBackItsReportIsBelieved) {
  TcpScoreboard board = sent(4);
  sack(board, 0, 200);
  board.mark_all_lost();
  EXPECT_EQ(board.sacked(), 0);
  EXPECT_EQ(board.lost(), 400);
}

TEST(TcpScoreboard, TheFirstSampleIsOfTheSegmentThatLeftLastAndOnce) {
  TcpScoreboard board = sent(4);
  board.mark_lost(3);
  board.resend(3, at(10));
  const Delivery delivery = acknowledge(board, 400, 30);
  ASSERT_TRUE(delivery.has_sample);
  EXPECT_EQ(delivery.sample_sent, at(2));
  EXPECT_EQ(delivery.newest_sent, at(10));
}

TEST(TcpScoreboard, CountsAgreeWithASlowWalk) {
  RandomStream random(1, "scoreboard");
  for (int round = 0; round < 100; ++round) {
    TcpScoreboard board = sent(40);
    for (int i = 0; i < 60 && board.outstanding() > 0; ++i) {
      const auto any = static_cast<std::uint32_t>(random.uniform(board.size()));
      const TcpSequence first = board.una() + static_cast<TcpSequence>(random.uniform(40)) * kLength;
      switch (random.uniform(5)) {
        case 0:
          acknowledge(board, std::min(board.next(), board.una() + 1 + static_cast<TcpSequence>(random.uniform(150))));
          break;
        case 1:
          sack(board, first, first + kLength * 3);
          break;
        case 2:
          if (board[any].in_flight()) {
            board.mark_lost(any);
          }
          break;
        case 3:
          if (board.lost() > 0) {
            board.resend(board.first_lost(), at(100 + i));
          }
          break;
        default:
          if (random.uniform(10) == 0) {
            board.mark_all_lost();
          }
          break;
      }
      std::int64_t in_flight = 0;
      std::int64_t lost = 0;
      for (std::uint32_t s = 0; s < board.size(); ++s) {
        in_flight += board[s].in_flight() ? board[s].length : 0;
        lost += board[s].has(SentSegment::kLost) ? board[s].length : 0;
      }
      ASSERT_EQ(board.in_flight(), in_flight);
      ASSERT_EQ(board.lost(), lost);
    }
  }
}

//= rfc6675 4
TEST(DuplicateAcks, ThreeSegmentsAboveMakeOneLost) {
  TcpScoreboard board = sent(10);
  sack(board, 100, 300);
  detect_by_duplicates(board);
  EXPECT_EQ(board.lost(), 0);
  sack(board, 100, 400);
  detect_by_duplicates(board);
  EXPECT_EQ(board.lost(), 100);
  board.resend(0, at(60));
  detect_by_duplicates(board);
  EXPECT_EQ(board.lost(), 0);  // the timer's, from now on
}

//= rfc8985 6.2
TEST(Rack, ASegmentIsLostAQuarterOfTheRoundTripAfterALaterOneArrived) {
  TcpScoreboard board = sent(3);  // at 0, 1, 2 us
  RttEstimator rtt;
  rtt.add(Duration::microseconds(40), {.initial = {}, .minimum = {}, .maximum = Duration::seconds(1)});
  Rack rack;
  rack.on_delivery(sack(board, 200, 300, 42), at(42));
  // Round trip 40 us: the first is due at 0 + 40 + 10, the second at 1 + 40 + 10.
  EXPECT_EQ(rack.detect(board, {.rtt = rtt}, at(42)), at(51));
  EXPECT_EQ(board.lost(), 0);
  EXPECT_EQ(rack.detect(board, {.rtt = rtt}, at(50)), at(51));
  EXPECT_EQ(board.lost(), 100);
  EXPECT_TRUE(rack.detect(board, {.rtt = rtt}, at(51)).is_never());
  EXPECT_EQ(board.lost(), 200);
}

//= rfc8985 6.2
TEST(Rack, WithoutReorderingThreeReportedSegmentsAreEnough) {
  TcpScoreboard board = sent(5);
  RttEstimator rtt;
  rtt.add(Duration::microseconds(40), {.initial = {}, .minimum = {}, .maximum = Duration::seconds(1)});
  Rack rack;
  rack.on_delivery(sack(board, 200, 500, 44), at(44));
  EXPECT_TRUE(rack.detect(board, {.rtt = rtt}, at(44)).is_never());
  EXPECT_EQ(board.lost(), 200);
}

TEST(Rack, ARetransmissionThatIsLostTooIsFoundByALaterOne) {
  TcpScoreboard board = sent(6);
  RttEstimator rtt;
  rtt.add(Duration::microseconds(40), {.initial = {}, .minimum = {}, .maximum = Duration::seconds(1)});
  Rack rack;
  rack.on_delivery(sack(board, 200, 600, 45), at(45));
  (void)rack.detect(board, {.rtt = rtt, .recovering = true}, at(45));
  ASSERT_EQ(board.lost(), 200);
  board.resend(0, at(50));
  board.resend(1, at(51));
  rack.on_delivery(sack(board, 100, 200, 91), at(91));
  (void)rack.detect(board, {.rtt = rtt, .recovering = true}, at(91));
  EXPECT_EQ(board.lost(), 100);
  EXPECT_EQ(board.first_lost(), 0U);
}

}  // namespace
}  // namespace weft::transport
