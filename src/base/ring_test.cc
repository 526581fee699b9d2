#include "base/ring.h"

#include <gtest/gtest.h>

#include <bit>
#include <deque>
#include <memory>
#include <string>

#include "base/random.h"

namespace weft {
namespace {

static_assert(sizeof(Ring<char>) <= 24 && sizeof(Ring<std::string>) <= 24);

TEST(Ring, TakesNoHeapUntilTheFirstElement) {
  Ring<int> ring;
  EXPECT_TRUE(ring.empty());
  EXPECT_EQ(ring.heap_bytes(), 0U);
  ring.push_back(1);
  EXPECT_GT(ring.heap_bytes(), 0U);
}

TEST(Ring, IsFirstInFirstOut) {
  Ring<int> ring;
  for (int i = 0; i < 100; ++i) {
    ring.push_back(i);
  }
  EXPECT_EQ(ring.front(), 0);
  EXPECT_EQ(ring.back(), 99);
  EXPECT_EQ(ring[42], 42);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ring.pop_front(), i);
  }
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, CapacityStaysAPowerOfTwoBelowTwiceTheNeed) {
  Ring<int> ring;
  for (std::uint32_t i = 1; i <= 5000; ++i) {
    ring.push_back(0);
    const auto capacity = ring.heap_bytes() / sizeof(int);
    ASSERT_TRUE(std::has_single_bit(capacity));
    ASSERT_TRUE(capacity == 4 || capacity < std::size_t{2} * i) << i;
  }
}

TEST(Ring, DoesNotGrowWhileElementsPassThrough) {
  Ring<int> ring;
  ring.push_back(0);
  const auto bytes = ring.heap_bytes();
  for (int i = 1; i < 1000; ++i) {
    ring.push_back(i);
    EXPECT_EQ(ring.pop_front(), i - 1);
  }
  EXPECT_EQ(ring.heap_bytes(), bytes);
}

TEST(Ring, ClearDestroysElementsAndKeepsMemory) {
  const auto counter = std::make_shared<int>(0);
  Ring<std::shared_ptr<int>> ring;
  for (int i = 0; i < 10; ++i) {
    ring.push_back(counter);
  }
  const auto bytes = ring.heap_bytes();
  ring.clear();
  EXPECT_EQ(counter.use_count(), 1);
  EXPECT_EQ(ring.heap_bytes(), bytes);
  EXPECT_TRUE(ring.empty());
}

TEST(Ring, DestroysPoppedElementsAtOnceAndTheRestWithItself) {
  const auto counter = std::make_shared<int>(0);
  {
    Ring<std::shared_ptr<int>> ring;
    ring.push_back(counter);
    ring.push_back(counter);
    ring.pop_front();
    EXPECT_EQ(counter.use_count(), 2);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(Ring, HoldsMoveOnlyElements) {
  Ring<std::unique_ptr<int>> ring;
  for (int i = 0; i < 20; ++i) {
    ring.push_back(std::make_unique<int>(i));
  }
  EXPECT_EQ(*ring.pop_front(), 0);
  EXPECT_EQ(*ring.back(), 19);
}

TEST(Ring, PushesACopyOfItsOwnElementWhileGrowing) {
  Ring<std::string> ring;
  ring.push_back("a rather long text that lives on the heap");
  while (ring.size() < 100) {
    ring.push_back(ring.front());
  }
  EXPECT_EQ(ring.back(), ring.front());
}

TEST(Ring, MovingLeavesAnEmptyRing) {
  Ring<std::string> source;
  source.push_back("x");
  Ring<std::string> target;
  target.push_back("old");
  target = std::move(source);
  EXPECT_EQ(target.size(), 1U);
  EXPECT_EQ(target.front(), "x");
  Ring<std::string> third(std::move(target));
  EXPECT_EQ(third.front(), "x");
}

// Trivially copyable and other elements take different ways through growth.
template <class T>
class RingAgainstDeque : public testing::Test {};
using ElementTypes = testing::Types<std::uint64_t, std::string>;
TYPED_TEST_SUITE(RingAgainstDeque, ElementTypes);

template <class T>
T element(std::uint64_t value) {
  if constexpr (std::is_same_v<T, std::string>) {
    return std::to_string(value);
  } else {
    return value;
  }
}

TYPED_TEST(RingAgainstDeque, AgreesUnderRandomUse) {
  Ring<TypeParam> ring;
  std::deque<TypeParam> reference;
  RandomStream random(1, "ring");
  for (int i = 0; i < 50'000; ++i) {
    // Phases of filling and draining, so that growth happens with the head at many places.
    const bool filling = (i / 500) % 2 == 0;
    if (reference.empty() || random.uniform(10) < (filling ? 7U : 3U)) {
      const auto value = element<TypeParam>(random.next());
      ring.push_back(value);
      reference.push_back(value);
    } else {
      ASSERT_EQ(ring.pop_front(), reference.front());
      reference.pop_front();
    }
    ASSERT_EQ(ring.size(), reference.size());
    if (!reference.empty()) {
      const auto index = static_cast<std::uint32_t>(random.uniform(reference.size()));
      ASSERT_EQ(ring[index], reference[index]);
      ASSERT_EQ(ring.front(), reference.front());
      ASSERT_EQ(ring.back(), reference.back());
    }
  }
}

#if defined(WEFT_DCHECKS)
TEST(RingDeathTest, CatchesAccessBeyondItsElements) {
  Ring<int> ring;
  EXPECT_DEATH((void)ring.pop_front(), "size_ > 0");
  ring.push_back(1);
  EXPECT_DEATH((void)ring[1], "index < size_");
}
#endif

}  // namespace
}  // namespace weft
