#include "study/tune/tune_result.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace weft::study::tune {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A key with an effect of half the mean over its range, and one mistake that costs so much of the answer's 100 us.
TuneResult result_with(double cost) {
  TunedKey key{.tunable = {.factor = {.key = "routing.policy", .levels = {"ecmp", "spray"}}, .source = {}},
               .start = "ecmp",
               .best = "spray"};
  key.effect = sweep::Effect{.span = 50e-6, .interval = sweep::Interval{.low = 49e-6, .high = 51e-6}};
  const double of_best = cost * 100e-6;
  key.far = {
      {.value = "ecmp", .cost = {.mean = of_best, .interval = sweep::Interval{.low = of_best, .high = of_best}}}};
  TuneResult result{.file = "a.toml", .measure = *sweep::parse_measure("fct-max"), .keys = {key}};
  result.start = {100e-6, 100e-6, 100e-6};
  result.best = result.start;
  result.sample_mean = 100e-6;
  return result;
}

TEST(TuneResult, AKeyWhoseMistakesCostNothingMattersWithOtherSettings) {
  const TuneResult result = result_with(0);
  EXPECT_TRUE(forgives(result, result.keys.front()));
  EXPECT_THAT(tune_text(result), HasSubstr("with other settings than found"));
}

// "not known" alone does not say what would make it known.
TEST(TuneResult, WhyItIsNotKnownWhatMattersIsSaid) {
  TuneResult result = result_with(0);
  EXPECT_THAT(tune_text(result), Not(HasSubstr("not known")));
  result.keys.front().effect->interval = sweep::Interval{.low = -20e-6, .high = 120e-6};
  EXPECT_THAT(tune_text(result), HasSubstr("not known: the interval of the effect reaches both above and below 1.0 %"));
  result.keys.front().effect.reset();
  result.no_effects = "13 points are too few for effects of 10 keys: 14 at least";
  EXPECT_THAT(tune_text(result), HasSubstr("not known: 13 points are too few for effects of 10 keys: 14 at least"));
  EXPECT_EQ(tune_json(result)["no_effects"], result.no_effects);
}

TEST(TuneResult, AKeyWhoseMistakesCostMatters) {
  const TuneResult result = result_with(0.2);
  EXPECT_FALSE(forgives(result, result.keys.front()));
  EXPECT_THAT(tune_text(result), Not(HasSubstr("with other settings than found")));
  EXPECT_THAT(tune_text(result), HasSubstr("1 key, "));
}

/// As it is 2 MB wait at a port, as found 1 MB; the figure is the same.
TuneResult limited_result(double most) {
  TuneResult result = result_with(0);
  result.gain = {.mean = 0, .interval = sweep::Interval{.low = 0, .high = 0}};
  result.limits = {
      {.limit = {.measure = *sweep::parse_measure("queue-peak"), .most = most}, .start = 2e6, .best = 1e6}};
  return result;
}

TEST(TuneResult, AStartThatBreaksALimitIsNotLeftAsItIs) {
  EXPECT_EQ(outcome_of(limited_result(3e6)), Outcome::kStartIsGood);
  EXPECT_EQ(outcome_of(limited_result(1.5e6)), Outcome::kKeepsLimits);
  EXPECT_THAT(tune_text(limited_result(1.5e6)), Not(HasSubstr("leave it as it is")));
  EXPECT_THAT(tune_text(limited_result(1.5e6)),
              HasSubstr("as it is does not keep the limits, and what was found does"));
}

// What came nearest to the limits took twice as long, and the answer was "within 1 % of the best found: leave it as it
// is".
TEST(TuneResult, LimitsThatNothingKeepsAreSaidSo) {
  TuneResult result = limited_result(0.5e6);
  result.gain = {.mean = -98.8e-6, .interval = sweep::Interval{.low = -110e-6, .high = -84e-6}};
  EXPECT_EQ(outcome_of(result), Outcome::kLimitsNotKept);
  EXPECT_EQ(tune_json(result)["outcome"], "limits-not-kept");
  EXPECT_THAT(tune_text(result), Not(HasSubstr("leave it as it is")));
  EXPECT_THAT(tune_text(result),
              HasSubstr("Nothing that was tried keeps the limits. What was found comes nearest to them; the figure is "
                        "98.8 % worse (84.0 to 110.0 % over 3 seeds)"));
}

TEST(TuneResult, WhatIsSurelyBetterIsBetterBesideALimitToo) {
  TuneResult result = limited_result(1.5e6);
  result.gain = {.mean = 20e-6, .interval = sweep::Interval{.low = 19e-6, .high = 21e-6}};
  EXPECT_EQ(outcome_of(result), Outcome::kBetter);
}

TEST(TuneResult, AMistakeThatBreaksALimitMatters) {
  TuneResult result = limited_result(1.5e6);
  result.keys.front().far.front().keeps_limits = false;
  EXPECT_FALSE(forgives(result, result.keys.front()));
  EXPECT_THAT(tune_text(result), HasSubstr("yes, and for a limit"));
  EXPECT_THAT(tune_text(result), HasSubstr(", a limit NOT KEPT"));
  result.limits.front().limit.most = 0.5e6;  // which the best does not keep either
  EXPECT_THAT(tune_text(result), Not(HasSubstr("for a limit")));
}

}  // namespace
}  // namespace weft::study::tune
