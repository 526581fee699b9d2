#include "transport/path/tcp_plb.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

constexpr PlbRule::Options kRule{.rehash_rounds = 4, .idle_rounds = 2, .suspend = Duration::milliseconds(10)};
constexpr std::int64_t kWindow = 10'000;

/// A sender that always has a window in flight, whose acknowledgements are made by hand.
class Sender {
 public:
  explicit Sender(const PlbRule::Options& rule = kRule) : plb(rule, RandomStream(1, "test")) {}

  /// Acknowledges so many bytes and sends as many.
  void ack(std::int64_t bytes, PathMark mark) {
    acknowledged += bytes;
    plb.on_delivery({.bytes = bytes, .unacknowledged = acknowledged, .next = acknowledged + flight, .mark = mark}, now);
  }
  /// A window's worth, of which so many bytes are marked. The first acknowledgement that reaches the end of a round
  /// counts in it.
  void round(std::int64_t marked) {
    ack(marked, PathMark::kMarked);
    ack(kWindow - marked, PathMark::kNone);
  }

  TcpPlb plb;
  std::int64_t acknowledged = 0;
  std::int64_t flight = kWindow;
  Time now;
};

TEST(TcpPlb, StaysWhileLessThanHalfOfEachRoundIsMarked) {
  Sender sender;
  sender.ack(1, PathMark::kNone);  // the first acknowledgement is a round of its own, as nothing had left before
  const std::uint16_t label = sender.plb.label();
  for (int i = 0; i < 100; ++i) {
    sender.round(kWindow / 2 - 1);
  }
  EXPECT_EQ(sender.plb.rule().congested_rounds(), 0);
  EXPECT_EQ(sender.plb.label(), label);
  EXPECT_EQ(sender.plb.changes(), 0U);
}

TEST(TcpPlb, TakesAnotherLabelAfterSoManyCongestedRoundsInARow) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  const std::uint16_t label = sender.plb.label();
  for (int i = 1; i < 4; ++i) {
    sender.round(kWindow / 2);
    EXPECT_EQ(sender.plb.rule().congested_rounds(), i);
    EXPECT_EQ(sender.plb.label(), label);
  }
  sender.round(kWindow / 2);
  EXPECT_NE(sender.plb.label(), label);
  EXPECT_EQ(sender.plb.changes(), 1U);
  EXPECT_EQ(sender.plb.rule().congested_rounds(), 0);
}

TEST(TcpPlb, ARoundWithFewMarksBeginsTheCountAnew) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  for (int i = 0; i < 20; ++i) {
    sender.round(i % 4 == 3 ? 0 : kWindow);
  }
  EXPECT_EQ(sender.plb.changes(), 0U);
}

TEST(TcpPlb, ARoundIsWhatHadLeftAtItsBeginning) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  // Many acknowledgements of one window are one round, however marked.
  for (int i = 0; i < 9; ++i) {
    sender.ack(kWindow / 10, PathMark::kMarked);
  }
  EXPECT_EQ(sender.plb.rule().congested_rounds(), 0);
  sender.ack(kWindow / 10, PathMark::kMarked);
  EXPECT_EQ(sender.plb.rule().congested_rounds(), 1);
}

TEST(TcpPlb, WithNothingInFlightFewerRoundsAreEnough) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  sender.round(kWindow);
  sender.plb.on_idle(sender.now);
  EXPECT_EQ(sender.plb.changes(), 0U);
  sender.round(kWindow);
  EXPECT_EQ(sender.plb.changes(), 0U);  // two, with segments in flight
  sender.plb.on_idle(sender.now);
  EXPECT_EQ(sender.plb.changes(), 1U);
  sender.plb.on_idle(sender.now);
  EXPECT_EQ(sender.plb.changes(), 1U);  // the count has begun anew
}

TEST(TcpPlb, ARoundThatEndsWithNothingInFlightMayLeaveAtOnce) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  sender.round(kWindow);
  sender.flight = 0;
  sender.round(kWindow);
  EXPECT_EQ(sender.plb.changes(), 1U);
}

TEST(TcpPlb, ATimeoutTakesAnotherLabelAndSuspendsTheRule) {
  Sender sender;
  sender.ack(1, PathMark::kNone);
  const std::uint16_t label = sender.plb.label();
  sender.plb.on_timeout(sender.now);
  EXPECT_NE(sender.plb.label(), label);
  EXPECT_EQ(sender.plb.changes(), 1U);
  for (int i = 0; i < 20; ++i) {
    sender.round(kWindow);
  }
  EXPECT_EQ(sender.plb.changes(), 1U);
  sender.now = Time::zero() + 2 * kRule.suspend;
  sender.round(kWindow);
  EXPECT_EQ(sender.plb.changes(), 2U);
}

TEST(TcpPlb, ANewLabelIsNeverTheOldOne) {
  TcpPlb plb(kRule, RandomStream(7, "test"));
  for (int i = 0; i < 100'000; ++i) {
    const std::uint16_t before = plb.label();
    plb.on_timeout(Time::zero());
    ASSERT_NE(plb.label(), before);
  }
  EXPECT_EQ(plb.changes(), 100'000U);
}

}  // namespace
}  // namespace weft::transport
