#include "base/result.h"

#include <gtest/gtest.h>

namespace weft {
namespace {

Result<int> positive(int value) {
  if (value <= 0) {
    return fail("{} is not positive", value);
  }
  return value;
}

Result<double> half(int value) {
  auto checked = positive(value);
  if (!checked) {
    return pass_on(checked);
  }
  return *checked / 2.0;
}

TEST(Result, HoldsAValue) { EXPECT_EQ(positive(3).value(), 3); }

TEST(Result, HoldsAFormattedError) { EXPECT_EQ(positive(-3).error(), Error{"-3 is not positive"}); }

TEST(Result, PassesAnErrorOnToAnotherType) {
  EXPECT_EQ(half(-3).error(), positive(-3).error());
  EXPECT_DOUBLE_EQ(half(3).value(), 1.5);
}

TEST(Error, PutsThePlaceInFront) { EXPECT_EQ(Error{"no"}.at("a.toml:3:7").message, "a.toml:3:7: no"); }

TEST(Error, PlacesNest) { EXPECT_EQ(Error{"no"}.at("key").at("file").message, "file: key: no"); }

}  // namespace
}  // namespace weft
