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

Bounds bounded(const scenario::Scenario& own) {
  StepBounds steps;
  return bounds_of(own, assembly::build_topology(own).value(), steps).value();
}

void expect_bounded(const std::vector<std::string>& settings, double at_least) {
  scenario::Scenario own = job(settings);
  const double bound = bounded(own).step;
  own = at_level(own, run::Level::kComposed);
  const results::RunResults results = run::results_of(own);
  ASSERT_FALSE(results.steps.empty()) << testing::PrintToString(settings) << results.run.error;
  const double step = results.steps.front().time.seconds();
  EXPECT_LE(bound, step) << testing::PrintToString(settings);
  EXPECT_GT(bound, at_least * step) << testing::PrintToString(settings);
}

TEST(Bounds, TheStepIsNotShorterThanItsBound) {
  expect_bounded({"job[0].tp=1"}, 0.5);
  expect_bounded({"job[0].tp=2"}, 0.5);
  expect_bounded({"job[0].tp=1", "job[0].placement=spread"}, 0.2);
  expect_bounded({"scale_up.entry=nvlink4", "job[0].tp=1"}, 0.5);
  expect_bounded({"scale_up.entry=nvlink4", "job[0].zero=3"}, 0.5);
  expect_bounded({"scale_up.entry=nvlink4", "job[0].zero=1", "job[0].tp=1"}, 0.5);
}

TEST(Bounds, BubblesArePartOfTheBound) {
  expect_bounded({"scale_up.entry=nvlink4", "job[0].pp=2"}, 0.7);
  expect_bounded({"scale_up.entry=nvlink4", "job[0].pp=4"}, 0.7);
  expect_bounded({"scale_up.entry=nvlink4", "job[0].pp=2", "job[0].interleave=2"}, 0.7);
}

// Eight hosts on eight leaves of one, and a cable of an eighth of what their NICs have.
TEST(Bounds, OversubscribedUplinksArePartOfTheBound) {
  const std::vector<std::string> whole = {"topology.kind=leaf-spine", "topology.hosts=4", "topology.hosts_per_leaf=1",
                                          "topology.spines=1",        "job[0].tp=1",      "scale_up.entry=nvlink4"};
  std::vector<std::string> thin = whole;
  thin.emplace_back("link.leaf.rate=25Gbps");
  EXPECT_GT(bounded(job(thin)).step, 2 * bounded(job(whole)).step);
  expect_bounded(whole, 0.5);
  expect_bounded(thin, 0.5);
}

// 8 sequences of 1,024 tokens.
TEST(Bounds, TokensOfAStepAreThoseOfTheBatch) { EXPECT_EQ(bounded(job()).tokens, 8 * 1024); }

TEST(Bounds, WhatIsToBuyIsTheSumOfItsParts) {
  const scenario::Scenario own = job();
  const Bounds bounds = bounded(own);
  EXPECT_EQ(bounds.to_buy().count, bounds.bill.cost.count + (4 * 10'000 + 8 * 30'000) * 1'000LL);
  EXPECT_GT(bounds.usd, 0);
}

TEST(Bounds, LimitsPruneByWhatTheyAreAbout) {
  const scenario::Scenario own = job();
  const Bounds bounds = bounded(own);
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
