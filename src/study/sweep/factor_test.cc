#include "study/sweep/factor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/scenario/scenario_load.h"

namespace weft::study::sweep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kScenario = R"([fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
[[traffic]]
kind = "incast"
size = "64 KiB"
[[case]]
name = "small"
[[case]]
name = "large"
switch.buffer = "64 MiB"
ethernet.priority.3.kmin = "200 kB"
)";

const FactorContext kGrid{.cases = {"small", "large"}};
const FactorContext kSamples{.cases = {}, .kind = FactorContext::Kind::kSamples};

std::vector<std::string> levels(const std::string& text) {
  const Result<Factor> factor = parse_factor(text, kGrid);
  EXPECT_TRUE(factor) << factor.error().message;
  return factor ? factor->levels : std::vector<std::string>();
}

std::string refusal(const std::string& text, const FactorContext& context = kGrid) {
  const Result<Factor> factor = parse_factor(text, context);
  EXPECT_FALSE(factor) << text;
  return factor ? "" : factor.error().message;
}

std::string check(const std::vector<std::string>& texts, const std::string& chosen = "") {
  std::vector<Factor> factors;
  for (const std::string& text : texts) {
    Result<Factor> factor = parse_factor(text, kGrid);
    EXPECT_TRUE(factor) << factor.error().message;
    factors.push_back(*factor);
  }
  const Result<scenario::Catalogue> catalogue = scenario::Catalogue::load(std::nullopt);
  const auto document = scenario::read_document(kScenario, "in.toml");
  const auto base =
      scenario::parse_scenario(kScenario, {.file = "in.toml", .case_name = {}, .settings = {}}, *catalogue);
  EXPECT_TRUE(base) << base.error().message;
  const Result<void> good =
      check_factors({.factors = factors, .scenario = *base, .document = *document, .chosen = chosen});
  return good ? "" : good.error().message;
}

TEST(SweepFactor, ValuesAreAListOrARange) {
  EXPECT_THAT(levels("routing.policy=ecmp,spray"), ElementsAre("ecmp", "spray"));
  EXPECT_THAT(levels("switch.buffer=1MiB..4MiB:4"), ElementsAre("1 MiB", "2 MiB", "3 MiB", "4 MiB"));
  EXPECT_THAT(levels("switch.buffer=1MiB..8MiB:log:4"), ElementsAre("1 MiB", "2 MiB", "4 MiB", "8 MiB"));
  EXPECT_THAT(levels("dcqcn.increase_timer=10us..100us:by:40us"), ElementsAre("10 us", "50 us", "90 us"));
  EXPECT_THAT(levels("traffic[0].depth=1..8:log:4"), ElementsAre("1", "2", "4", "8"));
  EXPECT_THAT(levels("ethernet.priority.3.pmax=1%..100%:log:3"), ElementsAre("1%", "10%", "100%"));
  EXPECT_THAT(levels("case"), ElementsAre("small", "large"));
  EXPECT_THAT(levels("case=large,small"), ElementsAre("large", "small"));
}

TEST(SweepFactor, SamplesTakeARangeWithoutLevels) {
  const Result<Factor> factor = parse_factor("dcqcn.increase_timer=10us..1ms:log", kSamples);
  ASSERT_TRUE(factor) << factor.error().message;
  EXPECT_EQ(factor->range->value_at(-1), "10 us");
  EXPECT_EQ(factor->range->value_at(0), "100 us");
  EXPECT_EQ(factor->range->value_at(1), "1 ms");
}

TEST(SweepFactor, WhatIsWrongIsSaidWithWhatIsRight) {
  EXPECT_THAT(refusal("dcqcn.increas_timer=1us,2us"), HasSubstr("did you mean 'increase_timer'"));
  EXPECT_THAT(refusal("swich.buffer=1MiB,2MiB"), HasSubstr("did you mean 'switch'"));
  EXPECT_THAT(refusal("switch.buffer=1us..4us:4"), HasSubstr("--vary switch.buffer: "));
  EXPECT_THAT(refusal("switch.buffer=1us..4us:4"), HasSubstr("expected size, such as '4 KiB'"));
  EXPECT_THAT(refusal("switch.buffer=1..4:4"), HasSubstr("expected size"));
  EXPECT_THAT(refusal("switch.buffer=4MiB..1MiB:4"), HasSubstr("is empty; the smaller value comes first"));
  EXPECT_THAT(refusal("switch.buffer=1MiB..1MiB:4"), HasSubstr("is empty"));
  EXPECT_THAT(refusal("switch.buffer=1MiB..4MiB"), HasSubstr("a grid needs a number of levels"));
  EXPECT_THAT(refusal("switch.buffer=1MiB..4MiB:1"), HasSubstr("no number of levels from 2 to 1000"));
  EXPECT_THAT(refusal("switch.buffer=1MiB..4MiB:by:8MiB"), HasSubstr("the step is longer than the range"));
  EXPECT_THAT(refusal("switch.buffer=1MiB..4MiB:by:0B"), HasSubstr("a step of 0B"));
  EXPECT_THAT(refusal("switch.buffer=0B..4MiB:log:4"), HasSubstr("begins above zero"));
  EXPECT_THAT(refusal("traffic[0].depth=1..3:5"), HasSubstr("two of 5 levels are"));
  EXPECT_THAT(refusal("routing.policy=ecmp..spray:2"), HasSubstr("no range: the key takes one of ecmp, "));
  EXPECT_THAT(refusal("routing.policy=ecmp"), HasSubstr("one value varies nothing"));
  EXPECT_THAT(refusal("routing.policy="), HasSubstr("no values; expected"));
  EXPECT_THAT(refusal("seed=1,2"), HasSubstr("--seeds says how many"));
  EXPECT_THAT(refusal("case=small,lage"), HasSubstr("did you mean 'large'"));
  EXPECT_THAT(refusal("case", kSamples), HasSubstr("the scenario has no [[case]]"));
  EXPECT_THAT(refusal("=1,2"), HasSubstr("expected key="));
}

TEST(SweepFactor, EveryValueIsOneOfItsKey) {
  EXPECT_EQ(check({"routing.policy=ecmp,spray", "switch.buffer=1MiB,2MiB"}), "");
  EXPECT_THAT(check({"routing.policy=ecmp,spry"}), HasSubstr("--vary routing.policy: unknown word 'spry'"));
  EXPECT_THAT(check({"switch.buffer=1MiB,2us"}), HasSubstr("--vary switch.buffer: "));
  EXPECT_THAT(check({"switch.buffer=1MiB,1024KiB"}), HasSubstr("the value 1 MiB is there twice"));
  EXPECT_THAT(check({"traffic[3].size=1MiB,2MiB"}), HasSubstr("the scenario has 1 of [[traffic]]"));
}

TEST(SweepFactor, AKeyIsVariedOnceAndNotBesideItsGroup) {
  EXPECT_THAT(check({"switch.buffer=1MiB,2MiB", "switch.buffer=4MiB,8MiB"}), HasSubstr("varied twice"));
  EXPECT_THAT(check({"ethernet.priority.kmin=100kB,200kB", "ethernet.priority.3.kmin=100kB,200kB"}),
              HasSubstr("varied twice; --vary ethernet.priority.kmin is the same key"));
}

TEST(SweepFactor, AKeyIsNotSetAndVaried) {
  const auto said = [](const std::string& vary, const std::string& setting) {
    const std::vector<Factor> factors{*parse_factor(vary, {})};
    const std::vector<std::string> settings{setting};
    const Result<void> good = check_settings(factors, settings);
    return good ? std::string() : good.error().message;
  };
  EXPECT_THAT(said("switch.buffer=1MiB,2MiB", "switch.buffer=4MiB"),
              HasSubstr("--vary switch.buffer: --set switch.buffer would not count beside it"));
  EXPECT_THAT(said("ethernet.priority.kmin=1MB,2MB", "ethernet.priority.3.kmin=4MB"), HasSubstr("would not count"));
  // Of the other priorities it counts.
  EXPECT_EQ(said("ethernet.priority.3.kmin=1MB,2MB", "ethernet.priority.kmin=4MB"), "");
  EXPECT_EQ(said("ethernet.priority.3.kmin=1MB,2MB", "ethernet.priority.4.kmin=4MB"), "");
  EXPECT_EQ(said("switch.buffer=1MiB,2MiB", "traffic[0].size=4MB"), "");
}

TEST(SweepFactor, AKeyThatACaseGivesItselfIsNotVariedWithThatCase) {
  EXPECT_EQ(check({"switch.buffer=1MiB,2MiB"}), "");
  EXPECT_EQ(check({"switch.buffer=1MiB,2MiB"}, "small"), "");
  EXPECT_THAT(check({"switch.buffer=1MiB,2MiB"}, "large"),
              HasSubstr("the case 'large' gives this key its own value (in.toml:13:"));
  EXPECT_THAT(check({"case", "ethernet.priority.kmin=100kB,200kB"}), HasSubstr("the case 'large' gives this key"));
}

}  // namespace
}  // namespace weft::study::sweep
