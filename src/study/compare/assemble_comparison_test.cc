#include "study/compare/assemble_comparison.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <vector>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::compare {
namespace {

constexpr const char* kTwoLeaves = R"(
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 4
hosts_per_leaf = 2
spines = 2
[[job]]
name = "job"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 4
layers = 2
global_batch = 4
)";

/// A step of a second: 0.1 s of computing, and an operation that takes 0.9 s where its paths allow 0.8.
report::RunFigures run_of_a_second() {
  report::RunFigures run;
  run.compute = 0.1;
  run.exposed_communication = 0.9;
  run.parts = {{.name = "forward", .exposed = 0.1, .busy = 0.1},
               {.name = "dp", .communication = true, .exposed = 0.9, .busy = 0.9}};
  run.collectives = {
      {.purpose = "dp", .kind = "all-reduce", .time = 0.9, .paths_allow = 0.8, .shares_links = true, .settled = true}};
  return run;
}

report::ComparedFabric assembled(const std::vector<double>& seeds, double interval, bool quick) {
  const auto scenario = scenario::parse_scenario(kTwoLeaves, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_EQ(scenario::message_of(scenario), "no error");
  ComparisonPlan plan;
  plan.quick = quick;
  plan.fabrics.push_back({.choice = {.name = "rocev2"}, .scenario = *scenario, .reason = {}});
  std::vector<TaskFigures> figures;
  for (const double time : seeds) {
    plan.tasks.push_back({.kind = quick ? TaskKind::kSlice : TaskKind::kJob, .scenario = *scenario});
    figures.push_back({.time = time, .run = run_of_a_second()});
    figures.back().run->interval = interval;
  }
  return assemble_comparison(plan, figures,
                             {.version = "test",
                              .command = {},
                              .weights = *parse_weights("money"),
                              .catalogue = &scenario::test_catalogue()})
      .fabrics.front();
}

/// The defect: slices that are known to 80 % put the lower end of a step far below the time that its bytes need.
TEST(AssembleComparison, NoIntervalReachesBelowWhatPathsAllow) {
  const double bound = 0.1 * 0.99 + 0.95 * 0.8;
  for (const bool quick : {true, false}) {
    const report::ComparedFabric made = assembled({1.0}, 0.8, quick);
    // Other seeds of a hash may have a fuller or an emptier fullest link.
    EXPECT_GT(*made.step.low, 0.1 + 0.8 / 4);
    EXPECT_LE(*made.step.low, bound + 1e-9);
    EXPECT_GT(*made.step.high, 1.7);
    ASSERT_TRUE(made.work_cost && made.work_cost->low);
    EXPECT_NEAR(*made.work_cost->low / made.work_cost->usd, *made.step.low, 1e-9);
  }
}

TEST(AssembleComparison, AnIntervalAboveTheBoundStaysAsItIs) {
  const report::ComparedFabric made = assembled({1.0, 1.0, 1.0}, 0.01, false);
  EXPECT_NEAR(*made.step.low, 0.99, 1e-9);
  EXPECT_NEAR(*made.step.high, 1.01, 1e-9);
}

}  // namespace
}  // namespace weft::study::compare
