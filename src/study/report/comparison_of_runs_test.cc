#include "study/report/comparison_of_runs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>

#include "study/report/comparison_document.h"
#include "study/results/results_test_run.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

Json comparison_of(const std::vector<results::RunResults>& runs) {
  Json document = to_json(comparison_of_runs(runs));
  const Result<void> right = check_comparison(document);
  EXPECT_TRUE(right) << right.error().message;
  return document;
}

TEST(ComparisonOfRuns, ARunBecomesAFabricWithWhatItMeasured) {
  const Json document = comparison_of({results::testing::small_run()});
  const Json& fabric = document["fabrics"][0];
  EXPECT_EQ(fabric["name"], "first");
  EXPECT_EQ(fabric["family"], "rocev2");
  EXPECT_DOUBLE_EQ(fabric["step_time_s"], 0.9);
  EXPECT_DOUBLE_EQ(fabric["exposed_communication_s"], 0.18);
  EXPECT_DOUBLE_EQ(fabric["ratio_to_best"], 1);
  EXPECT_EQ(fabric["parts"].size(), 2U);
  EXPECT_EQ(fabric["drops"], 5 + 5);  // of the fabric and of the host
  EXPECT_EQ(fabric["retransmissions"], 2);
  EXPECT_TRUE(fabric.contains("pause_s"));
  EXPECT_FALSE(fabric.contains("credit_stall_s"));
  EXPECT_EQ(fabric["settings_text"], "seed = 7\n");
  EXPECT_EQ(document["scenario"]["job"], "llama3-8b on 16 x h100-sxm: tp 8, pp 1, dp 2");
}

TEST(ComparisonOfRuns, WhatOnlyAComparisonMeasuresIsAbsent) {
  const Json document = comparison_of({results::testing::small_run()});
  for (const char* key : {"tuning_risk", "cost_usd", "bill", "timeline", "step_time_low_s", "small_message"}) {
    EXPECT_FALSE(document["fabrics"][0].contains(key)) << key;
  }
  EXPECT_FALSE(document.contains("verdict"));
}

TEST(ComparisonOfRuns, FlowCompletionTimesAreThoseOfTheMessages) {
  const Json document = comparison_of({results::testing::small_run()});  // two messages, 40 and 60 us
  const Json& fabric = document["fabrics"][0];
  EXPECT_DOUBLE_EQ(fabric["fct_us"]["p50"], 40);
  EXPECT_DOUBLE_EQ(fabric["fct_us"]["p99"], 60);
  EXPECT_EQ(fabric["cdf"]["fct"].size(), 2U);
  EXPECT_DOUBLE_EQ(fabric["cdf"]["fct"][1][1], 1);
}

TEST(ComparisonOfRuns, SamplesGiveTheLoadOfLinksAndTheQueues) {
  const Json document = comparison_of({results::testing::small_run()});
  const Json& topology = document["fabrics"][0]["topology"];
  ASSERT_EQ(topology["nodes"].size(), 2U);
  EXPECT_EQ(topology["nodes"][0], Json({{"name", "host0"}, {"kind", "host"}, {"tier", 0}}));
  EXPECT_EQ(topology["nodes"][1], Json({{"name", "switch0"}, {"kind", "switch"}, {"tier", 1}}));
  ASSERT_EQ(topology["links"].size(), 1U);  // the small run's second port is its own peer
  ASSERT_EQ(topology["instants_s"].size(), 2U);
  const Json& queues = document["fabrics"][0]["queues"];
  ASSERT_EQ(queues.size(), 1U);
  EXPECT_EQ(queues[0]["port"], "switch0/port2");
  EXPECT_EQ(queues[0]["bytes"], Json({262144, 131072}));
  EXPECT_DOUBLE_EQ(queues[0]["held_s"][0], 1e-6);
}

TEST(ComparisonOfRuns, DecisionsStandAtTheInstantsOfTheLoad) {
  results::RunResults run = results::testing::small_run();
  run.decisions.push_back({.at = Time::zero() + 25_us, .decision = results::Decision::kEntries, .count = 5});
  run.decisions.push_back({.at = Time::zero() + 90_us, .decision = results::Decision::kEntries, .count = 6});
  const Json document = comparison_of({run});
  const Json& fabric = document["fabrics"][0];
  const Json& decisions = fabric["decisions"];
  ASSERT_EQ(decisions.size(), 2U);
  EXPECT_EQ(decisions[0]["decision"], "flowlet-moved");
  EXPECT_EQ(decisions[0]["at_s"], fabric["topology"]["instants_s"]);
  EXPECT_EQ(decisions[0]["count"], Json({3, 4}));
  EXPECT_EQ(decisions[1]["decision"], "entries");
  EXPECT_EQ(decisions[1]["count"], Json({0, 11})) << "what comes behind the last instant is shown with it";
}

TEST(ComparisonOfRuns, LongRunsAreShownAtFewerInstants) {
  results::RunResults run = results::testing::small_run();
  run.samples.clear();
  constexpr int kInstants = 1000;  // of which twenty become one
  for (int i = 1; i <= kInstants; ++i) {
    run.samples.push_back({.at = Time::zero() + i * 1_us,
                           .port = 0,
                           .queue_bytes = static_cast<std::uint64_t>(i),
                           .tx_bytes = 1,
                           .utilisation = i % 5 == 0 ? 1'000'000U : 0U,
                           .held = 1_ns});
  }
  const Json document = comparison_of({run});
  const Json& fabric = document["fabrics"][0];
  ASSERT_EQ(fabric["topology"]["instants_s"].size(), 50U);
  EXPECT_DOUBLE_EQ(fabric["topology"]["instants_s"][0], 20e-6);
  EXPECT_NEAR(fabric["topology"]["links"][0]["utilisation"][7].get<double>(), 0.2, 1e-12);
  EXPECT_EQ(fabric["queues"][0]["bytes"][49], kInstants);
  EXPECT_NEAR(fabric["queues"][0]["held_s"][3].get<double>(), 20e-9, 1e-15);
}

TEST(ComparisonOfRuns, NamesTellRunsApart) {
  results::RunResults a = results::testing::small_run();
  results::RunResults b = a;
  b.run.seed = 8;
  results::RunResults c = a;
  c.run.case_name = "";
  const Json document = comparison_of({a, b, b, c});
  EXPECT_EQ(document["fabrics"][0]["name"], "first, seed 7");
  EXPECT_EQ(document["fabrics"][1]["name"], "first, seed 8");
  EXPECT_EQ(document["fabrics"][2]["name"], "first, seed 8, run 2");
  EXPECT_EQ(document["fabrics"][3]["name"], "rocev2");
  EXPECT_EQ(document["scenario"]["seeds"], Json({7, 8}));
}

TEST(ComparisonOfRuns, ARunThatWasNotPossibleSaysWhy) {
  results::RunResults run = results::testing::small_run();
  run.run.end = results::RunEnd::kError;
  run.run.error = "not possible: a router";
  const Json document = comparison_of({run});
  EXPECT_EQ(document["fabrics"][0]["possible"], false);
  EXPECT_EQ(document["fabrics"][0]["reason"], "not possible: a router");
  EXPECT_FALSE(document["fabrics"][0].contains("drops"));
}

TEST(ComparisonOfRuns, ARunWithoutSamplesHasAMapWithoutLoad) {
  results::RunResults run = results::testing::small_run();
  run.samples.clear();
  const Json document = comparison_of({run});
  EXPECT_FALSE(document["fabrics"][0]["topology"]["links"][0].contains("utilisation"));
  EXPECT_FALSE(document["fabrics"][0].contains("queues"));
}

}  // namespace
}  // namespace weft::study::report
