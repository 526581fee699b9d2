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

}  // namespace
}  // namespace weft::study::scenario
