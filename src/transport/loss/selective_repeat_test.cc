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

wire::SackBitmap bits(std::initializer_list<int> set) {
  wire::SackBitmap bitmap;
  for (const int bit : set) {
    bitmap.set(bit);
  }
  return bitmap;
}

/// What is due, as distances from `kUna`.
std::vector<int> due(SelectiveRepeat& repeat) {
  std::vector<int> all;
  while (repeat.has_retransmission()) {
    all.push_back(repeat.take_retransmission() - kUna);
  }
  return all;
}

SelectiveRepeat started(std::uint8_t threshold) {
  SelectiveRepeat repeat(threshold);
  repeat.advance(kUna);
  return repeat;
}

TEST(SelectiveRepeat, PacketIsLostWhenAsManyLaterOnesAsTheThresholdHaveArrived) {
  for (const int threshold : {1, 2, 3, 8}) {
    SelectiveRepeat repeat = started(static_cast<std::uint8_t>(threshold));
    for (int later = 1; later < threshold; ++later) {
      repeat.on_sack(kUna, bits({later}), kUna + 20);
      EXPECT_FALSE(repeat.has_retransmission()) << threshold << " " << later;
    }
    repeat.on_sack(kUna, bits({threshold}), kUna + 20);
    EXPECT_THAT(due(repeat), ElementsAre(0)) << threshold;
  }
}

TEST(SelectiveRepeat, OnlyTheMissingPacketsAreSentAgain) {
  SelectiveRepeat repeat = started(1);
  repeat.on_sack(kUna, bits({2, 3, 6}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(0, 1, 4, 5));
}

TEST(SelectiveRepeat, CopyIsSentOnceUntilTheTimeout) {
  SelectiveRepeat repeat = started(1);
  repeat.on_sack(kUna, bits({1}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(0));
  repeat.on_sack(kUna, bits({1, 2}), kUna + 10);
  EXPECT_THAT(due(repeat), IsEmpty());
  repeat.on_timeout(kUna + 5);
  EXPECT_THAT(due(repeat), ElementsAre(0, 3, 4));
}

TEST(SelectiveRepeat, AcknowledgedPacketsAreNoLongerDue) {
  SelectiveRepeat repeat = started(1);
  repeat.on_sack(kUna, bits({1, 5}), kUna + 10);
  repeat.advance(kUna + 2);
  EXPECT_THAT(due(repeat), ElementsAre(2, 3, 4));
  repeat.on_timeout(kUna + 6);
  repeat.advance(kUna + 6);
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, AdvanceBeyondTheWindowForgetsEverything) {
  for (const int by : {SelectiveRepeat::kWindow, SelectiveRepeat::kWindow + 1, 100'000}) {
    SelectiveRepeat repeat = started(1);
    repeat.on_sack(kUna, bits({127}), kUna + 128);
    EXPECT_TRUE(repeat.has_retransmission());
    repeat.advance(kUna + by);
    EXPECT_FALSE(repeat.has_retransmission());
  }
}

TEST(SelectiveRepeat, BitmapBeyondWhatWasSentIsNotBelieved) {
  SelectiveRepeat repeat = started(1);
  repeat.on_sack(kUna, bits({5, 100, 127}), kUna + 3);
  EXPECT_FALSE(repeat.has_retransmission());
  repeat.on_sack(kUna - 1, bits({3}), kUna + 3);
  repeat.on_sack(kUna + SelectiveRepeat::kWindow, bits({3}), kUna + 3);
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, PacketsBeforeTheCumulativeNumberHaveArrived) {
  SelectiveRepeat repeat = started(1);
  // The peer has everything up to una + 3; an answer holds una back. Missing: una + 4 only.
  repeat.on_sack(kUna + 4, bits({1}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(4));
}

TEST(SelectiveRepeat, ArrivalOfAPacketThatIsDueCancelsIt) {
  SelectiveRepeat repeat = started(2);
  repeat.on_sack(kUna, bits({2, 4}), kUna + 10);
  repeat.on_sack(kUna, bits({0, 2, 4}), kUna + 10);
  EXPECT_THAT(due(repeat), ElementsAre(1));
}

TEST(SelectiveRepeat, TimeoutMakesTheOldestDueEvenIfItHasArrived) {
  SelectiveRepeat repeat = started(4);
  repeat.on_sack(kUna, bits({0, 1, 2}), kUna + 4);
  repeat.on_timeout(kUna + 4);
  EXPECT_THAT(due(repeat), ElementsAre(0, 3));
}

TEST(SelectiveRepeat, RequestAndCancelNameSinglePackets) {
  SelectiveRepeat repeat = started(1);
  repeat.request(kUna + 7);
  repeat.request(kUna + 9);
  repeat.request(kUna - 1);
  repeat.request(kUna + SelectiveRepeat::kWindow);
  repeat.cancel(kUna + 8, kUna + 12);
  EXPECT_THAT(due(repeat), ElementsAre(7));
  repeat.on_timeout(kUna + 200);
  repeat.clear();
  EXPECT_FALSE(repeat.has_retransmission());
}

TEST(SelectiveRepeat, TimeoutCoversTheWholeWindow) {
  SelectiveRepeat repeat = started(1);
  repeat.on_timeout(kUna + 1'000);
  EXPECT_EQ(due(repeat).size(), static_cast<std::size_t>(SelectiveRepeat::kWindow));
}

}  // namespace
}  // namespace weft::transport
