#include "base/assert.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace weft {
namespace {

TEST(AssertDeathTest, NamesExpressionFileAndLine) {
  const int packets = 3;
  EXPECT_DEATH(WEFT_ASSERT(packets == 4), "assert_test.cc:[0-9]+: assertion failed: packets == 4");
}

TEST(AssertDeathTest, TakesAnExpressionWithACommaOutsideParentheses) {
  EXPECT_DEATH(WEFT_ASSERT(std::is_same_v<int, char>), "std::is_same_v<int, char>");
}

TEST(Assert, PassesAndEvaluatesItsArgumentOnce) {
  int calls = 0;
  WEFT_ASSERT(++calls == 1);
  EXPECT_EQ(calls, 1);
}

TEST(Assert, DcheckEvaluatesItsArgumentOnlyInCheckedBuilds) {
  int calls = 0;
  WEFT_DCHECK(++calls == 1);
#if defined(WEFT_DCHECKS)
  EXPECT_EQ(calls, 1);
#else
  EXPECT_EQ(calls, 0);
#endif
}

}  // namespace
}  // namespace weft
