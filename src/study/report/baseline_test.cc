#include "study/report/baseline.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study/report/comparison_diff.h"
#include "study/report/comparison_diff_json.h"
#include "study/report/comparison_document.h"
#include "study/report/test_comparison.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using testing::test_comparison;

Baseline baseline_of(const Json& document) { return {.file = "before.json", .comparison = comparison_from(document)}; }

TEST(Baseline, HasTheDifferencesOfWeftDiffFromTheBaselineToTheReport) {
  const Comparison now = comparison_from(test_comparison("full.json"));
  Json earlier = test_comparison("full.json");
  earlier["fabrics"][1]["step_time_s"] = 0.5;
  earlier["fabrics"][1]["step_time_low_s"] = 0.49;
  earlier["fabrics"][1]["step_time_high_s"] = 0.51;
  const Baseline baseline = baseline_of(earlier);
  const Json json = baseline_json(now, baseline);
  EXPECT_EQ(json["diff"], diff_json(diff_comparisons({.a = baseline.comparison, .b = now})));
  EXPECT_EQ(json["file"], "before.json");
  EXPECT_EQ(json["fabrics"].size(), baseline.comparison.fabrics.size());
  EXPECT_EQ(json["fabrics"][1]["step_time_s"], 0.5);
}

TEST(Baseline, WhatWasNotMeasuredIsAbsent) {
  Json earlier = test_comparison("full.json");
  earlier["fabrics"][1].erase("step_time_s");
  earlier["fabrics"][1].erase("work_cost");
  const Json json = baseline_json(comparison_from(test_comparison("full.json")), baseline_of(earlier));
  EXPECT_FALSE(json["fabrics"][1].contains("step_time_s"));
  EXPECT_FALSE(json["fabrics"][1].contains("usd"));
}

TEST(Baseline, WorkInAnotherUnitIsRefused) {
  const Comparison now = comparison_from(test_comparison("full.json"));
  Json earlier = test_comparison("full.json");
  EXPECT_TRUE(check_baseline(now, baseline_of(earlier)));
  const std::string name = earlier["fabrics"][1]["name"];
  earlier["fabrics"][1]["work_cost"]["unit"] = "run";
  const Result<void> refused = check_baseline(now, baseline_of(earlier));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "before.json: the work of " + name +
                " is counted in run, that of the report in million tokens; a baseline has work "
                "of the same kind");
}

TEST(Baseline, WithoutACommonFabricIsRefused) {
  const Comparison now = comparison_from(test_comparison("full.json"));
  Json earlier = test_comparison("full.json");
  for (Json& fabric : earlier["fabrics"]) {
    fabric["name"] = "old-" + fabric["name"].get<std::string>();
  }
  const Result<void> refused = check_baseline(now, baseline_of(earlier));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "before.json: no fabric of the report is in it; a baseline has at least one of them");
}

}  // namespace
}  // namespace weft::study::report
