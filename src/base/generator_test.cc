#include "base/generator.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace weft {
namespace {

Generator<int> count_to(int last) {
  for (int i = 1; i <= last; ++i)
    co_yield i;
}

Generator<int> hold(std::shared_ptr<int> kept) {
  for (;;)
    co_yield *kept;
}

TEST(Generator, GivesEachValueOnceAndThenNothing) {
  Generator<int> numbers = count_to(3);
  std::vector<int> seen;
  while (const auto number = numbers.next())
    seen.push_back(*number);
  EXPECT_EQ(seen, (std::vector{1, 2, 3}));
  EXPECT_FALSE(numbers.next().has_value());
}

TEST(Generator, RunsNothingBeforeItIsAsked) {
  auto kept = std::make_shared<int>(7);
  Generator<int> sevens = hold(kept);
  *kept = 8;
  EXPECT_EQ(sevens.next(), 8);
}

TEST(Generator, LetsGoOfItsParametersWhenItIsDroppedHalfWay) {
  auto kept = std::make_shared<int>(7);
  {
    Generator<int> first = hold(kept);
    Generator<int> second = std::move(first);
    EXPECT_EQ(second.next(), 7);
    EXPECT_EQ(kept.use_count(), 2);
  }
  EXPECT_EQ(kept.use_count(), 1);
}

}  // namespace
}  // namespace weft
