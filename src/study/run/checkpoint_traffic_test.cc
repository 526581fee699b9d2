// Checkpoints on their way to storage: how much, to whom, and what they cost the steps beside them.
#include <gmock/gmock.h>

#include "study/assembly/build_topology.h"
#include "study/assembly/build_traffic.h"
#include "study/run/run_test_support.h"
#include "workload/training/checkpoint_size.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

/// Two copies of a small model on four hosts, and two hosts of storage.
constexpr std::string_view kJob = R"(hardware = "equal"
[fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 6
hosts_per_leaf = 3
spines = 1
[link]
rate = "100 Gbps"
[[job]]
name = "train"
model = "megatron-1_7b"
gpus = 4
layers = 2
sequence = 128
micro_batch = 1
global_batch = 4
)";

Result<scenario::Scenario> job_with(std::string_view more, std::vector<std::string> settings = {}) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(fmt::format("{}{}", kJob, more), request, scenario::test_catalogue());
}

constexpr std::string_view kSave =
    "[[traffic]]\nname = \"save\"\nkind = \"checkpoint\"\njob = \"train\"\ndestinations = [\"host4\", \"host5\"]\n";

TEST(CheckpointTraffic, IsTheWholeModelWithItsOptimiserInMessagesOfASize) {
  const auto scenario = job_with(std::string(kSave) + "size = \"4 MiB\"\ncount = 3\n");
  ASSERT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  const auto graph = assembly::build_topology(*scenario);
  ASSERT_TRUE(graph.has_value());
  const auto plans = assembly::plan_traffic(*scenario, *graph);
  ASSERT_TRUE(plans.has_value()) << plans.error().message;
  const assembly::TrafficPlan& save = plans->front();
  const auto bytes = static_cast<double>(workload::checkpoint_bytes(scenario->jobs.front().training.shape).count());
  EXPECT_GE(static_cast<double>(save.expected_bytes), 3 * bytes);
  EXPECT_LE(static_cast<double>(save.expected_bytes), 3 * (bytes + 4 * (4 << 20)));
  // Ranks 0 to 3 by turns to both hosts of the storage.
  EXPECT_THAT(save.pairs,
              testing::ElementsAre(std::pair(0U, 4U), std::pair(1U, 5U), std::pair(2U, 4U), std::pair(3U, 5U)));
}

double step_of(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results.steps.empty() ? 0 : results.steps.front().time.seconds();
}

TEST(CheckpointTraffic, BesideAStepTakesOfItsLinks) {
  const double alone = step_of(results_of(job_with("")));
  const double beside = step_of(results_of(job_with(std::string(kSave) + "count = 0\n")));
  EXPECT_GT(alone, 0);
  EXPECT_GT(beside, alone);
}

TEST(CheckpointTraffic, NeedsAJobWithAModelAndStorageOfItsOwn) {
  EXPECT_THAT(scenario::message_of(job_with("[[traffic]]\nkind = \"checkpoint\"\ndestinations = [\"host4\"]\n")),
              HasSubstr("'checkpoint' needs job, a [[job]] that trains a model"));
  EXPECT_THAT(scenario::message_of(job_with("[[traffic]]\nkind = \"checkpoint\"\njob = \"train\"\n")),
              HasSubstr("needs destinations: the hosts of the storage"));
  const auto own = job_with("[[traffic]]\nkind = \"checkpoint\"\njob = \"train\"\ndestinations = [\"host0\"]\n");
  ASSERT_TRUE(own.has_value());
  const auto plans = assembly::plan_traffic(*own, *assembly::build_topology(*own));
  ASSERT_FALSE(plans.has_value());
  EXPECT_THAT(plans.error().message, HasSubstr("is of the job itself; storage has hosts of its own"));
}

}  // namespace
}  // namespace weft::study::run
