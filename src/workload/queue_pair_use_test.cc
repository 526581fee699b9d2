#include "workload/queue_pair_use.h"

#include <gtest/gtest.h>

#include <array>

namespace weft::workload {
namespace {

TEST(QueuePairUse, PartsCoverAMessageOnceAndAreEqualButForTheLast) {
  for (const std::int64_t size : {0, 1, 127, 128, 4'096, 65'537, 1 << 20}) {
    for (const std::uint32_t count : {1U, 2U, 3U, 16U, 128U}) {
      std::uint64_t end = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        const MessagePart part = part_of(Bytes(size), i, count);
        EXPECT_EQ(part.offset, end);
        EXPECT_LE(part.size, part_of(Bytes(size), 0, count).size);
        EXPECT_TRUE(part.offset % 128 == 0 || part.size == Bytes::zero());
        end += static_cast<std::uint64_t>(part.size.count());
      }
      EXPECT_EQ(end, static_cast<std::uint64_t>(size));
    }
  }
  EXPECT_EQ(part_of(Bytes(1 << 20), 5, 16).size, Bytes(1 << 16));
}

TEST(QueuePairUse, RoundRobinTakesEachInTurnWhateverIsUnfinished) {
  QueuePairChoice choice(QueuePairUse::kRoundRobin, 3);
  const auto unfinished = [](std::uint32_t i) { return i == 0 ? 1'000 : 0; };
  for (std::uint32_t n = 0; n < 9; ++n) {
    EXPECT_EQ(choice.next(unfinished), n % 3);
  }
}

TEST(QueuePairUse, LeastOutstandingTakesTheOneWithFewestBytesAndTurnsAmongEqualOnes) {
  QueuePairChoice choice(QueuePairUse::kLeastOutstanding, 4);
  std::array<std::int64_t, 4> bytes{};
  const auto unfinished = [&](std::uint32_t i) { return bytes[i]; };
  for (std::uint32_t n = 0; n < 8; ++n) {
    EXPECT_EQ(choice.next(unfinished), n % 4);
  }
  bytes = {5, 3, 9, 3};
  EXPECT_EQ(choice.next(unfinished), 1U);
  EXPECT_EQ(choice.next(unfinished), 3U);
  bytes[0] = 2;
  EXPECT_EQ(choice.next(unfinished), 0U);
}

TEST(QueuePairUseDeathTest, NothingIsChosenForPartsOrAmongNone) {
  EXPECT_DEATH(QueuePairChoice(QueuePairUse::kSplit, 2), "use");
  EXPECT_DEATH(QueuePairChoice(QueuePairUse::kRoundRobin, 0), "count");
}

}  // namespace
}  // namespace weft::workload
