// Composed jobs that share a network, held against every packet.
#include "study/run/job_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using testing::HasSubstr;

class NoSink final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord&) override {}
};

/// Copies of a small model on four of eight hosts with one GPU each.
std::string copies_on(std::string_view name, const std::vector<int>& hosts, std::string_view more) {
  std::string places;
  for (const int host : hosts) {
    places += fmt::format("{}\"host{}/gpu0\"", places.empty() ? "" : ", ", host);
  }
  return fmt::format(
      "[[job]]\nname = \"{}\"\nmodel = \"megatron-1_7b\"\ngpus = {}\nsequence = 256\nglobal_batch = {}\nplacement = "
      "\"listed\"\nplaces = [{}]\n{}\n",
      name, hosts.size(), hosts.size(), places, more);
}

/// Four leaves of two hosts, two ports down for one up.
std::string network(std::string_view family) {
  return fmt::format(
      "seed = 1\n[fabric]\nfamily = \"{}\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 2\n"
      "oversubscription = \"2:1\"\nnics_per_host = 1\ngpus_per_host = 1\n",
      family);
}

std::vector<results::StepRow> steps_of(const std::string& text) {
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario.error().message;
  if (!scenario) {
    return {};
  }
  NoSink sink;
  auto simulation = Simulation::create(*scenario, sink);
  EXPECT_TRUE(simulation) << simulation.error().message;
  if (!simulation) {
    return {};
  }
  EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished)
      << (*simulation)->error();
  auto steps = (*simulation)->training_steps([] { return true; });
  EXPECT_TRUE(steps) << steps.error().message;
  return steps ? *steps : std::vector<results::StepRow>();
}

constexpr std::string_view kComposed = "fidelity = \"composed\"\nslice_hops = 3000000";
constexpr std::string_view kPacket = "fidelity = \"packet\"";

std::string two_jobs(std::string_view family, std::string_view fidelity) {
  return network(family) + copies_on("a", {0, 2, 4, 6}, fmt::format("layers = 2\n{}", fidelity)) +
         copies_on("b", {1, 3, 5, 7}, fmt::format("layers = 3\n{}", fidelity));
}

class ComposedJobs : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Families, ComposedJobs, testing::Values("infiniband", "tcp"));

// Two copies of one ring meet at every leaf, so each is slowed by the other; how much, every packet says.
TEST_P(ComposedJobs, ThatShareUplinksTakeWhatEveryPacketTakes) {
  const std::vector<results::StepRow> composed = steps_of(two_jobs(GetParam(), kComposed));
  const std::vector<results::StepRow> packet = steps_of(two_jobs(GetParam(), kPacket));
  ASSERT_EQ(composed.size(), 2U);
  ASSERT_EQ(packet.size(), 2U);
  for (std::size_t job = 0; job < 2; ++job) {
    EXPECT_EQ(composed[job].job, packet[job].job);
    EXPECT_EQ(composed[job].fidelity, "composed");
    ASSERT_TRUE(composed[job].alone);
    EXPECT_GT(composed[job].time, *composed[job].alone);
    const double error = composed[job].time.seconds() / packet[job].time.seconds() - 1;
    EXPECT_LT(std::abs(error), 0.02) << composed[job].job;
    RecordProperty("error_ppm_" + composed[job].job, static_cast<int>(error * 1e6));
  }
}

// Without packet-hops for slices that settle, probes of both run side by side: once each, which is said.
TEST(ComposedJobsApart, WithoutABudgetAreSlowedAsFarAsProbesShow) {
  const auto steps = [](std::string_view fidelity) {
    const std::string one_layer = fmt::format("layers = 1\n{}", fidelity);
    return steps_of(network("rocev2") + copies_on("a", {0, 2}, one_layer) + copies_on("b", {1, 3}, one_layer));
  };
  const std::vector<results::StepRow> composed = steps("fidelity = \"composed\"\nslice_hops = 1000");
  const std::vector<results::StepRow> packet = steps(kPacket);
  ASSERT_EQ(composed.size(), 2U);
  for (std::size_t job = 0; job < 2; ++job) {
    ASSERT_TRUE(composed[job].alone && composed[job].interval);
    EXPECT_GT(composed[job].time, *composed[job].alone);
    const double error = composed[job].time.seconds() / packet[job].time.seconds() - 1;
    EXPECT_LT(std::abs(error), *composed[job].interval) << composed[job].job;
  }
}

TEST(ComposedJobsApart, OnLeavesOfTheirOwnTakeWhatTheyTakeAlone) {
  const auto job = [](std::string_view name, const std::vector<int>& hosts) {
    return copies_on(name, hosts, fmt::format("layers = 1\n{}", kComposed));
  };
  const std::vector<results::StepRow> rows = steps_of(network("rocev2") + job("a", {0, 1}) + job("b", {2, 3}));
  ASSERT_EQ(rows.size(), 2U);
  for (const results::StepRow& row : rows) {
    EXPECT_EQ(row.time, row.alone);
  }
}

TEST(ComposedJobsApart, AreRefusedWhereTheirSlicesMayNotSettle) {
  const std::string jobs = copies_on("a", {0, 2}, "fidelity = \"composed\"\nslice_hops = 0") +
                           copies_on("b", {1, 3}, "fidelity = \"composed\"");
  const auto scenario = scenario::parse_scenario(
      network("rocev2") + jobs, {.file = "test.toml", .case_name = {}, .settings = {}}, scenario::test_catalogue());
  ASSERT_TRUE(scenario) << scenario.error().message;
  NoSink sink;
  const auto simulation = Simulation::create(*scenario, sink);
  ASSERT_FALSE(simulation);
  EXPECT_THAT(simulation.error().message, HasSubstr("set slice_hops above 0"));
}

}  // namespace
}  // namespace weft::study::run
