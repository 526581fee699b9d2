#include "workload/ring_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace weft::workload {
namespace {

std::vector<RingChunk> chunks_of(const RingShape& shape, std::uint32_t rank) {
  std::vector<RingChunk> chunks;
  RingCursor cursor(shape, RankId(rank));
  while (const auto chunk = cursor.next())
    chunks.push_back(*chunk);
  return chunks;
}

TEST(RingSchedule, WhatARankReceivesIsWhatItSendsOneStepLater) {
  for (std::uint32_t ranks = 2; ranks <= 9; ++ranks) {
    const RingShape shape{.ranks = ranks, .size = Bytes(4 * 1003), .chunk = Bytes(64)};
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      const auto received = chunks_of(shape, (rank + ranks - 1) % ranks);
      const auto sent = chunks_of(shape, rank);
      const std::uint64_t first = RingCursor(shape, RankId(rank)).first_step_chunks();
      for (std::size_t i = first; i < sent.size(); ++i) {
        EXPECT_EQ(sent[i].step, received[i - first].step + 1);
        EXPECT_EQ(sent[i].offset, received[i - first].offset);
        EXPECT_EQ(sent[i].size, received[i - first].size);
      }
    }
  }
}

TEST(RingSchedule, ChunksCoverEverySegmentOnceInEachHalf) {
  const RingShape shape{.ranks = 7, .size = Bytes(4 * 100), .chunk = Bytes(16)};
  for (std::uint32_t rank = 0; rank < shape.ranks; ++rank) {
    std::vector<int> reduced(400, 0);
    std::vector<int> gathered(400, 0);
    for (const RingChunk& chunk : chunks_of(shape, rank)) {
      EXPECT_LE(chunk.size, shape.chunk);
      EXPECT_EQ(chunk.reduces, chunk.step < shape.ranks - 1);
      for (std::int64_t i = 0; i < chunk.size.count(); ++i)
        ++(chunk.reduces ? reduced : gathered)[chunk.offset + static_cast<std::uint64_t>(i)];
    }
    // Of seven segments a rank sends six in each half.
    int left_out = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      EXPECT_LE(reduced[i], 1);
      EXPECT_LE(gathered[i], 1);
      left_out += 1 - reduced[i];
    }
    EXPECT_LE(left_out, (100 / 7 + 1) * 4);
    EXPECT_GE(left_out, 100 / 7 * 4);
  }
}

TEST(RingSchedule, OneRankSendsNothing) { EXPECT_TRUE(chunks_of({.ranks = 1, .size = Bytes(400)}, 0).empty()); }

TEST(RingSchedule, ElementsAreNeverCut) {
  EXPECT_FALSE(check_ring({.ranks = 2, .size = Bytes(10)}).has_value());
  EXPECT_FALSE(check_ring({.ranks = 2, .size = Bytes(8), .chunk = Bytes(6)}).has_value());
  EXPECT_FALSE(check_ring({.ranks = 0, .size = Bytes(8)}).has_value());
  EXPECT_TRUE(check_ring({.ranks = 2, .size = Bytes(8), .chunk = Bytes(4)}).has_value());
}

}  // namespace
}  // namespace weft::workload
