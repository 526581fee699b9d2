#include "study/assembly/build_paths.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/scenario/apply.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

using host::Confidence;
using host::HostPathSide;
using ::testing::HasSubstr;

scenario::Scenario with(const std::vector<std::string>& settings) {
  auto scenario = scenario::scenario_with("", {.file = "", .case_name = {}, .settings = settings});
  EXPECT_EQ(scenario::message_of(scenario), "no error");
  return *scenario;
}

constexpr Bytes kSmall(64);

/// A small message through both hosts, without the network between them.
Duration verbs_time(const scenario::Scenario& scenario) {
  const PathSource source{scenario, scenario.devices};
  host::HostResources shared(host_options(source));
  const host::RdmaPath path(rdma_path_options(source, {}), {.host = shared, .slot = shared.add_nic()});
  const host::MessageShape shape{.size = kSmall, .packet = Bytes(4096), .opcode = verbs::WrOpcode::kRdmaWriteWithImm};
  return path.idle_stages(HostPathSide::kSend, shape).sum() + path.idle_stages(HostPathSide::kReceive, shape).sum();
}

Duration sockets_time(const scenario::Scenario& scenario) {
  const PathSource source{scenario, scenario.devices};
  host::HostResources shared(host_options(source));
  const host::SocketPath path(socket_path_options(source), {.host = shared});
  const host::MessageShape shape{.size = kSmall, .packet = Bytes(1448), .opcode = verbs::WrOpcode::kSend};
  return path.idle_stages(HostPathSide::kSend, shape).sum() + path.idle_stages(HostPathSide::kReceive, shape).sum();
}

TEST(BuildPaths, TheUsualHostHasNoStages) {
  EXPECT_EQ(with({}).devices.host.model, scenario::HostModel::kNicDelays);
  EXPECT_EQ(with({"host.profile=modern"}).devices.host.model, scenario::HostModel::kStages);
}

// Component budgets with one switch: InfiniBand 1.0 to 1.6 us, RoCE 1.4 to 2.5, of which cable, serialisation and
// switch are at least 0.18 (0.55 on Ethernet) and at most 0.45 (1.15).
TEST(BuildPaths, ModernHostsTakeWhatComponentBudgetsSay) {
  const Duration infiniband = verbs_time(with({"fabric.family=infiniband", "host.profile=modern"}));
  EXPECT_GT(infiniband, 1000_ns - 450_ns);
  EXPECT_LT(infiniband, 1600_ns - 180_ns);
  const Duration roce = verbs_time(with({"host.profile=modern"}));
  EXPECT_GT(roce, 1400_ns - 1150_ns);
  EXPECT_LT(roce, 2500_ns - 550_ns);
  EXPECT_LT(infiniband, roce);
}

TEST(BuildPaths, ModernSocketsTakeTensOfMicrosecondsAndLessWithBusyPolling) {
  const Duration blocking = sockets_time(with({"host.profile=modern"}));
  EXPECT_GT(blocking, 25_us);
  EXPECT_LT(blocking, 49_us);
  const Duration polling = sockets_time(with({"host.profile=modern", "sockets.busy_poll=true"}));
  EXPECT_GT(polling, 7_us);
  EXPECT_LT(polling, 12_us);
}

TEST(BuildPaths, QuotedFiguresAreReachedByMarkedStages) {
  const scenario::Scenario quoted = with({"fabric.family=infiniband", "host.profile=as-quoted"});
  EXPECT_GT(verbs_time(quoted), 1500_ns);
  EXPECT_LT(verbs_time(quoted), 2000_ns);
  EXPECT_GT(sockets_time(quoted), 47_us);
  EXPECT_LT(sockets_time(quoted), 50_us);
  const scenario::Scenario roce = with({"host.profile=as-quoted-roce"});
  EXPECT_GT(verbs_time(roce), 3800_ns);
  EXPECT_LT(verbs_time(roce), 4800_ns);
  EXPECT_EQ(stage_confidence(quoted, "host.software_latency"), Confidence::kCalibrated);
  EXPECT_EQ(stage_confidence(quoted, "sockets.moderation"), Confidence::kCalibrated);
}

TEST(BuildPaths, MarksAreThoseOfTheCatalogueOrOfTheScenario) {
  const scenario::Scenario scenario = with({"host.profile=modern", "host.wakeup_latency=5us"});
  EXPECT_EQ(stage_confidence(scenario, "nic.tx_latency"), Confidence::kGuess);
  EXPECT_EQ(stage_confidence(scenario, "sockets.copy_rate"), Confidence::kMeasured);
  EXPECT_EQ(stage_confidence(scenario, "host.wakeup_latency"), Confidence::kGiven);
  EXPECT_EQ(socket_path_options({scenario, scenario.devices}).wake_up.mark, Confidence::kGiven);
}

TEST(BuildPaths, GenerationsOfPcieCarryWhatSystemsReach) {
  const auto gigabytes = [](const char* generation) {
    const scenario::Scenario scenario = with({"host.profile=modern", std::string("host.pcie=") + generation});
    const host::HostOptions options = host_options({scenario, scenario.devices});
    return static_cast<double>(host::write_rate(options.nic_slot).bits_per_second()) / 8e9;
  };
  EXPECT_NEAR(gigabytes("gen3"), 12.5, 0.5);
  EXPECT_NEAR(gigabytes("gen4"), 25, 1);
  EXPECT_NEAR(gigabytes("gen5"), 53, 3);
  EXPECT_NEAR(gigabytes("gen6"), 105, 1);
}

TEST(BuildPaths, AProfileNamesItsGenerationAndAScenarioMayChangeIt) {
  EXPECT_EQ(with({"host.profile=sigcomm15-40g"}).devices.host.pcie, "gen3");
  const scenario::Scenario changed = with({"host.profile=sigcomm15-40g", "host.pcie=gen4"});
  EXPECT_EQ(changed.devices.host.pcie_lane_rate, with({"host.pcie=gen4"}).devices.host.pcie_lane_rate);
  EXPECT_EQ(changed.devices.host.pcie_lanes, 8);
}

TEST(BuildPaths, OnlyIwarpHasAnOffloadPipeline) {
  const std::vector<std::string> iwarp = {"fabric.family=iwarp", "fabric.nic=chelsio-t6", "host.profile=modern"};
  const scenario::Scenario scenario = with(iwarp);
  EXPECT_EQ(rdma_path_options({scenario, scenario.devices}, {}).offload.latency, 500_ns);
  const scenario::Scenario roce = with({"host.profile=modern", "nic.offload_latency=500ns"});
  EXPECT_EQ(rdma_path_options({roce, roce.devices}, {}).offload.latency, Duration::zero());
}

TEST(BuildPaths, EqualHardwareHasTheSameHostForEveryFamily) {
  const auto time = [](const char* family) {
    return verbs_time(with({std::string("fabric.family=") + family, "hardware=equal", "host.profile=modern"}));
  };
  EXPECT_EQ(time("infiniband"), time("rocev2"));
  EXPECT_EQ(time("rocev1"), time("rocev2"));
}

TEST(BuildPaths, AnOverrideChangesHostsButChoosesNoEntry) {
  const auto refused = scenario::scenario_with("[[override]]\nselect = \"host0/*\"\nhost.profile = \"modern\"\n", {});
  EXPECT_THAT(scenario::message_of(refused), HasSubstr("host.profile: is set for all devices"));
  const auto taken = scenario::scenario_with(
      "[host]\nprofile = \"modern\"\n[[override]]\nselect = \"host0/*\"\nhost.gpu_attachment = "
      "\"other-root-complex\"\n",
      {});
  EXPECT_EQ(scenario::message_of(taken), "no error");
}

TEST(BuildPaths, RdmaNicsCutThroughAtTheRateOfTheirWireUnlessToldNotToAndThoseOfIwarpNever) {
  const auto cut_through = [](const std::vector<std::string>& settings) {
    const scenario::Scenario scenario = with(settings);
    return rdma_path_options({scenario, scenario.devices}, {.line = 40_gbps}).cut_through;
  };
  EXPECT_EQ(cut_through({"host.profile=modern"}), 40_gbps);
  EXPECT_EQ(cut_through({"host.profile=modern", "fabric.family=infiniband"}), 40_gbps);
  EXPECT_EQ(cut_through({"host.profile=modern", "nic.cut_through=false"}), std::nullopt);
  EXPECT_EQ(cut_through({"host.profile=modern", "fabric.family=iwarp"}), std::nullopt);
  EXPECT_EQ(cut_through({"host.profile=modern", "fabric.family=iwarp", "nic.cut_through=true"}), std::nullopt);
}

}  // namespace
}  // namespace weft::study::assembly
