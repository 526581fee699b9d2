#include "subnet/routing/path_heap.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"

namespace weft::subnet {
namespace {

/// The heap's next vertex, which is one of the nearest; it leaves both.
void take_nearest(PathHeap& heap, std::map<std::uint32_t, std::uint64_t>& reference) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& [vertex, distance] : reference) {
    least = std::min(least, distance);
  }
  const std::uint32_t taken = heap.take();
  ASSERT_TRUE(reference.contains(taken));
  EXPECT_EQ(reference.at(taken), least);
  reference.erase(taken);
}

TEST(PathHeap, TakesTheNearestOfAll) {
  PathHeap heap(200);
  std::map<std::uint32_t, std::uint64_t> reference;
  RandomStream random(1, "heap");
  for (std::uint32_t vertex = 0; vertex < 200; ++vertex) {
    heap.insert({.distance = 1000, .vertex = vertex});
    reference[vertex] = 1000;
  }
  while (!reference.empty()) {
    for (auto& [vertex, distance] : reference) {
      if (random.uniform(3) == 0) {
        distance = random.uniform(2000);
        heap.change({.distance = distance, .vertex = vertex});
      }
    }
    take_nearest(heap, reference);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  EXPECT_TRUE(heap.is_empty());
}

// The last entry takes the root's place, and of equally near children the last goes up.
TEST(PathHeap, GivesEqualVerticesInItsOwnOrder) {
  PathHeap heap(6);
  for (std::uint32_t vertex = 0; vertex < 6; ++vertex) {
    heap.insert({.distance = 7, .vertex = vertex});
  }
  std::vector<std::uint32_t> order;
  while (!heap.is_empty()) {
    order.push_back(heap.take());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 5, 4, 3, 2, 1}));
}

// The last entry takes the place of the one that is removed, wherever that was.
TEST(PathHeap, RemovesAnyVertex) {
  RandomStream random(3, "removals");
  for (int round = 0; round < 200; ++round) {
    PathHeap heap(40);
    std::map<std::uint32_t, std::uint64_t> reference;
    for (std::uint32_t vertex = 0; vertex < 40; ++vertex) {
      reference[vertex] = random.uniform(20);
      heap.insert({.distance = reference[vertex], .vertex = vertex});
    }
    while (!reference.empty()) {
      const auto gone = std::next(reference.begin(), static_cast<std::ptrdiff_t>(random.uniform(reference.size())));
      heap.remove(gone->first);
      reference.erase(gone);
      if (reference.empty()) {
        break;
      }
      take_nearest(heap, reference);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    EXPECT_TRUE(heap.is_empty());
  }
}

}  // namespace
}  // namespace weft::subnet
