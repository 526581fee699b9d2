#include "study/scenario/fitting_parallelism.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>

#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using testing::HasSubstr;

Result<Scenario> with_model(const std::string& keys) { return scenario_with("[[job]]\nname = \"j\"\n" + keys); }

/// "tp = 8, pp = 4, dp = 2 on the same ..." as keys of a scenario.
std::string suggested_keys(const std::string& message) {
  const std::size_t begin = message.rfind("; ") + 2;
  const std::string text = message.substr(begin, message.find(" on the same") - begin);
  return std::regex_replace(text, std::regex(", "), "\n") + "\n";
}

TEST(FittingParallelism, TheOneThatARefusalNamesIsAccepted) {
  for (const std::string job :
       {"model = \"llama3-70b\"\ngpus = 64\n", "model = \"llama3-8b\"\ngpus = 8\nzero = 0\n",
        "model = \"llama3-70b\"\ngpus = 64\nzero = 3\nmicro_batch = 8\n", "model = \"mixtral-8x7b\"\ngpus = 64\n",
        "model = \"gpt3-175b\"\ngpus = 96\nglobal_batch = 96\n"}) {
    const std::string refused = message_of(with_model(job));
    ASSERT_THAT(refused, HasSubstr("does not fit")) << job;
    ASSERT_THAT(refused, HasSubstr(" GPUs would fit")) << job;
    EXPECT_EQ(message_of(with_model(job + suggested_keys(refused))), "no error") << refused;
  }
}

TEST(FittingParallelism, TheNearestToWhatWasAskedIsNamed) {
  const std::string refused = message_of(with_model("model = \"llama3-70b\"\ngpus = 64\ntp = 8\n"));
  EXPECT_THAT(refused, HasSubstr("; tp = 8, pp = 2, dp = 4 on the same 64 GPUs would fit"));
}

TEST(FittingParallelism, ARefusalSaysThatNothingFits) {
  EXPECT_THAT(message_of(with_model("model = \"llama3-405b\"\ngpus = 4\n")),
              HasSubstr("; no other division of the 4 GPUs into tp, pp, dp and ep fits"));
}

TEST(FittingParallelism, TheBatchThatWasGivenIsDividedByWhatIsNamed) {
  const auto scenario = with_model("model = \"llama3-8b\"\ngpus = 8\ntp = 2\nglobal_batch = 8\n");
  ASSERT_EQ(message_of(scenario), "no error");
  JobSettings job = scenario->jobs.front();
  job.training.gpu_model.memory = Bytes(40'000'000'000);
  const auto found = nearest_that_fits(job, BatchOrigin::kGiven);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->global_batch, 8);
  EXPECT_EQ(8 % (found->data * found->micro_batch), 0);
  EXPECT_EQ(found->tensor * found->pipeline * found->data, 8);
}

}  // namespace
}  // namespace weft::study::scenario
