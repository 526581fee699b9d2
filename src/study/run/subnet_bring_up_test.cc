#include "study/run/subnet_bring_up.h"

#include <gmock/gmock.h>

#include "study/run/flow_run.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

// The fat-tree of 4 leaves, 2 spines and 16 hosts for which OpenSM's requests were counted (docs/decisions/0070).
constexpr std::string_view kCold =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\nhosts_per_leaf = 4\nspines = "
    "2\n[routing]\nengine = \"minhop\"\n[subnet]\nstart = \"cold\"\n[[traffic]]\nkind = \"permutation\"\nsize = \"16 "
    "KiB\"\n";

Result<scenario::Scenario> scenario_of(const std::vector<std::string>& settings) {
  return scenario::parse_scenario(kCold, {.file = "test.toml", .case_name = {}, .settings = settings},
                                  scenario::test_catalogue());
}

results::RunResults finished(const std::vector<std::string>& settings = {}) {
  const auto scenario = scenario_of(settings);
  EXPECT_TRUE(scenario) << scenario.error().message;
  results::RunResults results = results_of(scenario);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished);
  return results;
}

std::string refused(const std::vector<std::string>& settings) {
  const auto scenario = scenario_of(settings);
  return scenario ? "" : scenario.error().message;
}

TEST(SubnetBringUp, TakesTheRequestsThatOpensmTakes) {
  const results::RunResults results = finished();
  ASSERT_TRUE(results.subnet);
  const results::SubnetRow& row = *results.subnet;
  EXPECT_EQ(row.error, "");
  EXPECT_EQ(row.engine, "minhop");
  EXPECT_EQ(row.subnets, 1U);
  EXPECT_EQ(row.switches, 6U);
  EXPECT_EQ(row.adapters, 16U);
  EXPECT_EQ(row.requests, 396U);
  EXPECT_EQ(row.blocks, 6U);
  EXPECT_EQ(row.retried, 0U);
  EXPECT_TRUE(row.as_routed);
  EXPECT_GT(row.discovery, Duration::zero());
  EXPECT_GT(row.tables, Duration::zero());
  EXPECT_LT(row.discovery + row.tables, row.bring_up);
  // The manager's thread takes 5 us for each answer, and four agents at once 20 us.
  EXPECT_GT(row.bring_up, Duration::microseconds(5) * 396);
}

TEST(SubnetBringUp, ChangesNothingOfTheRunThatFollows) {
  const results::RunResults cold = finished();
  const results::RunResults configured = finished({"subnet.start=configured"});
  EXPECT_FALSE(configured.subnet);
  EXPECT_EQ(cold.run.ended_at, configured.run.ended_at);
  EXPECT_EQ(cold.run.events, configured.run.events);
}

TEST(SubnetBringUp, HangsOnItsTimes) {
  const Duration usual = finished().subnet->bring_up;
  EXPECT_GT(finished({"subnet.smps_on_wire=1"}).subnet->bring_up, usual);
  EXPECT_LT(finished({"subnet.smps_on_wire=16"}).subnet->bring_up, usual);
  EXPECT_GT(finished({"subnet.switch_sma_time=100us", "subnet.hca_sma_time=100us"}).subnet->bring_up, 3 * usual);
  EXPECT_GT(finished({"subnet.manager_time=50us"}).subnet->bring_up, Duration::microseconds(50) * 396);
  EXPECT_GT(finished({"subnet.pass_time=5us"}).subnet->bring_up, usual);
  // 6 switches with an entry for each of 22 LIDs.
  const Duration routed = finished({"subnet.route_time=10us"}).subnet->bring_up - usual;
  EXPECT_NEAR(routed.seconds(), 6 * 22 * 9.9e-6, 6 * 9.9e-6);
}

// One request at a time: each waits for one agent, that of a switch or that of an adapter.
TEST(SubnetBringUp, WaitsForTheAgentsOfSwitchesAndOfAdaptersByTheirOwnTimes) {
  const auto bring_up = [](const std::vector<std::string>& slower) {
    std::vector<std::string> settings{"subnet.smps_on_wire=1"};
    settings.insert(settings.end(), slower.begin(), slower.end());
    return finished(settings).subnet->bring_up;
  };
  const Duration usual = bring_up({});
  const Duration of_switches = bring_up({"subnet.switch_sma_time=120us"}) - usual;
  const Duration of_adapters = bring_up({"subnet.hca_sma_time=120us"}) - usual;
  // Of an adapter: NodeInfo, NodeDescription, PortInfo, 2 P_Keys, LID, 2 states.
  EXPECT_EQ(of_adapters, Duration::microseconds(100) * (16 * 8));
  EXPECT_EQ(of_switches, Duration::microseconds(100) * (396 - 16 * 8));
}

TEST(SubnetBringUp, SendsAgainWhatANodeHasNoRoomFor) {
  const results::SubnetRow row =
      *finished({"subnet.buffer=16", "subnet.smps_on_wire=64", "subnet.timeout=1ms", "subnet.retries=20"}).subnet;
  EXPECT_GT(row.retried, 0U);
  EXPECT_EQ(row.failed, 0U);
  EXPECT_TRUE(row.as_routed);
}

TEST(SubnetBringUp, SetsLanesWhereItsEngineAssignsThem) {
  const results::SubnetRow row = *finished({"routing.engine=lash", "infiniband.vls=4"}).subnet;
  EXPECT_TRUE(row.as_routed);
  EXPECT_GT(row.requests, 396U);
}

TEST(SubnetBringUp, HasSeveralLidsForEachPort) {
  const results::SubnetRow row = *finished({"routing.lmc=2", "routing.engine=minhop"}).subnet;
  EXPECT_TRUE(row.as_routed);
  EXPECT_EQ(row.blocks, 12U) << "70 LIDs are two blocks of 64";
}

TEST(SubnetBringUp, IsTheSameAtTheFlowLevel) {
  const auto scenario = scenario_of({"fidelity=flow"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  const Result<FlowRun> flows = run_as_flows(*scenario, {});
  ASSERT_TRUE(flows) << flows.error().message;
  EXPECT_EQ(flows->results.subnet, finished().subnet);
}

TEST(SubnetBringUp, IsRefusedWhereThereIsNoManager) {
  EXPECT_THAT(refused({"fabric.family=rocev2", "subnet.start=cold"}), HasSubstr("InfiniBand's subnet manager"));
  EXPECT_FALSE(finished({"fabric.family=rocev2"}).subnet) << "a family nearer to the command line leaves it out";
  EXPECT_THAT(refused({"routing.engine=d-mod-k"}), HasSubstr("set routing.engine, to \"ftree\""));
  EXPECT_THAT(refused({"routing.engine=file", "routing.tables=x.lfts"}), HasSubstr("name an engine"));
  EXPECT_THAT(refused({"subnet.smps_on_wire=0"}), HasSubstr("subnet.smps_on_wire"));
  EXPECT_THAT(refused({"subnet.manager=opensn"}), HasSubstr("opensm"));
}

}  // namespace
}  // namespace weft::study::run
