#include "base/indexed_heap.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace weft {
namespace {

TEST(IndexedHeap, GivesTheEarliestFirstAndEqualOnesByNumber) {
  IndexedHeap<int> heap;
  for (const auto& [number, key] : {std::pair(4U, 7), std::pair(1U, 9), std::pair(3U, 7), std::pair(0U, 8)}) {
    heap.set(number, key);
  }
  std::vector<std::uint32_t> order;
  while (!heap.empty()) {
    order.push_back(heap.first());
    heap.erase(heap.first());
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{3, 4, 0, 1}));
}

TEST(IndexedHeap, AKeyThatChangesMovesItsNumber) {
  IndexedHeap<int> heap;
  heap.set(0, 10);
  heap.set(1, 20);
  heap.set(0, 30);
  EXPECT_EQ(heap.size(), 2U);
  EXPECT_EQ(heap.first(), 1U);
  heap.set(0, 5);
  EXPECT_EQ(heap.first(), 0U);
  EXPECT_EQ(heap.first_key(), 5);
}

TEST(IndexedHeap, WhatIsNotInIsErasedToNoEffect) {
  IndexedHeap<int> heap;
  heap.erase(3);
  heap.set(2, 1);
  heap.erase(3);
  EXPECT_FALSE(heap.contains(3));
  EXPECT_TRUE(heap.contains(2));
  EXPECT_EQ(heap.size(), 1U);
}

/// Held against a set of (key, number): 20,000 random changes among 200 numbers and 50 keys.
TEST(IndexedHeap, IsWhatASetWouldBe) {
  SplitMix64 random(42);
  IndexedHeap<std::uint64_t> heap;
  std::set<std::pair<std::uint64_t, std::uint32_t>> reference;
  std::map<std::uint32_t, std::uint64_t> keys;
  for (int step = 0; step < 20'000; ++step) {
    const auto number = static_cast<std::uint32_t>(random.next() % 200);
    const auto known = keys.find(number);
    if (known != keys.end()) {
      reference.erase({known->second, number});
    }
    if (random.next() % 3 == 0) {
      heap.erase(number);
      keys.erase(number);
    } else {
      const std::uint64_t key = random.next() % 50;
      heap.set(number, key);
      keys[number] = key;
      reference.insert({key, number});
    }
    ASSERT_EQ(heap.size(), reference.size());
    ASSERT_EQ(heap.empty(), reference.empty());
    if (!heap.empty()) {
      ASSERT_EQ(heap.first_key(), reference.begin()->first);
      ASSERT_EQ(heap.first(), reference.begin()->second);
    }
  }
}

}  // namespace
}  // namespace weft
