#include "transport/loss/reorder_buffer.h"

#include <gtest/gtest.h>

#include <set>

namespace weft::transport {
namespace {

using Outcome = ReorderBuffer::Outcome;
constexpr Psn kExpected(0xFFFFF0);  // the window wraps
constexpr int kWindow = 128;

/// A packet `ahead` of the expected one, with a payload that tells which.
struct Early {
  explicit Early(int ahead) : payload(4, static_cast<std::byte>(ahead)) {
    packet.ib.psn = kExpected + ahead;
    packet.common.payload_bytes = 4;
  }
  [[nodiscard]] ReceivedPacket received() const { return {packet, cold, payload}; }
  wire::Packet packet;
  wire::ColdPacket cold;
  std::vector<std::byte> payload;
};

TEST(ReorderBuffer, GivesBackWhatItHolds) {
  ReorderBuffer buffer({.window = kWindow, .packets = 127});
  for (int ahead = 1; ahead < kWindow; ++ahead) {
    ASSERT_EQ(buffer.hold(Early(ahead).received()), Outcome::kKept);
  }
  EXPECT_EQ(buffer.held(), 127U);
  for (int ahead = 1; ahead < kWindow; ++ahead) {
    ReorderBuffer::Entry* const entry = buffer.find(kExpected + ahead);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->packet.ib.psn, kExpected + ahead);
    EXPECT_EQ(entry->payload, Early(ahead).payload);
    buffer.release(kExpected + ahead);
    EXPECT_EQ(buffer.find(kExpected + ahead), nullptr);
  }
  EXPECT_EQ(buffer.held(), 0U);
  EXPECT_FALSE(buffer.any());
}

TEST(ReorderBuffer, SecondCopyIsADuplicate) {
  ReorderBuffer buffer({.window = kWindow, .packets = 4});
  const Early early(3);
  EXPECT_EQ(buffer.hold(early.received()), Outcome::kKept);
  EXPECT_EQ(buffer.hold(early.received()), Outcome::kDuplicate);
  EXPECT_EQ(buffer.note_placed(early.received()), Outcome::kDuplicate);
  EXPECT_EQ(buffer.held(), 1U);
}

TEST(ReorderBuffer, HoldsNoMoreThanItsCapacity) {
  ReorderBuffer buffer({.window = kWindow, .packets = 2});
  EXPECT_EQ(buffer.hold(Early(1).received()), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(2).received()), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(3).received()), Outcome::kNoRoom);
  EXPECT_FALSE(buffer.contains(kExpected + 3));
  buffer.release(kExpected + 1);
  EXPECT_EQ(buffer.hold(Early(3).received()), Outcome::kKept);
}

TEST(ReorderBuffer, PlacedPacketsTakeNoRoomAndKeepNoBytes) {
  ReorderBuffer buffer({.window = kWindow, .packets = 1});
  for (int ahead = 1; ahead < 100; ++ahead) {
    ASSERT_EQ(buffer.note_placed(Early(ahead).received()), Outcome::kKept);
  }
  EXPECT_EQ(buffer.held(), 0U);
  EXPECT_TRUE(buffer.any());
  const ReorderBuffer::Entry* const entry = buffer.find(kExpected + 50);
  ASSERT_NE(entry, nullptr);
  EXPECT_TRUE(entry->placed);
  EXPECT_TRUE(entry->payload.empty());
  EXPECT_EQ(buffer.hold(Early(100).received()), Outcome::kKept);
}

TEST(ReorderBuffer, BitmapNamesExactlyWhatHasArrived) {
  ReorderBuffer buffer({.window = kWindow, .packets = 64});
  (void)buffer.hold(Early(2).received());
  (void)buffer.note_placed(Early(70).received());
  (void)buffer.hold(Early(127).received());
  const wire::SackBitmap bitmap = buffer.report(kExpected);
  EXPECT_EQ(bitmap.base, kExpected);
  EXPECT_FALSE(buffer.has_unreported());
  for (int i = 0; i < kWindow; ++i) {
    EXPECT_EQ(bitmap.test(i), i == 2 || i == 70 || i == 127) << i;
  }
}

TEST(ReorderBuffer, WhatTheExpectedPsnJumpsOverIsForgotten) {
  ReorderBuffer buffer({.window = kWindow, .packets = 1});
  EXPECT_EQ(buffer.hold(Early(5).received()), Outcome::kKept);
  buffer.note_middle(kExpected + 6);
  buffer.note_middle(kExpected + 9);
  buffer.skip(kExpected + 1, kExpected + 8);
  EXPECT_FALSE(buffer.contains(kExpected + 5));
  EXPECT_FALSE(buffer.contains(kExpected + 6));
  EXPECT_TRUE(buffer.contains(kExpected + 9));
  EXPECT_EQ(buffer.held(), 0U);
  EXPECT_EQ(buffer.hold(Early(10).received()), Outcome::kKept);
}

TEST(ReorderBuffer, HoldsNoMoreBytesThanItsCapacity) {
  ReorderBuffer buffer({.window = kWindow, .packets = 100, .bytes = Bytes(10)});
  EXPECT_EQ(buffer.hold(Early(1).received()), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(2).received()), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(3).received()), Outcome::kNoRoom);
  buffer.release(kExpected + 1);
  EXPECT_EQ(buffer.hold(Early(3).received()), Outcome::kKept);
}

TEST(ReorderBuffer, MiddlesInARowAreTakenAtOnceUpToAnEntryOrAGap) {
  ReorderBuffer buffer({.window = 512, .packets = 1});
  for (int ahead = 1; ahead <= 300; ++ahead) {
    if (ahead == 200) {
      (void)buffer.note_placed(Early(ahead).received());
    } else if (ahead != 250) {
      buffer.note_middle(kExpected + ahead);
    }
  }
  EXPECT_EQ(buffer.take_middles(kExpected), 0U);
  EXPECT_EQ(buffer.take_middles(kExpected + 1), 199U);
  EXPECT_EQ(buffer.take_middles(kExpected + 200), 0U);
  ASSERT_NE(buffer.find(kExpected + 200), nullptr);
  buffer.release(kExpected + 200);
  EXPECT_EQ(buffer.take_middles(kExpected + 201), 49U);
  EXPECT_EQ(buffer.take_middles(kExpected + 251), 50U);
  EXPECT_FALSE(buffer.any());
}

TEST(ReorderBuffer, ReportsReachAllThatIsNewOneAfterTheOther) {
  ReorderBuffer buffer({.window = 1'024, .packets = 1});
  std::set<int> arrived;
  for (const int ahead : {3, 127, 130, 500, 501, 900}) {
    buffer.note_middle(kExpected + ahead);
    arrived.insert(ahead);
  }
  std::set<int> reported;
  for (int reports = 0; buffer.has_unreported() && reports < 10; ++reports) {
    const wire::SackBitmap bitmap = buffer.report(kExpected);
    for (int i = 0; i < wire::SackBitmap::kBits; ++i) {
      if (bitmap.test(i)) {
        reported.insert(bitmap.base + i - kExpected);
      }
    }
  }
  EXPECT_EQ(reported, arrived);
  EXPECT_EQ(buffer.report(kExpected).base, kExpected);
}

TEST(ReorderBuffer, ClearForgetsEverything) {
  ReorderBuffer buffer({.window = kWindow, .packets = 8});
  (void)buffer.hold(Early(1).received());
  (void)buffer.note_placed(Early(2).received());
  buffer.clear();
  EXPECT_FALSE(buffer.any());
  EXPECT_EQ(buffer.held(), 0U);
  EXPECT_FALSE(buffer.report(kExpected).any());
}

}  // namespace
}  // namespace weft::transport
