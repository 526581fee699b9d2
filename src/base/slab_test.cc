#include "base/slab.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"

namespace weft {
namespace {

using IntSlab = Slab<int>;

static_assert(sizeof(IntSlab::Handle) == 4);
static_assert(!std::is_same_v<IntSlab::Handle, Slab<long>::Handle>);

TEST(Slab, TakesNoHeapUntilTheFirstObject) {
  IntSlab slab;
  EXPECT_EQ(slab.heap_bytes(), 0U);
  EXPECT_EQ(slab.live_count(), 0U);
}

TEST(Slab, HandsOutAscendingHandlesThenTheLastReleased) {
  IntSlab slab;
  const auto first = slab.allocate(10);
  const auto second = slab.allocate(20);
  const auto third = slab.allocate(30);
  EXPECT_EQ(first.value(), 0U);
  EXPECT_EQ(second.value(), 1U);
  EXPECT_EQ(third.value(), 2U);
  slab.release(first);
  slab.release(third);
  EXPECT_EQ(slab.allocate(40), third);
  EXPECT_EQ(slab.allocate(50), first);
  EXPECT_EQ(slab.allocate(60).value(), 3U);
  EXPECT_EQ(slab[second], 20);
  EXPECT_EQ(slab.live_count(), 4U);
}

TEST(Slab, AddressesStayThroughGrowth) {
  IntSlab slab;
  const auto first = slab.allocate(7);
  const int* const address = &slab[first];
  const std::size_t before = slab.heap_bytes();
  while (slab.heap_bytes() < 20 * before) {
    (void)slab.allocate(0);
  }
  EXPECT_EQ(&slab[first], address);
  EXPECT_EQ(*address, 7);
}

TEST(Slab, ReusesMemoryInsteadOfGrowing) {
  IntSlab slab;
  slab.release(slab.allocate(1));
  const std::size_t bytes = slab.heap_bytes();
  for (int i = 0; i < 1'000'000; ++i) {
    slab.release(slab.allocate(i));
  }
  EXPECT_EQ(slab.heap_bytes(), bytes);
}

TEST(Slab, DestroysReleasedObjectsAtOnceAndTheRestWithItself) {
  const auto counter = std::make_shared<int>(0);
  {
    Slab<std::shared_ptr<int>> slab;
    const auto first = slab.allocate(counter);
    (void)slab.allocate(counter);
    (void)slab.allocate(counter);
    EXPECT_EQ(counter.use_count(), 4);
    slab.release(first);
    EXPECT_EQ(counter.use_count(), 3);
  }
  EXPECT_EQ(counter.use_count(), 1);
}

TEST(Slab, MovingTakesTheObjectsAlong) {
  Slab<std::string> source;
  const auto handle = source.allocate("payload");
  Slab<std::string> target;
  (void)target.allocate("gone");
  target = std::move(source);
  EXPECT_EQ(target[handle], "payload");
  EXPECT_EQ(target.live_count(), 1U);
}

struct alignas(64) CacheLine {
  char bytes[64];
};

TEST(Slab, KeepsTheAlignmentOfItsObjects) {
  Slab<CacheLine> slab;
  for (int i = 0; i < 5000; ++i) {
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(&slab[slab.allocate()]) % 64, 0U);
  }
}

struct Huge {
  char bytes[100'000];
};

TEST(Slab, HoldsObjectsLargerThanAChunk) {
  Slab<Huge> slab;
  const auto a = slab.allocate();
  const auto b = slab.allocate();
  slab[a].bytes[99'999] = 'a';
  slab[b].bytes[0] = 'b';
  EXPECT_EQ(slab[a].bytes[99'999], 'a');
}

TEST(Slab, AgreesWithAMapUnderRandomUse) {
  Slab<std::string> slab;
  std::map<std::uint32_t, std::string> reference;
  std::vector<Slab<std::string>::Handle> live;
  RandomStream random(1, "slab");
  for (int i = 0; i < 50'000; ++i) {
    if (live.empty() || random.uniform(5) < 3) {
      const auto text = std::to_string(random.next());
      const auto handle = slab.allocate(text);
      ASSERT_TRUE(reference.emplace(handle.value(), text).second) << "handle of a live object given out again";
      live.push_back(handle);
    } else {
      std::swap(live[random.uniform(live.size())], live.back());
      ASSERT_EQ(slab[live.back()], reference.at(live.back().value()));
      reference.erase(live.back().value());
      slab.release(live.back());
      live.pop_back();
    }
  }
  ASSERT_EQ(slab.live_count(), reference.size());
  auto expected = reference.begin();
  slab.for_each_live([&expected](Slab<std::string>::Handle handle, const std::string& text) {
    ASSERT_EQ(handle.value(), expected->first);
    ASSERT_EQ(text, expected->second);
    ++expected;
  });
  EXPECT_EQ(expected, reference.end());
}

#if defined(WEFT_DCHECKS)
TEST(SlabDeathTest, CatchesDoubleRelease) {
  IntSlab slab;
  const auto handle = slab.allocate(1);
  slab.release(handle);
  EXPECT_DEATH(slab.release(handle), "assertion failed");
}

TEST(SlabDeathTest, CatchesUseAfterRelease) {
  IntSlab slab;
  const auto handle = slab.allocate(1);
  slab.release(handle);
  EXPECT_DEATH((void)slab[handle], "assertion failed");
  EXPECT_DEATH((void)slab[IntSlab::Handle()], "assertion failed");
}
#endif

}  // namespace
}  // namespace weft
