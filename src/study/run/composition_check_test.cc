#include "study/run/composition_check.h"

#include <gtest/gtest.h>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

constexpr double kMostHops = 2'000'000;

struct Shape {
  std::string name;
  std::string family;
  std::string job;  // keys of the job
};

void PrintTo(const Shape& shape, std::ostream* out) { *out << shape.name; }

/// Four hosts of four GPUs with links among them, and a network of 400 Gbps for each GPU.
Result<scenario::Scenario> scenario_of(const Shape& shape) {
  const std::string text = fmt::format(R"([fabric]
family = "{}"
[topology]
kind = "rail-optimised"
hosts = 4
spines = 4
nics_per_host = 4
gpus_per_host = 4
[scale_up]
entry = "nvlink4"
domain = 4
[[job]]
name = "llm"
gpus = 16
layers = 4
global_batch = 16
{}
)",
                                       shape.family, shape.job);
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                  scenario::test_catalogue());
}

class Composition : public testing::TestWithParam<Shape> {};

/// The error that a composed step prints is below 2 % for every way in which a model is shared out.
TEST_P(Composition, IsWithinTwoPercentOfEveryPacket) {
  const Result<scenario::Scenario> scenario = scenario_of(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<CompositionCheck> check = check_composition(*scenario, kMostHops, [] { return true; });
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_TRUE(check->error) << check->what;
  EXPECT_LT(std::abs(*check->error), 0.02) << check->what;
  RecordProperty("error_ppm", static_cast<int>(*check->error * 1e6));
}

INSTANTIATE_TEST_SUITE_P(Jobs, Composition,
                         testing::Values(Shape{"copies_rocev2", "rocev2", "model = \"llama3-8b\""},
                                         Shape{"copies_infiniband", "infiniband", "model = \"llama3-8b\""},
                                         Shape{"tensor", "rocev2", "model = \"llama3-8b\"\ntp = 4"},
                                         Shape{"pipeline", "infiniband", "model = \"llama3-8b\"\ntp = 4\npp = 2"},
                                         Shape{"interleaved", "rocev2",
                                               "model = \"llama3-8b\"\ntp = 4\npp = 2\ninterleave = 2"},
                                         Shape{"zero3", "rocev2", "model = \"llama3-8b\"\nzero = 3"},
                                         Shape{"context", "rocev2", "model = \"llama3-8b\"\ntp = 2\ncp = 2"},
                                         Shape{"experts", "rocev2", "model = \"mixtral-8x7b\"\ntp = 2\nep = 4"}),
                         [](const testing::TestParamInfo<Shape>& one) { return one.param.name; });

TEST(SmallerJob, KeepsNetworkAndParallelismAndCrossesHosts) {
  const Result<scenario::Scenario> scenario = scenario_of({"", "rocev2", "model = \"llama3-8b\"\ntp = 2"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<scenario::Scenario> small = smaller_job(*scenario, kMostHops);
  ASSERT_TRUE(small) << small.error().message;
  const scenario::TrainingSettings& training = small->jobs.front().training;
  EXPECT_EQ(training.tensor, 2);
  EXPECT_EQ(small->jobs.front().ranks, 8);  // two hosts
  EXPECT_EQ(training.layers, 1);
  EXPECT_EQ(training.fidelity, scenario::StepFidelity::kPacket);
  EXPECT_LE(estimated_hops(*small).value(), kMostHops);
  EXPECT_GT(estimated_hops(*scenario).value(), kMostHops);
}

/// Two ways to one time that always agreed to the last digit would be one way.
TEST(CompositionCheck, MeasuresTheOverlapThatPhasesLeaveOut) {
  const Result<scenario::Scenario> scenario = scenario_of({"", "rocev2", "model = \"llama3-8b\"\ntp = 2\npp = 2"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<CompositionCheck> check = check_composition(*scenario, kMostHops, [] { return true; });
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_TRUE(check->error) << check->what;
  EXPECT_NE(*check->error, 0);
}

TEST(CompositionCheck, ThatWouldTakeTooLongIsNotMadeAndSaysSo) {
  const Result<scenario::Scenario> scenario = scenario_of({"", "rocev2", "model = \"llama3-8b\""});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<CompositionCheck> check = check_composition(*scenario, 1, [] { return true; });
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_FALSE(check->error);
  EXPECT_NE(check->what.find("million packet-hops"), std::string::npos) << check->what;
}

}  // namespace
}  // namespace weft::study::run
