#include "transport/loss/selective_repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace weft::transport {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Psn kUna(0xFFFFFE);  // the window wraps
constexpr int kWindow = 128;

/// A bitmap from `base` on.
wire::SackBitmap bits(Psn base, std::initializer_list<int> set) {
  wire::SackBitmap bitmap{.base = base};
  for (const int bit : set) {
    bitmap.set(bit);
  }
  return bitmap;
}

/// What is due, as distances from `kUna`.
std::vector<int> due(SelectiveRepeat& repeat) {
  std::vector<int> all;
  while (repeat.has_retransmission()) {
    all.push_back(repeat.take_retransmission(kUna + kWindow) - kUna);
  }
  return all;
}

SelectiveRepeat started(std::uint16_t threshold) {
  SelectiveRepeat repeat({.window = kWindow, .threshold = threshold});
  repeat.start(kUna);
  return repeat;
}

/// By count, where the time means nothing.
void sack(SelectiveRepeat& repeat, const wire::SackBitmap& bitmap, Psn end) {
  repeat.on_sack(bitmap, {.acknowledged = bitmap.base, .end = end}, Time::zero());
}
void advance(SelectiveRepeat& repeat, Psn una) { repeat.advance(una, una, Time::zero()); }

TEST(SelectiveRepeat, PacketIsLostWhenAsManyLaterOnesAsTheThresholdHaveArrived) {
  for (const int threshold : {1, 2, 3, 8}) {
    SelectiveRepeat repeat = started(static_cast<std::uint16_t>(threshold));
    for (int later = 1; later < threshold; ++later) {
      sack(repeat, bits(kUna, {later}), kUna + 20);
      EXPECT_FALSE(repeat.has_retransmission()) << threshold << " " << later;
    }
    sack(repeat, bits(kUna, {threshold}), kUna + 20);
    EXPECT_THAT(due(repeat), ElementsAre(0)) << threshold;
  }
}

TEST(SelectiveRepeat, OnlyTheMissingPacketsAreSentAgain) {
  SelectiveRepeat repeat = started(1);
  sack(repeat, bits(kUna, {2, 3, 6}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(0, 1, 4, 5));
}

TEST(SelectiveRepeat, CopyIsSentOnceUntilTheTimeout) {
  SelectiveRepeat repeat = started(1);
  sack(repeat, bits(kUna, {1}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(0));
  sack(repeat, bits(kUna, {1, 2}), kUna + 10);
  EXPECT_THAT(due(repeat), IsEmpty());
  repeat.on_timeout(kUna + 5, Time::zero());
  EXPECT_THAT(due(repeat), ElementsAre(0, 3, 4));
}

TEST(SelectiveRepeat, AcknowledgedPacketsAreNoLongerDue) {
  SelectiveRepeat repeat = started(1);
  sack(repeat, bits(kUna, {1, 5}), kUna + 10);
  advance(repeat, kUna + 2);
  EXPECT_THAT(due(repeat), ElementsAre(2, 3, 4));
  repeat.on_timeout(kUna + 6, Time::zero());
  advance(repeat, kUna + 6);
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, AdvanceBeyondTheWindowForgetsEverything) {
  for (const int by : {kWindow, kWindow + 1, 100'000}) {
    SelectiveRepeat repeat = started(1);
    sack(repeat, bits(kUna, {127}), kUna + 128);
    EXPECT_TRUE(repeat.has_retransmission());
    advance(repeat, kUna + by);
    EXPECT_FALSE(repeat.has_retransmission());
  }
}

TEST(SelectiveRepeat, BitmapBeyondWhatWasSentIsNotBelieved) {
  SelectiveRepeat repeat = started(1);
  sack(repeat, bits(kUna, {5, 100, 127}), kUna + 3);
  EXPECT_FALSE(repeat.has_retransmission());
  sack(repeat, bits(kUna - 1, {0}), kUna + 3);
  sack(repeat, bits(kUna - 1'000, {3}), kUna + 3);
  sack(repeat, bits(kUna + kWindow, {3}), kUna + 3);
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, PacketsBeforeTheCumulativeNumberHaveArrived) {
  SelectiveRepeat repeat = started(1);
  // The peer has everything up to una + 3; an answer holds una back. Missing: una + 4 only.
  sack(repeat, bits(kUna + 4, {1}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(4));
}

TEST(SelectiveRepeat, ArrivalOfAPacketThatIsDueCancelsIt) {
  SelectiveRepeat repeat = started(2);
  sack(repeat, bits(kUna, {2, 4}), kUna + 10);
  sack(repeat, bits(kUna, {0, 2, 4}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(1));
}

TEST(SelectiveRepeat, TimeoutMakesTheOldestDueEvenIfItHasArrived) {
  SelectiveRepeat repeat = started(4);
  sack(repeat, bits(kUna, {0, 1, 2}), kUna + 4);
  repeat.on_timeout(kUna + 4, Time::zero());
  EXPECT_THAT(due(repeat), ElementsAre(0, 3));
}

TEST(SelectiveRepeat, RequestAndCancelNameSinglePackets) {
  SelectiveRepeat repeat = started(1);
  repeat.request(kUna + 7);
  repeat.request(kUna + 9);
  repeat.request(kUna - 1);
  repeat.request(kUna + kWindow);
  repeat.cancel(kUna + 8, kUna + 12);
  EXPECT_THAT(due(repeat), ElementsAre(7));
  repeat.on_timeout(kUna + 200, Time::zero());
  repeat.clear();
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, TimeoutCoversTheWholeWindow) {
  SelectiveRepeat repeat = started(1);
  repeat.on_timeout(kUna + 1'000, Time::zero());
  EXPECT_EQ(due(repeat).size(), static_cast<std::size_t>(kWindow));
}

TEST(SelectiveRepeat, BitmapMayBeginAnywhereInTheWindow) {
  for (const int place : {-70, -5, 0, 1, 63, 64, 100}) {
    SelectiveRepeat repeat({.window = 256, .threshold = 1});
    repeat.start(kUna);
    repeat.on_sack(bits(kUna + place, {90}), {.acknowledged = kUna, .end = kUna + 256}, Time::zero());
    EXPECT_EQ(due(repeat).size(), static_cast<std::size_t>(place + 90)) << place;
  }
}

// By time.

constexpr Duration kRoundTrip = Duration::microseconds(10);

Time at(std::int64_t microseconds) { return Time::zero() + Duration::microseconds(microseconds); }

/// `packets` have left, one a microsecond, and a round trip of 10 us is known.
SelectiveRepeat sending(int packets) {
  SelectiveRepeat repeat({.window = 256, .detection = LossDetection::kByTime, .round_trip = kRoundTrip});
  repeat.start(kUna);
  for (int i = 0; i < packets; ++i) {
    repeat.on_sent(kUna + i, at(i));
  }
  return repeat;
}

Time detect(SelectiveRepeat& repeat, Time now) { return repeat.detect(kUna + 256, now); }

TEST(SelectiveRepeatByTime, NoGapIsALossHoweverLargeWhileTheRoundTripLasts) {
  SelectiveRepeat repeat = sending(100);
  // All but the first and the thirtieth have arrived, each after 10 us.
  for (int i = 1; i < 100; ++i) {
    if (i != 30) {
      repeat.on_sack(bits(kUna + i, {0}), {.acknowledged = kUna, .end = kUna + 100}, at(i + 10));
      const Time again = detect(repeat, at(i + 10));
      if (i + 10 < 50) {
        EXPECT_FALSE(repeat.has_retransmission()) << i;
        EXPECT_NEAR(again.since_start().seconds(), 50e-6, 20e-9);
      }
    }
  }
  EXPECT_THAT(due(repeat), ElementsAre(0, 30));
}

TEST(SelectiveRepeatByTime, TheFirstProbeWaitsAsLongAsToldUntilARoundTripIsKnown) {
  SelectiveRepeat repeat(
      {.window = 256, .detection = LossDetection::kByTime, .round_trip = kRoundTrip, .first_probe = 256});
  repeat.start(kUna);
  repeat.on_sent(kUna, at(0));
  repeat.on_sent(kUna + 1, at(0));
  EXPECT_NEAR(repeat.probe_delay().seconds(), 256 * 10e-6, 2e-6);
  repeat.advance(kUna + 1, kUna + 2, at(20));
  EXPECT_NEAR(repeat.probe_delay().seconds(), 4 * 20e-6, 1e-7);
}

TEST(SelectiveRepeatByTime, OvertakenPacketIsLostFourLongestRoundTripsAndAnEmptyOneAfterItLeft) {
  SelectiveRepeat repeat = sending(3);
  repeat.on_sack(bits(kUna + 2, {0}), {.acknowledged = kUna, .end = kUna + 3}, at(12));
  const Time again = detect(repeat, at(12));
  EXPECT_FALSE(repeat.has_retransmission());
  // 10 us long, measured in units of 4.096 ns.
  EXPECT_NEAR(again.since_start().seconds(), 50e-6, 20e-9);
  (void)detect(repeat, again);
  EXPECT_EQ(repeat.take_retransmission(kUna + 1), kUna);
}

TEST(SelectiveRepeatByTime, WhatNothingHasOvertakenIsNotLost) {
  SelectiveRepeat repeat = sending(3);
  EXPECT_TRUE(detect(repeat, at(1'000)).is_never());
  repeat.on_sack(bits(kUna, {0}), {.acknowledged = kUna, .end = kUna + 3}, at(10));
  EXPECT_TRUE(detect(repeat, at(1'000)).is_never());
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeatByTime, CopyIsSentAgainWhenItIsLostToo) {
  SelectiveRepeat repeat = sending(2);
  repeat.on_sack(bits(kUna + 1, {0}), {.acknowledged = kUna, .end = kUna + 2}, at(11));
  (void)detect(repeat, at(51));
  EXPECT_THAT(due(repeat), ElementsAre(0));
  repeat.on_sent(kUna, at(51));
  // Nothing that left after the copy has arrived yet.
  (void)detect(repeat, at(90));
  EXPECT_FALSE(repeat.has_retransmission());
  repeat.on_sent(kUna + 2, at(52));
  repeat.on_sack(bits(kUna + 2, {0}), {.acknowledged = kUna, .end = kUna + 3}, at(62));
  (void)detect(repeat, at(100));
  EXPECT_FALSE(repeat.has_retransmission());
  (void)detect(repeat, at(102));
  EXPECT_THAT(due(repeat), ElementsAre(0));
}

// Packet 1 is reported behind the gap, what names 2 and 3 is lost: that these had arrived is heard when the gap is
// filled.
TEST(SelectiveRepeatByTime, AFilledGapIsNoRoundTripOfWhatHadArrivedBehindIt) {
  SelectiveRepeat repeat = sending(4);
  repeat.on_sack(bits(kUna + 1, {0}), {.acknowledged = kUna, .end = kUna + 4}, at(11));
  const Duration before = repeat.reorder_timeout();
  (void)detect(repeat, at(51));
  EXPECT_EQ(repeat.take_retransmission(kUna + 4), kUna);
  repeat.on_sent(kUna, at(60));
  repeat.advance(kUna + 4, kUna + 4, at(70));
  EXPECT_EQ(repeat.reorder_timeout(), before);
  // What leaves afterwards is measured as ever.
  repeat.on_sent(kUna + 4, at(80));
  repeat.advance(kUna + 5, kUna + 5, at(180));
  EXPECT_GT(repeat.reorder_timeout(), before + 100_us);
}

// Each time the first of four is lost, and the acknowledgement that names the last one too.
TEST(SelectiveRepeatByTime, OneRecoveryAfterTheOtherTakesNoLonger) {
  SelectiveRepeat repeat = sending(0);
  int now = 100;
  for (int i = 0; i < 50; ++i) {
    const Psn first = kUna + 4 * i;
    for (int j = 0; j < 4; ++j) {
      repeat.on_sent(first + j, at(now + j));
    }
    repeat.on_sack(bits(first + 1, {0, 1}), {.acknowledged = first, .end = first + 4}, at(now + 12));
    const Time again = repeat.detect(first + 4, at(now + 12));
    ASSERT_LT(again, at(now + 60)) << i;
    (void)repeat.detect(first + 4, again);
    ASSERT_EQ(repeat.take_retransmission(first + 4), first);
    repeat.on_sent(first, at(now + 60));
    repeat.advance(first + 4, first + 4, at(now + 70));
    now += 100;
  }
  EXPECT_LT(repeat.reorder_timeout(), 40_us);
}

// 8 packets, and nothing after the third arrives. The probe tells of its own packet alone, and that the others are
// lost.
TEST(SelectiveRepeatByTime, WhenAProbeHasArrivedTheWholeTailBeforeItIsLostARoundTripLater) {
  SelectiveRepeat repeat = sending(8);
  repeat.advance(kUna + 3, kUna + 8, at(12));  // the longest round trip, of the first packet: 12 us
  EXPECT_FALSE(repeat.has_overtaken());
  repeat.request(kUna + 3);
  EXPECT_THAT(due(repeat), ElementsAre(3));
  repeat.on_sent(kUna + 3, at(60));
  repeat.advance(kUna + 4, kUna + 8, at(70));
  EXPECT_TRUE(repeat.has_overtaken());
  const Time again = repeat.detect(kUna + 8, at(70));
  EXPECT_FALSE(repeat.has_retransmission());
  EXPECT_NEAR(again.since_start().seconds(), 82e-6, 20e-9);
  EXPECT_TRUE(repeat.detect(kUna + 8, again).is_never());
  EXPECT_THAT(due(repeat), ElementsAre(4, 5, 6, 7));
}

// They were only late: their acknowledgements follow that of the probe.
TEST(SelectiveRepeatByTime, WhatIsAcknowledgedSoonAfterAProbeIsNotSentAgain) {
  SelectiveRepeat repeat = sending(8);
  repeat.advance(kUna + 3, kUna + 8, at(12));
  repeat.request(kUna + 3);
  (void)due(repeat);
  repeat.on_sent(kUna + 3, at(60));
  repeat.advance(kUna + 4, kUna + 8, at(61));
  (void)repeat.detect(kUna + 8, at(61));
  repeat.advance(kUna + 8, kUna + 8, at(65));
  EXPECT_FALSE(repeat.has_overtaken());
  EXPECT_TRUE(repeat.detect(kUna + 8, at(200)).is_never());
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeatByTime, WhatLeftAfterACopyIsNotOvertakenByIt) {
  SelectiveRepeat repeat = sending(4);
  repeat.advance(kUna + 3, kUna + 4, at(12));
  repeat.request(kUna + 3);
  (void)due(repeat);
  repeat.on_sent(kUna + 3, at(60));
  for (int i = 4; i < 8; ++i) {
    repeat.on_sent(kUna + i, at(61 + i));
  }
  repeat.advance(kUna + 4, kUna + 8, at(70));
  EXPECT_TRUE(repeat.detect(kUna + 8, at(1'000)).is_never());
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeatByTime, DuplicatesMakeItMorePatientForATime) {
  SelectiveRepeat repeat = sending(3);
  repeat.advance(kUna + 3, kUna + 3, at(12));
  const Duration longest = (repeat.reorder_timeout() - kRoundTrip) / 4;
  repeat.on_duplicate(kUna + 4);
  EXPECT_EQ(repeat.reorder_timeout(), kRoundTrip + 5 * longest);
  repeat.on_duplicate(kUna + 4);  // the same round trip
  EXPECT_EQ(repeat.reorder_timeout(), kRoundTrip + 5 * longest);
  // One packet a round trip: the step is over after sixteen of them.
  for (int i = 0; i < 20; ++i) {
    repeat.on_sent(kUna + 3 + i, at(100 + i * 10));
    repeat.advance(kUna + 4 + i, kUna + 4 + i, at(110 + i * 10));
  }
  EXPECT_NEAR(repeat.reorder_timeout().seconds(), 50e-6, 20e-9);
}

TEST(SelectiveRepeatByTime, PatienceFollowsTheLongestRoundTripAndForgetsItSlowly) {
  SelectiveRepeat repeat = sending(1);
  repeat.advance(kUna + 1, kUna + 1, at(100));  // 100 us
  EXPECT_NEAR(repeat.reorder_timeout().seconds(), 410e-6, 50e-9);
  // Without duplicates it also becomes less patient again.
  for (int i = 1; i < 100; ++i) {
    repeat.on_sent(kUna + i, at(100 * i));
    repeat.advance(kUna + i + 1, kUna + i + 1, at(100 * i + 10));
  }
  EXPECT_NEAR(repeat.reorder_timeout().seconds(), 30e-6, 2e-6);
}

}  // namespace
}  // namespace weft::transport
