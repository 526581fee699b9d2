#include "study/sweep/measure.h"

#include <gmock/gmock.h>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::sweep {
namespace {

using ::testing::HasSubstr;

std::string refused(std::string_view measure, std::string_view more) {
  const auto scenario = scenario::scenario_with(more);
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  const Result<void> possible = check_measure(*parse_measure(measure), *scenario);
  return possible ? std::string() : possible.error().message;
}

constexpr std::string_view kIncast = R"([[traffic]]
name = "in"
kind = "incast"
size = "64 KiB"
)";
constexpr std::string_view kRing = R"([[traffic]]
name = "ring"
kind = "collective"
size = "64 KiB"
)";

TEST(SweepMeasure, AFigureThatNoRunCanHaveIsKnownBefore) {
  EXPECT_EQ(refused("step", kIncast), "step: no job of the scenario runs steps");
  EXPECT_EQ(refused("exposed", kRing), "exposed: no job of the scenario runs steps");
  EXPECT_THAT(refused("busbw", kIncast), HasSubstr("no collective operations"));
  EXPECT_THAT(refused("fct-p99@nobody", kIncast), HasSubstr("fct-p99: unknown job or traffic 'nobody'"));
  EXPECT_THAT(refused("queue-median", kIncast), HasSubstr("output.sample_interval"));
}

TEST(SweepMeasure, AFigureThatARunMayHaveIsLeftToIt) {
  for (const char* const name : {"fct-p99", "fct-p99@in", "goodput", "pauses", "drops", "queue-peak"}) {
    EXPECT_EQ(refused(name, kIncast), "") << name;
  }
  EXPECT_EQ(refused("collective@ring", kRing), "");
  EXPECT_EQ(refused("queue-median", fmt::format("{}[output]\nsample_interval = \"1 us\"\n", kIncast)), "");
}

}  // namespace
}  // namespace weft::study::sweep
