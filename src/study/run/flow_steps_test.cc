// Training steps at the flow level beside packets.
#include <gtest/gtest.h>

#include <cmath>

#include "study/run/composition_check.h"
#include "study/run/flow_simulation.h"
#include "study/run/training_run.h"
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

/// Hosts of four GPUs with links among them, and a network of 400 Gbps for each GPU.
Result<scenario::Scenario> scenario_of(const Shape& shape, int hosts = 4) {
  const std::string text = fmt::format(R"(fidelity = "flow"
[fabric]
family = "{}"
[topology]
kind = "rail-optimised"
hosts = {}
spines = 4
nics_per_host = 4
gpus_per_host = 4
[scale_up]
entry = "nvlink4"
domain = 4
[[job]]
name = "llm"
gpus = {}
layers = 4
global_batch = {}
{}
)",
                                       shape.family, hosts, 4 * hosts, 4 * hosts, shape.job);
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                  scenario::test_catalogue());
}

class FlowSteps : public testing::TestWithParam<Shape> {};

TEST_P(FlowSteps, AreWithinThreePercentOfEveryPacket) {
  const Result<scenario::Scenario> scenario = scenario_of(GetParam());
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<CompositionCheck> check = check_composition(*scenario, kMostHops, [] { return true; });
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_TRUE(check->error) << check->what;
  EXPECT_LT(std::abs(*check->error), 0.03) << check->what;
  RecordProperty("error_ppm", static_cast<int>(*check->error * 1e6));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, FlowSteps,
    testing::Values(Shape{"copies_rocev2", "rocev2", "model = \"llama3-8b\""},
                    Shape{"copies_infiniband", "infiniband", "model = \"llama3-8b\""},
                    Shape{"copies_uet", "uet", "model = \"llama3-8b\""},
                    Shape{"copies_iwarp", "iwarp", "model = \"llama3-8b\""},
                    Shape{"tensor", "rocev2", "model = \"llama3-8b\"\ntp = 4"},
                    Shape{"pipeline", "infiniband", "model = \"llama3-8b\"\ntp = 4\npp = 2"},
                    Shape{"interleaved", "rocev2", "model = \"llama3-8b\"\ntp = 4\npp = 2\ninterleave = 2"},
                    Shape{"zero3", "rocev2", "model = \"llama3-8b\"\nzero = 3"},
                    Shape{"context", "rocev2", "model = \"llama3-8b\"\ntp = 2\ncp = 2"},
                    Shape{"experts", "rocev2", "model = \"mixtral-8x7b\"\ntp = 2\nep = 4"},
                    Shape{"whole_graphs", "rocev2", "model = \"llama3-8b\"\ntp = 4\nfidelity = \"packet\""}),
    [](const testing::TestParamInfo<Shape>& one) { return one.param.name; });

struct Nothing final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
};

results::StepRow step_of(const scenario::Scenario& scenario, std::uint64_t nodes) {
  Nothing sink;
  auto simulation = FlowSimulation::create(scenario, sink, {.step_nodes = nodes});
  EXPECT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  auto rows = (*simulation)->training_steps([] { return true; });
  EXPECT_TRUE(rows) << rows.error().message;
  EXPECT_EQ((*simulation)->training(0)->copies_composed().has_value(), nodes > 0);
  return rows->front();
}

// Copies do the same work where no links are shared, so two of eight give the step of all, with all its volumes.
TEST(FlowSteps, SomeCopiesStandForAll) {
  const auto scenario = scenario_of({"", "rocev2", "model = \"llama3-8b\"\ntp = 4\npp = 2"}, 16);
  ASSERT_TRUE(scenario) << scenario.error().message;
  const results::StepRow all = step_of(*scenario, 0);
  const results::StepRow some = step_of(*scenario, 1);
  EXPECT_NEAR(some.time.seconds() / all.time.seconds(), 1, 1e-6);
  EXPECT_NEAR(some.compute.seconds() / all.compute.seconds(), 1, 1e-6);
  ASSERT_EQ(some.tiers.size(), all.tiers.size());
  for (std::size_t i = 0; i < all.tiers.size(); ++i) {
    EXPECT_EQ(some.tiers[i].sent, all.tiers[i].sent) << all.tiers[i].name;
  }
  ASSERT_EQ(some.parts.size(), all.parts.size());
  for (std::size_t i = 0; i < all.parts.size(); ++i) {
    EXPECT_EQ(some.parts[i].sent, all.parts[i].sent) << all.parts[i].name;
  }
}

// All wait for the slowest rank, whether its copy is put together or not.
TEST(FlowSteps, SlowRanksOfCopiesThatAreLeftOutAreStillWaitedFor) {
  auto scenario = scenario_of({"", "rocev2", "model = \"llama3-8b\"\ntp = 4\nstraggler = \"exponential 10%\""}, 16);
  ASSERT_TRUE(scenario) << scenario.error().message;
  for (scenario->seed = 1; scenario->seed <= 3; ++scenario->seed) {
    const results::StepRow all = step_of(*scenario, 0);
    const results::StepRow some = step_of(*scenario, 1);
    EXPECT_NEAR(some.time.seconds() / all.time.seconds(), 1, 1e-6) << scenario->seed;
  }
}

TEST(FlowSteps, AreRefusedBesideOtherTraffic) {
  auto scenario =
      scenario_of({"", "rocev2", "model = \"llama3-8b\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"1 MB\""});
  ASSERT_TRUE(scenario) << scenario.error().message;
  Nothing sink;
  const auto simulation = FlowSimulation::create(*scenario, sink, {});
  ASSERT_FALSE(simulation);
  EXPECT_NE(simulation.error().message.find("job 'llm' runs steps beside"), std::string::npos)
      << simulation.error().message;
}

}  // namespace
}  // namespace weft::study::run
