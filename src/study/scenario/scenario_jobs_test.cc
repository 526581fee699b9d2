// What a scenario may say of its jobs: what follows from it, and what is refused with place and numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Line 6 of the file is [[job]], line 7 its name.
Result<Scenario> with_job(const std::string& keys) { return scenario_with("[[job]]\nname = \"j\"\n" + keys); }

TEST(ScenarioJobs, EndsOfAModelMayCountAsLayers) {
  const std::string llama = "model = \"llama3-405b\"\ngpu = \"gb200\"\ntp = 8\npp = 16\n";
  EXPECT_THAT(message_of(with_job(llama)), HasSubstr("126 layers cannot be divided by pp x virtual stages = 16"));
  const auto scenario = with_job(llama + "layer_split = \"ends-are-layers\"\n");
  ASSERT_EQ(message_of(scenario), "no error");
  EXPECT_EQ(scenario->jobs.front().training.layer_split, workload::LayerSplit::kEndsAreLayers);
}

TEST(ScenarioJobs, ThatComputeLongerThanTimeLastsAreRefused) {
  const std::string llama = "model = \"llama3-8b\"\ngpus = 64\ntp = 8\n";
  ASSERT_EQ(message_of(with_job(llama + "global_batch = 1000000\n")), "no error");
  const std::string refused = message_of(with_job(llama + "global_batch = 1000000000\n"));
  EXPECT_THAT(refused, HasSubstr(":11:16: job[0].global_batch: each GPU would compute for "));
  EXPECT_THAT(refused,
              HasSubstr(" hours (125000000 micro-batches in a step, 1 steps), the most is 10; take a smaller"));
}

TEST(ScenarioJobs, SequencesBeyondAllMemoryAreRefused) {
  const std::string llama = "model = \"llama3-8b\"\ngpus = 64\ntp = 8\n";
  const std::string longest = "1000000000 tokens in a sequence, or on a GPU in a micro-batch; at most 16777216";
  EXPECT_THAT(message_of(with_job(llama + "sequence = 1000000000\n")), HasSubstr(longest));
  EXPECT_THAT(message_of(with_job(llama + "sequence = 16777216\nmicro_batch = 1024\n")),
              HasSubstr("17179869184 tokens in a sequence, or on a GPU in a micro-batch"));
}

}  // namespace
}  // namespace weft::study::scenario
