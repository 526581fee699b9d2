// Operations of a step that overlap on shared uplinks, put together and held against every packet.
#include "study/run/step_overlap.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/test_paths.h"
#include "study/run/simulation.h"
#include "study/run/whole_step.h"
#include "study/scenario/scenario_load.h"

namespace weft::study::run {
namespace {

class NoSink final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord&) override {}
};

/// Experts on four of eight hosts each, on racks of two, two ports down for one up. Gradients are reduced while the
/// backward pass still exchanges tokens, between all hosts and between those that have the same experts: with all peers
/// at once, so that flows share the uplinks.
constexpr const char* kExperts = R"(seed = 1
[fabric]
family = "infiniband"
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 2
oversubscription = "2:1"
nics_per_host = 1
gpus_per_host = 1
[host]
profile = "modern"
memory = "gpu"
[collectives]
algorithm = "direct"
[[job]]
name = "llm"
model = "small-experts"
gpu = "h100-sxm"
gpus = 8
ep = 4
layers = 4
global_batch = 16
)";

results::StepRow step_of(const std::string& text) {
  const auto catalogue = scenario::Catalogue::load(std::string(test_data_dir()) + "/composition/catalogue");
  EXPECT_TRUE(catalogue) << catalogue.error().message;
  const auto scenario =
      scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}}, *catalogue);
  EXPECT_TRUE(scenario) << scenario.error().message;
  NoSink sink;
  auto simulation = Simulation::create(*scenario, sink);
  EXPECT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  auto steps = (*simulation)->training_steps([] { return true; });
  EXPECT_TRUE(steps) << steps.error().message;
  return steps->front();
}

/// Without their overlap the composed step is 2.4 % too short. What paths allow each kind of operation stands beside
/// the step of every packet too.
TEST(StepOverlapSteps, ReductionsBesideExchangesAreWithinOnePercentOfEveryPacketWhosePathsAllowIt) {
  const std::string job = std::string(kExperts) + "bucket = \"8 MB\"\n";
  const results::StepRow packet = step_of(job + "fidelity = \"packet\"\n");
  const results::StepRow composed = step_of(job + "fidelity = \"composed\"\nslice_hops = 3500000\n");
  EXPECT_LT(std::abs(composed.time.seconds() / packet.time.seconds() - 1), 0.01);
  ASSERT_GE(packet.collectives.size(), 6U);
  for (const results::StepCollective& own : packet.collectives) {
    EXPECT_GT(own.least_time, Duration::zero()) << own.purpose << own.kind << own.size.count();
    EXPECT_LE(own.least_time, own.time) << own.purpose << own.kind << own.size.count();
    EXPECT_TRUE(own.shares_links);
  }
}

/// No link is shared by flows of one operation, so no slice is marked; but a stage sends to the next one while its
/// gradients are reduced, and DCQCN slows both and what comes after. The step takes 13 % longer than its operations
/// tell.
TEST(StepOverlapSteps, AShortStepWhoseOperationsMeetWhereSendersReactIsRunItself) {
  const std::string job = R"(seed = 4
[fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 8
nics_per_host = 1
gpus_per_host = 1
[link]
rate = "100 Gbps"
[transport]
ack_interval = 16
[[job]]
name = "llm"
model = "small-gpt"
gpu = "h100-sxm"
gpus = 8
global_batch = 8
pp = 2
)";
  const auto catalogue = scenario::Catalogue::load(std::string(test_data_dir()) + "/composition/catalogue");
  ASSERT_TRUE(catalogue);
  const auto scenario = scenario::parse_scenario(job + "fidelity = \"composed\"\n",
                                                 {.file = "test.toml", .case_name = {}, .settings = {}}, *catalogue);
  ASSERT_TRUE(scenario);
  NoSink sink;
  auto simulation = Simulation::create(*scenario, sink);
  ASSERT_TRUE(simulation);
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  ASSERT_TRUE((*simulation)->training_steps([] { return true; }));
  EXPECT_TRUE(with_every_packet(*scenario, **simulation).has_value());
}

}  // namespace
}  // namespace weft::study::run
