// Collectives where the network does not join the rails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "study/run/collective_run.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using workload::CollectiveAlgorithm;
using workload::CollectiveKind;

/// Hosts of four GPUs with a NIC each; a rail for each, and no spines.
CollectiveRun rail_only(CollectiveKind kind, CollectiveAlgorithm algorithm, std::int64_t hosts) {
  CollectiveRun run;
  run.kind = kind;
  run.algorithm = algorithm;
  run.ranks = 4 * hosts;
  run.gpus_per_host = run.rails = 4;
  run.profile = "ideal";
  run.payload = Payload::kBytes;
  // As little room as can be: it is per edge, and the sanitizer writes a shadow of all of it.
  run.settings = {"topology.spines=0", "collectives.buffer=1 MiB"};
  return run;
}

/// What is wrong: the error, or the first wrong number; empty: nothing.
std::string fault_of(const CollectiveRun& run) {
  const auto time = time_collective(run, 96_kib, scenario::test_catalogue());
  return time ? time->wrong : time.error().message;
}

/// Why the scenario `text`, in a file rails.toml, cannot be run; empty if it can.
std::string refusal_of(const std::string& text) {
  const auto scenario = scenario::parse_scenario(text, {.file = "rails.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  if (!scenario) {
    return scenario.error().message;
  }
  struct None final : workload::MessageSink {
    void on_message(const workload::MessageRecord&) override {}
  } none;
  const auto simulation = Simulation::create(*scenario, none);
  return simulation ? std::string() : simulation.error().message;
}

TEST(CollectiveReach, UnitsThatHaveNoRoomForTheirBytesAreRefused) {
  CollectiveRun run = rail_only(CollectiveKind::kAllGather, CollectiveAlgorithm::kRing, 2);
  run.settings.push_back("scale_up.unit=16 KiB");
  EXPECT_THAT(fault_of(run), HasSubstr("scale_up.unit: 16 KiB; a run that carries bytes has room for 9 KiB"));
  run.payload = Payload::kLengths;
  EXPECT_EQ(fault_of(run), "");
}

// Under the sanitizers a run takes a minute, so each is a test of its own.
struct RailCase {
  CollectiveKind kind;
  std::int64_t hosts;
};
class RailOnlyAutomatic : public ::testing::TestWithParam<RailCase> {};

TEST_P(RailOnlyAutomatic, KeepsToRailsAndGivesTheRightNumbers) {
  const auto [kind, hosts] = GetParam();
  CollectiveRun run = rail_only(kind, CollectiveAlgorithm::kAutomatic, hosts);
  if (kind == CollectiveKind::kBarrier || kind == CollectiveKind::kSend)
    run.payload = Payload::kLengths;
  EXPECT_EQ(fault_of(run), "");
}

// Half of the ranks send to the other half, so those are of an even number of hosts; broadcasts and reductions
// likewise.
INSTANTIATE_TEST_SUITE_P(
    Collectives, RailOnlyAutomatic,
    ::testing::Values(RailCase{CollectiveKind::kAllReduce, 2}, RailCase{CollectiveKind::kAllReduce, 3},
                      RailCase{CollectiveKind::kReduceScatter, 2}, RailCase{CollectiveKind::kReduceScatter, 3},
                      RailCase{CollectiveKind::kAllGather, 2}, RailCase{CollectiveKind::kAllGather, 3},
                      RailCase{CollectiveKind::kAllToAll, 2}, RailCase{CollectiveKind::kAllToAll, 3},
                      RailCase{CollectiveKind::kBarrier, 2}, RailCase{CollectiveKind::kBarrier, 3},
                      RailCase{CollectiveKind::kSend, 2}, RailCase{CollectiveKind::kBroadcast, 2},
                      RailCase{CollectiveKind::kReduce, 2}),
    [](const auto& test) {
      std::string name = std::string(to_string(test.param.kind)) + "_" + std::to_string(test.param.hosts);
      std::ranges::replace(name, '-', '_');
      return name;
    });

TEST(RailOnly, AnAllToAllBetweenRailsIsRelayedInTheDomain) {
  CollectiveRun run = rail_only(CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect, 2);
  EXPECT_EQ(fault_of(run), "");
  run.payload = Payload::kLengths;
  const auto direct = time_collective(run, 1_mib, scenario::test_catalogue());
  run.algorithm = CollectiveAlgorithm::kHierarchical;
  const auto relayed = time_collective(run, 1_mib, scenario::test_catalogue());
  ASSERT_TRUE(direct && relayed);
  EXPECT_EQ(direct->time, relayed->time);
}

TEST(RailOnly, WhatSendsFromRailToRailIsRefused) {
  EXPECT_THAT(fault_of(rail_only(CollectiveKind::kAllReduce, CollectiveAlgorithm::kDirect, 2)),
              HasSubstr("'direct' sends from rail to rail, but the network does not join the rails"));
  EXPECT_THAT(fault_of(rail_only(CollectiveKind::kAllReduce, CollectiveAlgorithm::kRing, 3)),
              HasSubstr("around an odd number of hosts"));
  EXPECT_EQ(fault_of(rail_only(CollectiveKind::kAllReduce, CollectiveAlgorithm::kRing, 2)), "");
  EXPECT_EQ(fault_of(rail_only(CollectiveKind::kAllReduce, CollectiveAlgorithm::kTree, 3)), "");
}

TEST(RailOnly, WithoutScaleUpLinksItIsRefusedWithItsPlaceInTheScenario) {
  CollectiveRun run = rail_only(CollectiveKind::kAllToAll, CollectiveAlgorithm::kDirect, 2);
  run.scale_up = "none";
  EXPECT_THAT(fault_of(run), HasSubstr("scale-up links do not connect all of them"));
  const std::string text = R"([fabric]
family = "infiniband"
[topology]
kind = "rail-optimised"
hosts = 4
nics_per_host = 2
gpus_per_host = 2
[[job]]
name = "gpus"
gpus = 8
[[traffic]]
name = "exchange"
kind = "collective"
collective = "all-to-all"
algorithm = "direct"
size = "1 MiB"
job = "gpus"
)";
  EXPECT_THAT(refusal_of(text), StartsWith("rails.toml:15:13: traffic 'exchange': "));
}

TEST(RailOnly, AJobWhoseGroupsAreNotJoinedIsRefusedWithItsPlace) {
  const std::string text = R"([fabric]
family = "infiniband"
[topology]
kind = "rail-optimised"
hosts = 2
nics_per_host = 2
gpus_per_host = 2
[[job]]
name = "training"
model = "megatron-1_7b"
layers = 2
tp = 4
)";
  EXPECT_THAT(refusal_of(text), StartsWith("rails.toml:9:8: job 'training': the NICs of the 4 ranks of group tp0"));
}

}  // namespace
}  // namespace weft::study::run
