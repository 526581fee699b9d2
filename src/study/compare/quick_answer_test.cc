#include "study/compare/quick_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace weft::study::compare {
namespace {

using testing::HasSubstr;

/// A step of a second, 0.2 of which waits for the network; what is under way takes 0.4.
report::RunFigures run_with(const report::StepCollective& operation) {
  report::RunFigures run;
  run.collectives = {operation};
  run.parts = {{.name = "forward", .exposed = 0.8}, {.name = "dp", .communication = true, .exposed = 0.2, .busy = 0.4}};
  return run;
}

report::StepCollective operation(double seconds) {
  return {.purpose = "dp", .kind = "all-reduce", .time = seconds, .paths_allow = 0.1, .shares_links = true};
}

void expect_symmetric(const QuickInterval& made) {
  EXPECT_NEAR(made.high - 1, 1 - made.low, 1e-12);
  EXPECT_EQ(made.caution, "");
}

TEST(QuickAnswer, AnUnsettledOperationAtItsBoundReachesUpByWhatSharingMayCost) {
  const QuickInterval made = quick_interval(run_with(operation(0.1)), 1, 0.5);
  EXPECT_NEAR(made.low, 1 - 0.01 - 0.05 * 0.2, 1e-12);  // no less than 95 % of its bound
  EXPECT_NEAR(made.high, 1 + 0.01 + 0.5 * 0.4, 1e-12);
  EXPECT_THAT(made.caution, HasSubstr("slices of dp operations are too short"));
  EXPECT_THAT(made.caution, HasSubstr("50 %"));
}

TEST(QuickAnswer, ASettledOperationReachesUpAsFarAsDown) {
  report::StepCollective own = operation(0.1);
  own.settled = true;
  expect_symmetric(quick_interval(run_with(own), 1, 0.5));
}

TEST(QuickAnswer, OneSliceAboveItsBoundReachesUpToTheSameTime) {
  const QuickInterval made = quick_interval(run_with(operation(0.12)), 1, 0.5);
  EXPECT_NEAR(made.high, 1 + 0.01 + (1.5 * 0.1 / 0.12 - 1) * 0.4, 1e-12);
}

TEST(QuickAnswer, AnOperationThatIsKnownToTakeLongerThanItsBoundReachesDownToIt) {
  report::StepCollective own = operation(0.12);
  own.interval = 0.05;
  const QuickInterval known = quick_interval(run_with(own), 1, 0.5);
  EXPECT_NEAR(known.low, 1 - 0.01 - (1 - 0.95 * 0.1 / 0.12) * 0.2, 1e-12);
  EXPECT_NEAR(known.high, 1 + 0.01 + 0.25 * 0.2, 1e-12);
  EXPECT_EQ(known.caution, "");
  own.interval = 0.2;  // no longer than the bound, perhaps
  const QuickInterval made = quick_interval(run_with(own), 1, 0.5);
  EXPECT_GT(made.high - 1, 1 - made.low);
}

TEST(QuickAnswer, AnOperationBeyondAllThatSharingCostReachesUpAsFarAsDown) {
  expect_symmetric(quick_interval(run_with(operation(0.151)), 1, 0.5));
}

TEST(QuickAnswer, AnOperationThatSharesNoLinksReachesUpAsFarAsDown) {
  report::StepCollective own = operation(0.1);
  own.shares_links = false;
  own.settled = true;
  const QuickInterval made = quick_interval(run_with(own), 1, 0.5);
  expect_symmetric(made);
  EXPECT_NEAR(made.high, 1 + 0.01 + 0.02 * 0.2, 1e-12);
}

/// The defect: stages that overlap in the whole took turns in its slices, and nothing said so.
TEST(QuickAnswer, WhatIsContinuedFromASliceReachesDownToItsBound) {
  report::StepCollective own = operation(0.125);
  own.shares_links = false;
  own.settled = true;
  own.bytes = 1'000;
  own.sample_bytes = 10;
  const QuickInterval made = quick_interval(run_with(own), 1, 0.5);
  EXPECT_NEAR(made.low, 1 - 0.01 - 0.2 * 0.2, 1e-12);
  EXPECT_NEAR(made.high, 1 + 0.01 + 0.02 * 0.2, 1e-12);
  own.sample_bytes = 1'000;
  expect_symmetric(quick_interval(run_with(own), 1, 0.5));
}

/// The defect: a step under one seed stood for all, and another took twice as long, outside of its interval.
TEST(QuickAnswer, OtherSeedsOfTheHashAreInTheInterval) {
  report::StepCollective own = operation(0.1);
  own.settled = true;
  const std::vector<run::HashReach> hashes = {{.purpose = "dp", .less = 0.5, .more = 2}};
  const QuickInterval made = quick_interval(run_with(own), 1, 0.5, hashes);
  EXPECT_NEAR(made.low, 1 - 0.01 - 0.5 * 0.2, 1e-12);  // half of the load: half of the bound, of which 95 % are more
  EXPECT_NEAR(made.high, 1 + 0.01 + 1.0 * 0.4, 1e-12);
  EXPECT_THAT(made.caution, HasSubstr("another seed of the hash may put 2 times as much"));
  expect_symmetric(quick_interval(run_with(own), 1, 0.5, std::vector<run::HashReach>{{.purpose = "tp", .more = 2}}));
}

/// Of what is exposed of an operation that is hidden in part, all that it takes less may be gone.
TEST(LeastStep, IsComputingAndWhatPathsAllowOfWhatIsExposed) {
  const report::RunFigures at_bound = run_with(operation(0.1));
  EXPECT_NEAR(least_step(at_bound), 0.8 * 0.99 + 0.2 - 0.05 * 0.4, 1e-12);
  const report::RunFigures above = run_with(operation(0.125));  // 80 % of it is its bound
  EXPECT_NEAR(least_step(above), 0.8 * 0.99 + 0.2 - (1 - 0.95 * 0.8) * 0.4, 1e-12);
  report::RunFigures exposed = above;
  exposed.parts->back().exposed = exposed.parts->back().busy = 0.4;
  EXPECT_NEAR(least_step(exposed), 0.8 * 0.99 + 0.95 * 0.8 * 0.4, 1e-12);
  const std::vector<run::HashReach> hashes = {{.purpose = "dp", .less = 0.5}};
  EXPECT_NEAR(least_step(exposed, hashes), 0.8 * 0.99 + 0.95 * 0.8 * 0.4 * 0.5, 1e-12);
}

TEST(LeastStep, CountsNothingOfOperationsWhosePathsAreNotKnown) {
  report::RunFigures run = run_with(operation(0.1));
  run.parts->back().name = "tp";
  EXPECT_NEAR(least_step(run), 0.8 * 0.99, 1e-12);
  run.parts.reset();
  EXPECT_EQ(least_step(run), 0);
}

}  // namespace
}  // namespace weft::study::compare
