#include "study/results/step_rows.h"

#include <gtest/gtest.h>

namespace weft::study::results {
namespace {

TEST(StepRow, IsKnownWithinItsIntervalOnceAllOperationsHaveSettled) {
  const StepRow row{.composition_error = 0.1, .interval = 0.02, .collectives = {{.interval = 0.02}, {.settled = true}}};
  EXPECT_EQ(row.uncertainty(), 0.02);
  EXPECT_EQ(StepRow{}.uncertainty(), std::nullopt);
}

TEST(StepRow, WhatItsCheckWasOffByCountsWhereOperationsHaveNotSettled) {
  StepRow row{.composition_error = -0.04, .interval = 0.03, .collectives = {{.interval = 0.03}, {.settled = false}}};
  ASSERT_TRUE(row.uncertainty());
  EXPECT_DOUBLE_EQ(*row.uncertainty(), 0.05);
  row.interval.reset();
  EXPECT_DOUBLE_EQ(row.uncertainty().value_or(0), 0.04);
  row.composition_error.reset();
  EXPECT_EQ(row.uncertainty(), std::nullopt) << "nothing has measured it";
}

}  // namespace
}  // namespace weft::study::results
