// What a simulated subnet manager is told of a scenario.
#include "study/assembly/manager_plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::assembly {
namespace {

constexpr std::string_view kTree =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 12\nhosts_per_leaf = 3\nspines = "
    "3\n[[traffic]]\nkind = \"permutation\"\n";

subnet::SweepPlan plan_of(const std::vector<std::string>& settings,
                          const scenario::Catalogue& catalogue = scenario::test_catalogue()) {
  const auto scenario =
      scenario::parse_scenario(kTree, {.file = "test.toml", .case_name = {}, .settings = settings}, catalogue);
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  const Result<fabric::Graph> graph = build_topology(*scenario);
  EXPECT_TRUE(graph.has_value());
  Result<subnet::SweepPlan> plan = manager_plan(*scenario, *graph);
  EXPECT_TRUE(plan) << plan.error().message;
  return std::move(*plan);
}

// A topology file has no scenario: `weft subnet sweep` then has what these structs begin with.
TEST(ManagerPlan, OfAScenarioThatSaysNothingIsThatOfATopologyFile) {
  for (const std::string device : {"quantum-2", "quantum-1", "sb7800"}) {
    const subnet::SweepPlan plan = plan_of({"fabric.switch=" + device});
    const subnet::SweepPlan usual;
    EXPECT_EQ(plan.options.engine, usual.options.engine);
    EXPECT_EQ(plan.options.smps.most_on_wire, usual.options.smps.most_on_wire);
    EXPECT_EQ(plan.options.smps.timeout, usual.options.smps.timeout);
    EXPECT_EQ(plan.options.smps.retries, usual.options.smps.retries);
    EXPECT_EQ(plan.options.sweep_interval, usual.options.sweep_interval);
    EXPECT_EQ(plan.options.mad_time, usual.options.mad_time);
    EXPECT_EQ(plan.options.entry_time, usual.options.entry_time);
    EXPECT_EQ(plan.times.switch_agent, usual.times.switch_agent);
    EXPECT_EQ(plan.times.hca_agent, usual.times.hca_agent);
    EXPECT_EQ(plan.times.pass, usual.times.pass);
    EXPECT_EQ(plan.times.forward, usual.times.forward);
    EXPECT_EQ(plan.times.buffer, usual.times.buffer);
    EXPECT_EQ(plan.signal, usual.signal);
  }
}

TEST(ManagerPlan, HasTheTimesOfTheCataloguesDevicesAndManager) {
  constexpr std::string_view kOwn = R"(
[switch.slow]
families = ["infiniband"]
switch.ports = { value = 64, mark = "guess", source = "a test" }
subnet.switch_sma_time = { value = "70 us", mark = "guess", source = "a test" }
subnet.pass_time = { value = "3 us", mark = "guess", source = "a test" }
[nic.slow]
families = ["infiniband"]
subnet.hca_sma_time = { value = "90 us", mark = "guess", source = "a test" }
[subnet_manager.slow]
subnet.manager_time = { value = "11 us", mark = "guess", source = "a test" }
subnet.route_time = { value = "13 ns", mark = "guess", source = "a test" }
)";
  const std::string folder = fmt::format("{}weft_manager_plan_{}", testing::TempDir(), getpid());  // tests run at once
  std::filesystem::create_directories(folder);
  ASSERT_TRUE(write_file(folder + "/own.toml", kOwn));
  const Result<scenario::Catalogue> catalogue = scenario::Catalogue::load(folder);
  ASSERT_TRUE(catalogue) << catalogue.error().message;
  const std::vector<std::string> devices{"fabric.switch=slow", "fabric.nic=slow", "subnet.manager=slow"};
  const subnet::SweepPlan plan = plan_of(devices, *catalogue);
  EXPECT_EQ(plan.times.switch_agent, Duration::microseconds(70));
  EXPECT_EQ(plan.times.pass, Duration::microseconds(3));
  EXPECT_EQ(plan.times.hca_agent, Duration::microseconds(90));
  EXPECT_EQ(plan.options.mad_time, Duration::microseconds(11));
  EXPECT_EQ(plan.options.entry_time, Duration::nanoseconds(13));
  std::vector<std::string> given = devices;
  given.emplace_back("subnet.hca_sma_time=5 us");
  EXPECT_EQ(plan_of(given, *catalogue).times.hca_agent, Duration::microseconds(5));
  std::filesystem::remove_all(folder);
}

TEST(ManagerPlan, HasTheScenariosEngineWithItsLanes) {
  const subnet::SweepPlan plan = plan_of({"routing.engine=lash", "infiniband.vls=4", "routing.lmc=1"});
  EXPECT_EQ(plan.options.engine, subnet::EngineKind::kLash);
  EXPECT_EQ(plan.options.routing.lanes, 4U);
  EXPECT_EQ(plan.options.lmc, 1);
  EXPECT_TRUE(plan.options.qos);
  EXPECT_FALSE(plan_of({"routing.engine=updn"}).options.qos);
}

}  // namespace
}  // namespace weft::study::assembly
