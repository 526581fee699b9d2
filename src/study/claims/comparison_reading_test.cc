#include "study/claims/comparison_reading.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "study/claims/fake_runner.h"
#include "study/report/comparison_document.h"

namespace weft::study::claims {
namespace {

using testing::claim_of;
using testing::FakeRunner;

struct Sides {
  double ib_step = 0.40;
  double roce_step = 0.42;
  double ib_cost = 2e6;
  double roce_cost = 1.5e6;
};

std::string document(const Sides& sides) {
  return fmt::format(
      R"({{"format": "weft-comparison", "scenario": {{"job": "llama3-8b on 128 GPUs"}}, "fabrics": [
        {{"name": "infiniband", "possible": true, "step_time_s": {}, "step_time_low_s": {}, "step_time_high_s": {},
          "cost_usd": {}, "power_w": 9000}},
        {{"name": "rocev2", "possible": true, "step_time_s": {}, "step_time_low_s": {}, "step_time_high_s": {},
          "cost_usd": {}, "power_w": 8000}},
        {{"name": "rocev1", "possible": false, "step_time_s": 1.0}}]}})",
      sides.ib_step, sides.ib_step - 0.001, sides.ib_step + 0.001, sides.ib_cost, sides.roce_step,
      sides.roce_step - 0.001, sides.roce_step + 0.001, sides.roce_cost);
}

Finding finding_of(std::string_view id, const Sides& sides) {
  FakeRunner runner;
  runner.compare(document(sides));
  const Result<Finding> finding = measure(claim_of(id), runner);
  EXPECT_TRUE(finding);
  return finding.value_or(Finding{});
}

TEST(ComparisonReading, GivesWhatIsThereAndNothingElse) {
  const auto comparison = report::comparison_from(nlohmann::ordered_json::parse(document({})));
  const ComparisonReading reading(comparison);
  EXPECT_EQ(reading.job(), "llama3-8b on 128 GPUs");
  EXPECT_DOUBLE_EQ(reading.step_time("infiniband")->high, 0.401);
  EXPECT_FALSE(reading.step_time("rocev1"));  // not possible
  EXPECT_FALSE(reading.step_time("iwarp"));
}

TEST(ComparisonReading, TakesAnyJsonForADocumentWithoutFigures) {
  for (const char* const text : {"{}", "[]", "3", R"({"fabrics": 3})", R"({"fabrics": [3, {"name": 4}]})",
                                 R"({"fabrics": [{"name": "rocev2", "cost_usd": "much"}]})"}) {
    const auto comparison = report::comparison_from(nlohmann::ordered_json::parse(text));
    const ComparisonReading reading(comparison);
    EXPECT_FALSE(reading.step_time("rocev2")) << text;
    EXPECT_FALSE(reading.cost_usd("rocev2")) << text;
    EXPECT_EQ(reading.job(), "") << text;
  }
}

TEST(ComparisonClaims, WithoutTheirFiguresAreNotMeasured) {
  FakeRunner runner;
  runner.compare(R"({"fabrics": [{"name": "rocev2", "possible": true}]})");
  for (const Claim& claim : claim_table()) {
    if (claim.basis == Basis::kComparison) {
      const Result<Finding> finding = measure(claim, runner);
      ASSERT_TRUE(finding);
      EXPECT_EQ(finding->verdict, Verdict::kNotMeasured) << claim.id;
      EXPECT_NE(finding->condition, "") << claim.id;
    }
  }
}

TEST(ComparisonClaims, WhichSideOfAContradictionIsRightIsTheCondition) {
  EXPECT_EQ(finding_of("roce-cost", {}).condition, "said as \"costs less\"");
  EXPECT_EQ(finding_of("roce-cost", {.roce_cost = 2.1e6}).condition, "said as \"costs slightly more\"");
  EXPECT_EQ(finding_of("roce-cost", {.roce_cost = 2.5e6}).verdict, Verdict::kDoesNotHold);
}

TEST(ComparisonClaims, BuyersOfSpeedNeedADifferenceBeyondTheConfidenceInterval) {
  EXPECT_EQ(finding_of("buyers", {}).verdict, Verdict::kHolds);
  EXPECT_EQ(finding_of("buyers", {.roce_step = 0.4015}).verdict, Verdict::kHoldsWhen);
  EXPECT_EQ(finding_of("buyers", {.roce_step = 0.4015, .roce_cost = 3e6}).verdict, Verdict::kDoesNotHold);
}

}  // namespace
}  // namespace weft::study::claims
