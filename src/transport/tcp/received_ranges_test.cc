#include "transport/tcp/received_ranges.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace weft::transport {
namespace {

using Parts = std::vector<SequenceRange>;

Parts add(ReceivedRanges& ranges, SequenceRange range, std::size_t most = 100) {
  Parts fresh;
  EXPECT_TRUE(ranges.add(range, most, [&](SequenceRange part) { fresh.push_back(part); }));
  return fresh;
}

TEST(ReceivedRanges, TellsTheNewPartsOfWhatOverlaps) {
  ReceivedRanges ranges;
  EXPECT_EQ(add(ranges, {10, 20}), (Parts{{10, 20}}));
  EXPECT_EQ(add(ranges, {30, 40}), (Parts{{30, 40}}));
  EXPECT_EQ(add(ranges, {5, 50}), (Parts{{5, 10}, {20, 30}, {40, 50}}));
  EXPECT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0], (SequenceRange{5, 50}));
  EXPECT_EQ(add(ranges, {6, 49}), Parts{});
}

TEST(ReceivedRanges, NeighboursBecomeOne) {
  ReceivedRanges ranges;
  add(ranges, {10, 20});
  add(ranges, {20, 30});
  add(ranges, {5, 10});
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges[0], (SequenceRange{5, 30}));
}

TEST(ReceivedRanges, ARunOfItsOwnBeyondTheLimitIsRefused) {
  ReceivedRanges ranges;
  add(ranges, {10, 20}, 2);
  add(ranges, {30, 40}, 2);
  EXPECT_FALSE(ranges.add({50, 60}, 2, [](SequenceRange) { ADD_FAILURE(); }));
  EXPECT_EQ(add(ranges, {20, 30}, 2), (Parts{{20, 30}}));  // closes a gap
}

TEST(ReceivedRanges, AgreesWithABitPerByte) {
  RandomStream random(1, "ranges");
  for (int round = 0; round < 50; ++round) {
    ReceivedRanges ranges;
    std::vector<bool> bytes(400);
    TcpSequence next = 0;
    for (int i = 0; i < 60; ++i) {
      const auto begin = static_cast<TcpSequence>(random.uniform(380));
      const SequenceRange range{std::max(begin, next), begin + 1 + static_cast<TcpSequence>(random.uniform(20))};
      if (range.empty()) {
        continue;
      }
      (void)ranges.add(range, 100, [&](SequenceRange fresh) {
        for (TcpSequence at = fresh.begin; at < fresh.end; ++at) {
          EXPECT_FALSE(bytes[static_cast<std::size_t>(at)]);
          bytes[static_cast<std::size_t>(at)] = true;
        }
      });
      next = ranges.advance(next);
      const auto gap = std::ranges::find(bytes, false) - bytes.begin();
      EXPECT_EQ(next, gap);
      for (TcpSequence at = next; at < 400; ++at) {
        EXPECT_EQ(ranges.find(at) != nullptr, bytes[static_cast<std::size_t>(at)]);
      }
    }
  }
}

}  // namespace
}  // namespace weft::transport
