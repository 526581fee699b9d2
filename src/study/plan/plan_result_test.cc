#include "study/plan/plan_result.h"

#include <gmock/gmock.h>

namespace weft::study::plan {
namespace {

using ::testing::HasSubstr;

PlannedDesign planned(const std::string& reason) {
  PlannedDesign made{.name = "one"};
  made.reason = reason;
  return made;
}

TEST(PlanResult, AnEmptyFrontHasTheReasonWhyNothingWasRun) {
  PlanResult result;
  EXPECT_EQ(why_no_front(result), "no design can be run: none was tried");
  result.designs.push_back(planned("domains of 7 GPUs"));
  EXPECT_EQ(why_no_front(result), "no design can be run: domains of 7 GPUs");
}

TEST(PlanResult, AnEmptyFrontOfDesignsThatWereRunIsADeadline) {
  PlanResult result;
  result.designs.push_back(planned(""));
  result.designs.back().measured = Measured{.level = "flow", .step = 1};
  result.designs.back().keeps_limits = false;
  conclude(result);
  EXPECT_FALSE(result.designs.back().on_front);
  EXPECT_THAT(why_no_front(result), HasSubstr("of 1 design run, none has a step within the deadline"));
}

}  // namespace
}  // namespace weft::study::plan
