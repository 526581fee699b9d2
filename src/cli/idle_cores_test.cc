#include "cli/idle_cores.h"

#include <gtest/gtest.h>

namespace weft::cli {
namespace {

TEST(IdleCores, AreThoseThatNobodyElseWants) {
  EXPECT_EQ(idle_cores(8, "0.20 0.18 0.12 1/80 11206"), 8U);
  EXPECT_EQ(idle_cores(8, "3.20 0.18 0.12 4/80 11206"), 5U);
  EXPECT_EQ(idle_cores(8, "9.00 9.00 9.00 9/80 11206"), 1U);
  EXPECT_EQ(idle_cores(2, "99.00 9.00 9.00 100/180 11206"), 1U);
}

TEST(IdleCores, AreAllWhereTheMachineDoesNotSay) {
  for (const char* const text : {"", "0.20 0.18 0.12", "0.20 0.18 0.12 /80", "0.20 0.18 0.12 x/80 1", "/"}) {
    EXPECT_EQ(idle_cores(4, text), 4U) << text;
  }
  EXPECT_EQ(idle_cores(0, ""), 1U);
  EXPECT_GE(idle_cores(), 1U);
}

}  // namespace
}  // namespace weft::cli
