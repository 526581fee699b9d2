// Point-to-point messages between rails that the network does not join: relayed by the GPU of the sender's host that is
// on the receiver's rail.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "study/run/composition_check.h"
#include "study/run/flow_run.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

constexpr std::uint64_t kSize = 4'000'000;
constexpr double kMostHops = 8'000'000;

/// Two hosts of two GPUs; ranks 0 and 1 are in the first. Each rail is a network of its own.
std::string flows_between(std::string_view from, std::string_view to, std::string_view more = "") {
  return fmt::format(R"(hardware = "equal"
[fabric]
family = "rocev2"
[topology]
kind = "rail-optimised"
hosts = 2
nics_per_host = 2
gpus_per_host = 2
spines = 0
[link]
rate = "100 Gbps"
[scale_up]
entry = "nvlink4"
[[job]]
name = "gpus"
gpus = 4
[[traffic]]
name = "message"
kind = "flows"
job = "gpus"
sources = ["{}"]
destinations = ["{}"]
size = "{} B"
{}
)",
                     from, to, kSize, more);
}

Result<scenario::Scenario> scenario_of(const std::string& text, std::vector<std::string> settings = {}) {
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = std::move(settings)},
                                  scenario::test_catalogue());
}

results::RunResults run_of(const std::string& text, world::Division division = world::Division::kWhereItPays) {
  results::RunResults results = results_of(scenario_of(text), division);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results;
}

Duration longest(const results::RunResults& results) {
  Duration longest;
  for (const results::MessageRow& message : results.messages) {
    EXPECT_EQ(message.record.status, verbs::WcStatus::kSuccess);
    longest = std::max(longest, message.record.finished - message.record.posted);
  }
  return longest;
}

std::uint64_t scale_up_bytes(const results::RunResults& results) {
  for (const results::TierRow& tier : results.tiers) {
    if (tier.name == "scale-up") {
      return static_cast<std::uint64_t>(tier.sent.count());
    }
  }
  return 0;
}

std::uint64_t sent_by(const results::RunResults& results, std::string_view port) {
  for (const results::PortRow& row : results.ports) {
    if (row.name == port) {
      return row.tx_bytes;
    }
  }
  return 0;
}

double ratio(Duration a, Duration b) { return a.seconds() / b.seconds(); }

TEST(Relay, AMessageTakesTheHopAndTheNetworkOneAfterTheOther) {
  const results::RunResults relayed = run_of(flows_between("rank0", "rank3"));
  ASSERT_EQ(relayed.messages.size(), 1U);
  const Duration network = longest(run_of(flows_between("rank1", "rank3")));
  const Duration hop = longest(run_of(flows_between("rank0", "rank1", "over = \"scale-up\"")));
  EXPECT_NEAR(ratio(longest(relayed), hop + network), 1, 0.002);
  EXPECT_NEAR(ratio(relayed.messages[0].ideal, longest(relayed)), 1, 0.01) << "an empty network";
}

TEST(Relay, BytesAreCountedOnTheLinksThatTheyPass) {
  const results::RunResults relayed = run_of(flows_between("rank0", "rank3"));
  EXPECT_GE(scale_up_bytes(relayed), kSize);
  EXPECT_LT(scale_up_bytes(relayed), 2 * kSize);
  EXPECT_GE(sent_by(relayed, "host0/nic1"), kSize) << "the rail of the receiver";
  EXPECT_LT(sent_by(relayed, "host0/nic0"), kSize / 100);
  const results::RunResults direct = run_of(flows_between("rank1", "rank3"));
  EXPECT_EQ(scale_up_bytes(direct), 0U);
  EXPECT_GE(sent_by(direct, "host0/nic1"), kSize);
}

TEST(Relay, TheOtherDirectionIsRelayedInTheOtherHost) {
  const results::RunResults back = run_of(flows_between("rank3", "rank0"));
  EXPECT_GE(scale_up_bytes(back), kSize);
  EXPECT_GE(sent_by(back, "host1/nic0"), kSize);
  EXPECT_LT(sent_by(back, "host1/nic1"), kSize / 100);
}

// The first message waits for its hop; the hops of the others lie below the network's time of those before them.
TEST(Relay, MessagesInFlightOverlapTheirHops) {
  const results::RunResults eight = run_of(flows_between("rank0", "rank3", "count = 8\ndepth = 8"));
  const results::RunResults direct = run_of(flows_between("rank1", "rank3", "count = 8\ndepth = 8"));
  const Duration hop = longest(run_of(flows_between("rank0", "rank1", "over = \"scale-up\"")));
  ASSERT_EQ(eight.messages.size(), 8U);
  const Duration all = eight.run.ended_at - Time::zero();
  EXPECT_NEAR(ratio(all, direct.run.ended_at - Time::zero() + hop), 1, 0.01);
  for (std::size_t i = 1; i < eight.messages.size(); ++i) {
    EXPECT_GE(eight.messages[i].record.finished, eight.messages[i - 1].record.finished) << "in order";
  }
}

TEST(Relay, EveryFamilyRelays) {
  for (const std::string_view family : {"infiniband", "uet", "iwarp", "tcp"}) {
    SCOPED_TRACE(family);
    std::string text = flows_between("rank0", "rank3");
    text.replace(text.find("rocev2"), 6, family);
    const results::RunResults results = run_of(text);
    EXPECT_EQ(results.messages.size(), 1U);
    EXPECT_GE(scale_up_bytes(results), kSize);
  }
}

TEST(Relay, IsTheSameHoweverTheWorldMayBeDivided) {
  const std::string text = flows_between("rank0", "rank3", "count = 8\ndepth = 2");
  const results::RunResults whole = run_of(text, world::Division::kNever);
  const results::RunResults parts = run_of(text, world::Division::kWhereverPossible);
  EXPECT_EQ(whole.messages, parts.messages);
  EXPECT_EQ(whole.ports, parts.ports);
}

TEST(Relay, TheFlowLevelHasTheHopToo) {
  const auto scenario = scenario_of(flows_between("rank0", "rank3"), {"fidelity=flow"});
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  const auto run = run_as_flows(*scenario, {});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->results.messages.size(), 1U);
  EXPECT_NEAR(ratio(longest(run->results), longest(run_of(flows_between("rank0", "rank3")))), 1, 0.01);
}

TEST(Relay, WithoutScaleUpLinksOrForReadsThereIsNone) {
  const auto refusal = [](const std::string& text) {
    const auto scenario = scenario_of(text);
    EXPECT_TRUE(scenario) << scenario::message_of(scenario);
    Collector collector;
    const auto simulation = Simulation::create(*scenario, collector);
    return simulation ? std::string() : simulation.error().message;
  };
  std::string text = flows_between("rank0", "rank3");
  EXPECT_EQ(refusal(text), "");
  const std::string apart = "no cable joins the networks of host0/nic0 and host1/nic1";
  EXPECT_THAT(refusal(flows_between("rank0", "rank3", "operation = \"read\"")), testing::HasSubstr(apart));
  const std::string links = "[scale_up]\nentry = \"nvlink4\"\n";
  text.erase(text.find(links), links.size());
  EXPECT_THAT(refusal(text), testing::HasSubstr(apart));
}

/// Four stages, the second in the first host and the third in the other: their GPUs are on different rails.
std::string pipeline(std::int64_t spines, std::string_view more = "") {
  return fmt::format(R"([fabric]
family = "rocev2"
[topology]
kind = "rail-optimised"
hosts = 2
nics_per_host = 2
gpus_per_host = 2
spines = {}
[scale_up]
entry = "nvlink4"
[[job]]
name = "llm"
model = "llama3-8b"
gpus = 4
layers = 4
global_batch = 4
pp = 4
{}
)",
                     spines, more);
}

TEST(Relay, APipelineCrossesRails) {
  const results::RunResults rails = run_of(pipeline(0, "fidelity = \"packet\""));
  const results::RunResults joined = run_of(pipeline(2, "fidelity = \"packet\""));
  ASSERT_EQ(rails.steps.size(), 1U);
  ASSERT_EQ(joined.steps.size(), 1U);
  EXPECT_GT(scale_up_bytes(rails), scale_up_bytes(joined));
  // A hop over links of some terabits a second, piece by piece, is nothing beside the network and the GPUs.
  EXPECT_NEAR(ratio(rails.steps[0].time, joined.steps[0].time), 1, 0.02);
}

TEST(Relay, AComposedStepIsThatOfEveryPacket) {
  const auto scenario = scenario_of(pipeline(0));
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  const Result<CompositionCheck> check = check_composition(*scenario, kMostHops, [] { return true; });
  ASSERT_TRUE(check) << check.error().message;
  ASSERT_TRUE(check->error) << check->what;
  EXPECT_LT(std::abs(*check->error), 0.02) << check->what;
}

}  // namespace
}  // namespace weft::study::run
