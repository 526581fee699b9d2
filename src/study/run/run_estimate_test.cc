#include "study/run/run_estimate.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "study/assembly/build_topology.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

struct NoMessages final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
};

/// Data parallel over eight hosts of four GPUs, whose gradients go around rings over hosts and through NVLink.
scenario::Scenario scenario_of(std::string_view topology, std::string_view more) {
  const auto parsed = scenario::parse_scenario(
      fmt::format("[fabric]\nfamily = \"rocev2\"\n[topology]\n{}hosts = 8\nnics_per_host = 4\ngpus_per_host = 4\n"
                  "[scale_up]\nentry = \"nvlink4\"\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\n"
                  "gpu = \"h100-sxm\"\ngpus = 32\ntp = 2\nglobal_batch = 64\nslice = \"1 MiB\"\n{}",
                  topology, more),
      {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  EXPECT_EQ(scenario::message_of(parsed), "no error");
  return *parsed;
}

constexpr std::string_view kOneSwitch = "kind = \"single-switch\"\n";
constexpr std::string_view kLeaves = "kind = \"leaf-spine\"\nhosts_per_leaf = 2\noversubscription = \"2:1\"\n";

HopsEstimate estimate_of(const scenario::Scenario& scenario, const EstimateOptions& options = {}) {
  const auto graph = assembly::build_topology(scenario);
  EXPECT_TRUE(graph);
  const auto estimate = estimate_hops(scenario, *graph, options);
  EXPECT_TRUE(estimate) << estimate.error().message;
  return *estimate;
}

double hops_of(const scenario::Scenario& scenario) {
  NoMessages sink;
  const auto simulation = Simulation::create(scenario, sink);
  EXPECT_TRUE(simulation) << simulation.error().message;
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  return static_cast<double>((*simulation)->progress().packet_hops);
}

/// Probes around these rings have four steps of three chunks, ten times the slice.
TEST(RunEstimate, OfAComposedStepWithScaleUpLinksHoldsWhatItTakes) {
  constexpr double kOff = 1.25;
  const scenario::Scenario scenario = scenario_of(kOneSwitch, "");
  const HopsEstimate estimate = estimate_of(scenario);
  const double taken = hops_of(scenario);
  EXPECT_LT(estimate.least, taken * kOff);
  EXPECT_GT(estimate.most, taken / kOff);
  EXPECT_LE(estimate.most, estimate.least * 2);
}

TEST(RunEstimate, WhereFlowsMayMeetItReachesUpToTheBudgetOfSlices) {
  const HopsEstimate small = estimate_of(scenario_of(kLeaves, "slice_hops = 10000000\n"));
  const HopsEstimate large = estimate_of(scenario_of(kLeaves, "slice_hops = 20000000\n"));
  EXPECT_NEAR(small.most, 10e6, 1e6);
  EXPECT_NEAR(large.most - small.most, 10e6, 1e6);
}

/// The tables of InfiniBand keep these rings apart, so nothing settles, and hops are those of probes. The defect:
/// slices were counted that are never run.
TEST(RunEstimate, WhereFlowsAreFollowedAndDoNotMeetItHoldsWhatItTakes) {
  constexpr double kOff = 2;
  const auto scenario = scenario::parse_scenario(
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\n"
      "nics_per_host = 8\ngpus_per_host = 8\noversubscription = \"2:1\"\n[link]\nrate = \"200 Gbps\"\n"
      "[scale_up]\nentry = \"nvlink4\"\n[[job]]\nname = \"llm\"\nmodel = \"llama3-8b\"\ngpu = \"h100-sxm\"\n"
      "gpus = 64\ntp = 2\nglobal_batch = 64\nslice_hops = 30000000\n",
      {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  ASSERT_EQ(scenario::message_of(scenario), "no error");
  const double taken = hops_of(*scenario);
  const HopsEstimate assumed = estimate_of(*scenario);
  const HopsEstimate followed = estimate_of(*scenario, {.follows_flows = true});
  EXPECT_GT(assumed.least, taken * kOff);
  EXPECT_LT(followed.least, taken * kOff);
  EXPECT_GT(followed.most, taken / kOff);
  EXPECT_LT(followed.most, taken * kOff);
}

TEST(RunEstimate, MeasuringTheErrorAddsToIt) {
  const scenario::Scenario scenario = scenario_of(kOneSwitch, "");
  const HopsEstimate alone = estimate_of(scenario);
  const HopsEstimate checked = estimate_of(scenario, {.check_hops = 8e6});
  EXPECT_GT(checked.least, alone.least);
  EXPECT_LE(checked.most, alone.most + 2 * 8e6);
}

TEST(RunEstimate, TrafficThatLastsAsLongAsTheJobAddsToIt) {
  const std::string beside =
      "[[traffic]]\nname = \"web\"\nkind = \"poisson\"\nfamily = \"tcp\"\nrequired = false\n"
      "cdf = \"websearch\"\nload = \"5%\"\n";
  const HopsEstimate alone = estimate_of(scenario_of(kLeaves, "slice_hops = 10000000\n"));
  const HopsEstimate both = estimate_of(scenario_of(kLeaves, "slice_hops = 10000000\n" + beside));
  EXPECT_GT(both.least, alone.least);
  EXPECT_GT(both.most, alone.most);
}

}  // namespace
}  // namespace weft::study::run
