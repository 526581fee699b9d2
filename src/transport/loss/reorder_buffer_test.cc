#include "transport/loss/reorder_buffer.h"

#include <gtest/gtest.h>

namespace weft::transport {
namespace {

using Outcome = ReorderBuffer::Outcome;
constexpr Psn kExpected(0xFFFFF0);  // the window wraps

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
  ReorderBuffer buffer(127);
  for (int ahead = 1; ahead < ReorderBuffer::kWindow; ++ahead) {
    ASSERT_EQ(buffer.hold(Early(ahead).received(), kExpected), Outcome::kKept);
  }
  EXPECT_EQ(buffer.held(), 127);
  for (int ahead = 1; ahead < ReorderBuffer::kWindow; ++ahead) {
    ReorderBuffer::Entry* const entry = buffer.find(kExpected + ahead);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->packet.ib.psn, kExpected + ahead);
    EXPECT_EQ(entry->payload, Early(ahead).payload);
    buffer.release(*entry);
    EXPECT_EQ(buffer.find(kExpected + ahead), nullptr);
  }
  EXPECT_EQ(buffer.held(), 0);
  EXPECT_FALSE(buffer.any());
}

TEST(ReorderBuffer, SecondCopyIsADuplicate) {
  ReorderBuffer buffer(4);
  const Early early(3);
  EXPECT_EQ(buffer.hold(early.received(), kExpected), Outcome::kKept);
  EXPECT_EQ(buffer.hold(early.received(), kExpected), Outcome::kDuplicate);
  EXPECT_EQ(buffer.note_placed(early.received(), kExpected), Outcome::kDuplicate);
  EXPECT_EQ(buffer.held(), 1);
}

TEST(ReorderBuffer, HoldsNoMoreThanItsCapacity) {
  ReorderBuffer buffer(2);
  EXPECT_EQ(buffer.hold(Early(1).received(), kExpected), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(2).received(), kExpected), Outcome::kKept);
  EXPECT_EQ(buffer.hold(Early(3).received(), kExpected), Outcome::kNoRoom);
  EXPECT_FALSE(buffer.contains(kExpected + 3));
  buffer.release(*buffer.find(kExpected + 1));
  EXPECT_EQ(buffer.hold(Early(3).received(), kExpected), Outcome::kKept);
}

TEST(ReorderBuffer, PlacedPacketsTakeNoRoomAndKeepNoBytes) {
  ReorderBuffer buffer(1);
  for (int ahead = 1; ahead < 100; ++ahead) {
    ASSERT_EQ(buffer.note_placed(Early(ahead).received(), kExpected), Outcome::kKept);
  }
  EXPECT_EQ(buffer.held(), 0);
  EXPECT_TRUE(buffer.any());
  const ReorderBuffer::Entry* const entry = buffer.find(kExpected + 50);
  ASSERT_NE(entry, nullptr);
  EXPECT_TRUE(entry->placed);
  EXPECT_TRUE(entry->payload.empty());
  EXPECT_EQ(buffer.hold(Early(100).received(), kExpected), Outcome::kKept);
}

TEST(ReorderBuffer, BitmapNamesExactlyWhatHasArrived) {
  ReorderBuffer buffer(64);
  (void)buffer.hold(Early(2).received(), kExpected);
  (void)buffer.note_placed(Early(70).received(), kExpected);
  (void)buffer.hold(Early(127).received(), kExpected);
  const wire::SackBitmap bitmap = buffer.bitmap(kExpected);
  for (int i = 0; i < ReorderBuffer::kWindow; ++i) {
    EXPECT_EQ(bitmap.test(i), i == 2 || i == 70 || i == 127) << i;
  }
}

TEST(ReorderBuffer, PlaceLeftOverFromAnEarlierWindowIsTakenOver) {
  ReorderBuffer buffer(1);
  EXPECT_EQ(buffer.hold(Early(5).received(), kExpected), Outcome::kKept);
  const int later = 5 + ReorderBuffer::kWindow;
  EXPECT_EQ(buffer.hold(Early(later).received(), kExpected + ReorderBuffer::kWindow), Outcome::kKept);
  EXPECT_FALSE(buffer.contains(kExpected + 5));
  EXPECT_TRUE(buffer.contains(kExpected + later));
  EXPECT_EQ(buffer.held(), 1);
}

TEST(ReorderBuffer, ClearForgetsEverything) {
  ReorderBuffer buffer(8);
  (void)buffer.hold(Early(1).received(), kExpected);
  (void)buffer.note_placed(Early(2).received(), kExpected);
  buffer.clear();
  EXPECT_FALSE(buffer.any());
  EXPECT_EQ(buffer.held(), 0);
  EXPECT_FALSE(buffer.bitmap(kExpected).any());
}

}  // namespace
}  // namespace weft::transport
