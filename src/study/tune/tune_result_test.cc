#include "study/tune/tune_result.h"

#include <gmock/gmock.h>

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

TEST(TuneResult, AKeyWhoseMistakesCostMatters) {
  const TuneResult result = result_with(0.2);
  EXPECT_FALSE(forgives(result, result.keys.front()));
  EXPECT_THAT(tune_text(result), Not(HasSubstr("with other settings than found")));
  EXPECT_THAT(tune_text(result), HasSubstr("1 key, "));
}

}  // namespace
}  // namespace weft::study::tune
