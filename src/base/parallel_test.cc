#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

namespace weft {
namespace {

TEST(Parts, CoverTheRangeOnceWhateverTheNumberOfThreads) {
  for (const std::uint32_t threads : {0U, 1U, 2U, 3U, 8U}) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 8U, 1'000U}) {
      std::vector<std::atomic<int>> times(count);
      in_parts(count, {.threads = threads}, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          ++times[i];
        }
      });
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(times[i], 1) << i << " of " << count << " on " << threads;
      }
    }
  }
}

TEST(Parts, AreNoSmallerThanIsWorthAThread) {
  std::atomic<int> parts = 0;
  const auto count_parts = [&](std::size_t count) {
    parts = 0;
    in_parts(count, {.threads = 4, .least = 100}, [&](std::size_t first, std::size_t last) {
      EXPECT_GE(last - first, std::min<std::size_t>(count, 100));
      ++parts;
    });
    return parts.load();
  };
  EXPECT_EQ(count_parts(99), 1);
  EXPECT_EQ(count_parts(199), 1);
  EXPECT_EQ(count_parts(200), 2);
  EXPECT_EQ(count_parts(10'000), 4);
}

TEST(Parts, OfASmallRangeAreTheCallersAlone) {
  std::thread::id ran;
  in_parts(10, {.threads = 4, .least = 100}, [&](std::size_t, std::size_t) { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(Populate, LeavesWhatIsThere) {
  constexpr std::size_t kCount = 3 * kHugePageBytes / sizeof(std::uint64_t) + 5;
  HugeVector<std::uint64_t> numbers(kCount);
  std::iota(numbers.begin(), numbers.end(), 0U);
  populate(numbers.data(), kCount * sizeof(std::uint64_t), 2);
  for (std::uint64_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(numbers[i], i);
  }
}

TEST(ResizePopulated, MakesATableOfDefaultValues) {
  for (const std::size_t count : {std::size_t{10}, 5 * kHugePageBytes / sizeof(std::uint64_t)}) {
    HugeVector<std::uint64_t> table;
    resize_populated(table, count, 2);
    EXPECT_EQ(table.size(), count);
    EXPECT_EQ(std::accumulate(table.begin(), table.end(), std::uint64_t{0}), 0U);
  }
}

}  // namespace
}  // namespace weft
