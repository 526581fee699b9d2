#include "study/report/interval.h"

#include <gtest/gtest.h>

namespace weft::study::report {
namespace {

TEST(Interval, ThatReachesUpMoreThanTwiceAsFarAsDownIsALowerBound) {
  EXPECT_TRUE(is_lower_bound({.mean = 1, .low = 0.9, .high = 1.3}));
  EXPECT_FALSE(is_lower_bound({.mean = 1, .low = 0.9, .high = 1.1}));
  EXPECT_FALSE(is_lower_bound({.mean = 1, .low = 0.99, .high = 1.09}));  // no more than a tenth
  EXPECT_FALSE(is_lower_bound({.mean = 1, .low = 1, .high = 1}));
  EXPECT_FALSE(is_lower_bound({.mean = 1, .low = {}, .high = {}}));
  EXPECT_TRUE(is_not_known({.mean = 1, .low = 0.9, .high = 1.3}));
  EXPECT_TRUE(is_not_known({.mean = 1, .low = 0.5, .high = 1.5}));
  EXPECT_FALSE(is_not_known({.mean = 1, .low = 0.9, .high = 1.1}));
}

TEST(Interval, OfWhatIsExactlyZeroOrNegativeIsKnown) {
  EXPECT_FALSE(is_not_known({.mean = 0, .low = 0, .high = 0}));
  EXPECT_FALSE(is_not_known({.mean = -1, .low = -1.1, .high = -0.9}));
  EXPECT_TRUE(is_not_known({.mean = -1, .low = -1.6, .high = -0.4}));
}

}  // namespace
}  // namespace weft::study::report
