#include "verbs/object_table.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "verbs/handles.h"

namespace weft::verbs {
namespace {

using Table = ObjectTable<CqHandle, std::unique_ptr<int>>;

TEST(ObjectTable, FindsWhatWasInserted) {
  Table table;
  const auto a = table.insert(std::make_unique<int>(1));
  const auto b = table.insert(std::make_unique<int>(2));
  EXPECT_EQ(**table.find(a), 1);
  EXPECT_EQ(**table.find(b), 2);
  EXPECT_EQ(table.size(), 2U);
}

TEST(ObjectTable, AHandleThatWasNeverGivenFindsNothing) {
  Table table;
  EXPECT_EQ(table.find(CqHandle(0)), nullptr);
  const auto only = table.insert(std::make_unique<int>(1));
  EXPECT_EQ(table.find(CqHandle(only.value() + 1)), nullptr);
  EXPECT_EQ(table.find(CqHandle(only.value() ^ (1U << Table::kSlotBits))), nullptr);
  EXPECT_EQ(table.find(CqHandle::invalid()), nullptr);
}

TEST(ObjectTable, AStaleHandleFindsNothingWhileItsSlotIsReused) {
  Table table;
  const auto first = table.insert(std::make_unique<int>(0));
  table.erase(first);
  std::set<CqHandle> given = {first};
  for (int reuse = 1; reuse < 1 << Table::kGenerationBits; ++reuse) {
    const auto next = table.insert(std::make_unique<int>(reuse));
    ASSERT_TRUE(given.insert(next).second) << "reuse " << reuse;
    ASSERT_EQ(table.find(first), nullptr);
    table.erase(next);
  }
  EXPECT_EQ(table.insert(std::make_unique<int>(0)), first) << "the generations have come round";
}

TEST(ObjectTable, HandlesAreValidIds) {
  Table table;
  for (int i = 0; i < 5'000; ++i) {
    const auto handle = table.insert(std::make_unique<int>(i));
    ASSERT_TRUE(handle.is_valid());
    table.erase(handle);
  }
}

TEST(ObjectTableDeathTest, ErasingTwiceIsAProgrammersError) {
  Table table;
  const auto handle = table.insert(std::make_unique<int>(1));
  table.erase(handle);
  EXPECT_DEATH(table.erase(handle), "assertion failed");
}

}  // namespace
}  // namespace weft::verbs
