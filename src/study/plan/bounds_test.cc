#include "study/plan/bounds.h"

#include <gtest/gtest.h>

#include "study/assembly/build_topology.h"
#include "study/run/level_choice.h"
#include "study/run/run_test_support.h"

namespace weft::study::plan {
namespace {

constexpr std::string_view kJob = R"(nics_per_host = 2
gpus_per_host = 2
[[job]]
name = "train"
model = "llama3-8b"
gpu = "h100-sxm"
gpus = 8
layers = 4
tp = 2
global_batch = 8
sequence = 1024
slice = "1 MiB"
)";

scenario::Scenario job(std::vector<std::string> settings = {}) {
  settings.insert(settings.begin(), {"host.price=10000USD", "gpu.price=30000USD"});
  return scenario::scenario_with(kJob, {.file = {}, .case_name = {}, .settings = std::move(settings)}).value();
}

TEST(Bounds, TheStepIsNotShorterThanItsBound) {
  for (const char* const parallelism : {"job[0].tp=1", "job[0].tp=2", "job[0].pp=2"}) {
    scenario::Scenario own = job({parallelism});
    const double bound = least_step(own).value();
    own = at_level(own, run::Level::kComposed);
    const results::RunResults results = run::results_of(own);
    ASSERT_FALSE(results.steps.empty());
    EXPECT_LE(bound, results.steps.front().time.seconds()) << parallelism;
    EXPECT_GT(bound, 0.1 * results.steps.front().time.seconds()) << parallelism;
  }
}

// 8 sequences of 1,024 tokens.
TEST(Bounds, TokensOfAStepAreThoseOfTheBatch) { EXPECT_EQ(tokens_of_step(job()).value(), 8 * 1024); }

TEST(Bounds, WhatIsToBuyIsTheSumOfItsParts) {
  const scenario::Scenario own = job();
  const auto bounds = bounds_of(own, assembly::build_topology(own).value());
  ASSERT_TRUE(bounds.has_value());
  EXPECT_EQ(bounds->to_buy().count, bounds->bill.cost.count + (4 * 10'000 + 8 * 30'000) * 1'000LL);
  EXPECT_GT(bounds->usd, 0);
}

TEST(Bounds, LimitsPruneByWhatTheyAreAbout) {
  const scenario::Scenario own = job();
  const Bounds bounds = bounds_of(own, assembly::build_topology(own).value()).value();
  EXPECT_EQ(pruned_by(bounds, {}), Pruned::kNot);
  EXPECT_EQ(pruned_by(bounds, {.budget = scenario::Money{bounds.to_buy().count - 1}}), Pruned::kBudget);
  EXPECT_EQ(pruned_by(bounds, {.power = scenario::Power{bounds.total.power.count - 1}}), Pruned::kPower);
  EXPECT_EQ(pruned_by(bounds, {.deadline = bounds.step / 2}), Pruned::kDeadline);
  // Ten steps' tokens within the time of eleven, and of nine.
  const double tokens = 10 * bounds.tokens;
  EXPECT_EQ(pruned_by(bounds, {.deadline = 11 * bounds.step, .tokens = tokens}), Pruned::kNot);
  EXPECT_EQ(pruned_by(bounds, {.deadline = 9 * bounds.step, .tokens = tokens}), Pruned::kDeadline);
}

}  // namespace
}  // namespace weft::study::plan
