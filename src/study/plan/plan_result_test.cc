#include "study/plan/plan_result.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "study/plan/plan_json.h"
#include "study/plan/plan_text.h"

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

/// A design that was dropped by its bound, one that cannot be built, and one that was run.
PlanResult three_designs() {
  PlanResult result;
  PlannedDesign run = planned("");
  run.measured = Measured{.level = "flow", .step = 1};
  run.bounds.step = 0.9;
  PlannedDesign dear = planned("a million tokens cost 2 USD at least");
  dear.name = "dear";
  dear.not_run = NotRun::kNoGain;
  dear.bounds.step = 0.8;
  dear.bounds.bill.cost = {1'000'000};
  PlannedDesign impossible = planned("tp 16 needs more GPUs");
  impossible.name = "impossible";
  impossible.not_run = NotRun::kImpossible;
  result.designs = {run, dear, impossible};
  result.iterations = {{.number = 1, .change = "pp 1 -> 2", .reason = dear.reason, .not_run = NotRun::kNoGain},
                       {.number = 2, .change = "tp 8 -> 16", .reason = "x", .not_run = NotRun::kImpossible}};
  conclude(result);
  return result;
}

/// The defect: what was not run since it could gain nothing was "not possible".
TEST(PlanText, ADesignThatCannotGainIsNotCalledImpossible) {
  const std::string text = plan_text(three_designs(), {});
  EXPECT_THAT(text, HasSubstr("no gain by its bound (1)"));
  EXPECT_THAT(text, HasSubstr("not possible (2)"));
  EXPECT_THAT(text, testing::Not(HasSubstr("not possible (1)")));
  const auto json = plan_json(three_designs());
  EXPECT_EQ(json["iterations"][0]["not_run"], "no gain by its bound");
  EXPECT_EQ(json["iterations"][1]["not_run"], "not possible");
}

/// The defect: a design that was never bounded had a network of 0 USD and a step of 0 s at least.
TEST(PlanCsv, WhatIsNotKnownIsEmpty) {
  const std::string csv = plan_csv(three_designs()).front().text;
  EXPECT_THAT(csv, HasSubstr("impossible,0,,,,,,,,,,,,,tp 16 needs more GPUs"));
  EXPECT_THAT(csv, HasSubstr("dear,0,,,,,,1000,"));
  const auto json = plan_json(three_designs());
  for (const auto& design : json["designs"]) {
    EXPECT_EQ(design.contains("network_usd"), design["name"] != "impossible");
  }
}

TEST(PlanText, AssumptionsAreListed) {
  PlanResult result = three_designs();
  result.assumed = {"job[0].straggler=uniform to 1%: ranks compute more slowly"};
  EXPECT_THAT(plan_text(result, {}), HasSubstr("assumed: job[0].straggler=uniform to 1%"));
}

}  // namespace
}  // namespace weft::study::plan
