// Runs over tables of a subnet manager in which links fail and return: until the manager has swept, packets are lost
// over the dead cable, and then they go around it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/file.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_resweeps.h"
#include "study/assembly/subnet_routes.h"
#include "study/assembly/subnet_test_tables.h"
#include "study/run/run_test_support.h"
#include "subnet/manager/sweep_study.h"
#include "subnet/routing/engine.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

/// One message between two leaves, for 700 us or so where nothing fails.
constexpr std::string_view kLeaves = R"([fabric]
family = "infiniband"
mtu = 4096
[topology]
kind = "leaf-spine"
hosts = 8
hosts_per_leaf = 4
spines = 4
[link]
rate = "100 Gbps"
[transport]
ack_timeout = 4
retry_count = 7
[[traffic]]
kind = "flows"
sources = ["host0"]
destinations = ["host5"]
size = "8 MB"
)";
constexpr Duration kTimeout = Duration::nanoseconds(4'096 * 16);

Result<scenario::Scenario> scenario_of(std::string_view text, const std::vector<std::string>& settings) {
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = settings},
                                  scenario::test_catalogue());
}

/// The cable of leaf0 that the flow takes.
std::string port_of_flow(const std::vector<std::string>& settings) {
  const auto scenario = scenario_of(kLeaves, settings);
  EXPECT_TRUE(scenario) << scenario::message_of(scenario);
  const fabric::Graph graph = *assembly::build_topology(*scenario);
  const Result<assembly::SubnetRoutes> routes = assembly::subnet_routes(*scenario, graph);
  EXPECT_TRUE(routes) << routes.error().message;
  return fmt::format("leaf0/port{}", routes->tables.next_hop(0, {.destination = EndpointId(5)})[0]);
}

std::string event(std::string_view at, std::string_view select, std::string_view action) {
  return fmt::format("[[event]]\nat = \"{}\"\nselect = \"{}\"\naction = \"{}\"\n", at, select, action);
}

const results::PortRow& port_of(const results::RunResults& results, std::string_view name) {
  return *std::ranges::find(results.ports, name, &results::PortRow::name);
}

std::vector<results::EventRow> resweeps_of(const results::RunResults& results) {
  std::vector<results::EventRow> rows;
  std::ranges::copy_if(results.events, std::back_inserter(rows),
                       [](const results::EventRow& row) { return row.kind == "resweep"; });
  return rows;
}

Time end_of_message(const results::RunResults& results) {
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  EXPECT_EQ(results.messages.at(0).record.status, verbs::WcStatus::kSuccess);
  return results.messages.at(0).record.finished;
}

// What is on its way at the failure is lost, and so are all retries before the tables are there; the first one after it
// arrives. A timeout lasts up to four times as long as it says.
TEST(ResweepRun, PacketsGoAroundAFailureFromTheResweepOnAndNotBefore) {
  for (const std::string engine : {"minhop", "updn", "ftree", "dfsssp", "lash", "nue"}) {
    const std::vector<std::string> common{"routing.engine=" + engine, "infiniband.vls=4"};
    const std::string port = port_of_flow(common);
    const Time whole = end_of_message(results_of(scenario_of(kLeaves, common)));
    for (const std::int64_t delay : {100, 300}) {
      std::vector<std::string> settings = common;
      settings.push_back(fmt::format("routing.reroute_delay={} us", delay));
      const results::RunResults results =
          results_of(scenario_of(std::string(kLeaves) + event("200 us", port, "fail"), settings));
      const std::string name = fmt::format("{} {}", engine, delay);
      const Duration lost = end_of_message(results) - whole;
      EXPECT_GE(lost, Duration::microseconds(delay)) << name;
      EXPECT_LE(lost, Duration::microseconds(delay) + 4 * kTimeout + 20_us) << name;
      EXPECT_GT(results.drops.link_down, 0U) << name;
      // Up to the failure, and no packet later.
      EXPECT_NEAR(static_cast<double>(port_of(results, port).tx_bytes) * 8 / 100e9, 200e-6, 6e-6) << name;
      const std::vector<results::EventRow> rows = resweeps_of(results);
      ASSERT_EQ(rows.size(), 1U) << name;
      EXPECT_EQ(rows[0].at, Time::zero() + 200_us + Duration::microseconds(delay)) << name;
      EXPECT_EQ(rows[0].place, engine == "ftree" ? "minhop" : engine) << rows[0].text;
      EXPECT_THAT(rows[0].text, HasSubstr("1 cable down: "));
    }
  }
}

TEST(ResweepRun, AfterTheReturnTheTablesAreThoseOfTheBeginning) {
  const std::vector<std::string> settings{"routing.engine=minhop", "routing.reroute_delay=50 us"};
  const std::string port = port_of_flow(settings);
  const auto scenario =
      scenario_of(std::string(kLeaves) + event("100 us", port, "fail") + event("300 us", port, "restore"), settings);
  ASSERT_TRUE(scenario) << scenario::message_of(scenario);
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector);
  ASSERT_TRUE(simulation) << simulation.error().message;
  collector.watch(**simulation);
  (void)(*simulation)->run([](const Progress&) { return true; });
  const auto* const fabric = (*simulation)->world().fabric().get_if<fabric::InfiniBandFabric>();
  const Result<assembly::SubnetRoutes> routes = assembly::subnet_routes(*scenario, fabric->graph());
  for (std::uint32_t ordinal = 0; ordinal < fabric->graph().switches(); ++ordinal) {
    for (std::uint32_t to = 0; to < fabric->graph().endpoints; ++to) {
      EXPECT_EQ(fabric->next_hops(ordinal, EndpointId(to))[0],
                routes->tables.next_hop(ordinal, {.destination = EndpointId(to)})[0]);
    }
  }
  const results::RunResults results = collector.finish(Simulation::End::kFinished, {.key = "key", .version = "test"});
  EXPECT_EQ(resweeps_of(results).size(), 2U);
  // It went by the cable before the failure, and again at the end.
  EXPECT_GT(static_cast<double>(port_of(results, port).tx_bytes) * 8 / 100e9, 250e-6);
}

TEST(ResweepRun, WhatIsSentToAHostThatIsCutOffFailsWhenItsRetriesAreUsedUp) {
  const results::RunResults results =
      results_of(scenario_of(std::string(kLeaves) + event("100 us", "host5/nic0", "fail"),
                             {"routing.engine=updn", "routing.reroute_delay=50 us"}));
  EXPECT_EQ(results.messages.at(0).record.status, verbs::WcStatus::kRetryExcErr);
  const std::vector<results::EventRow> rows = resweeps_of(results);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0].text, HasSubstr("14 of 56 paths lead nowhere"));
}

// Nobody mends them: the message waits for the cable, whatever the delay, and fails if its retries do not.
TEST(ResweepRun, TablesOfAFileStayAsTheyAre) {
  const std::string file =
      (std::filesystem::path(testing::TempDir()) / fmt::format("weft_resweep_{}.lfts", getpid())).string();
  const auto ruled = scenario_of(kLeaves, {});
  ASSERT_TRUE(ruled) << scenario::message_of(ruled);
  ASSERT_TRUE(write_file(file, assembly::dump_of_rule(*assembly::build_topology(*ruled), 0)));
  const std::vector<std::string> settings{"routing.engine=file", "routing.tables=" + file,
                                          "routing.reroute_delay=10 us"};
  const std::string port = port_of_flow(settings);
  const std::string failure = std::string(kLeaves) + event("200 us", port, "fail");
  const results::RunResults back = results_of(scenario_of(failure + event("500 us", port, "restore"), settings));
  EXPECT_GE(end_of_message(back) - end_of_message(results_of(scenario_of(kLeaves, settings))), 300_us);
  EXPECT_TRUE(resweeps_of(back).empty());
  EXPECT_EQ(results_of(scenario_of(failure, settings)).messages.at(0).record.status, verbs::WcStatus::kRetryExcErr);
  EXPECT_THAT(scenario::message_of(scenario_of(
                  std::string(kLeaves) + "[[failure]]\nkind = \"subnet-manager\"\nat = \"1 us\"\nduration = \"1 ms\"\n",
                  settings)),
              HasSubstr("tables of a file have no manager that could fail"));
  std::filesystem::remove(file);
}

constexpr std::string_view kRing = R"([fabric]
family = "infiniband"
mtu = 4096
[topology]
kind = "torus"
sizes = [6]
hosts_per_leaf = 1
[infiniband]
vls = 4
[link]
rate = "100 Gbps"
[routing]
policy = "lft"
reroute_delay = "100 us"
[transport]
ack_timeout = 4
[[traffic]]
kind = "permutation"
shift = 2
size = "6 MB"
)";

using Lanes = std::vector<std::uint8_t>;

/// The lane that carries most of what each host sends.
Lanes lanes_of_data(const results::RunResults& results) {
  Lanes lanes;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::vector<results::LaneRow>& own = port_of(results, fmt::format("host{}/nic0", i)).lanes;
    lanes.push_back(std::ranges::max_element(own, {}, &results::LaneRow::tx_bytes)->lane);
  }
  return lanes;
}

Lanes levels_of_flows(const fabric::PathLevels& levels) {
  Lanes lanes;
  for (std::uint32_t i = 0; i < 6; ++i) {
    lanes.push_back(levels.of({.source = EndpointId(i), .destination = EndpointId((i + 2) % 6)}));
  }
  return lanes;
}

// Queue pairs keep the lanes that they were told when they were connected; those of traffic that begins when the
// manager has swept have what it says then.
TEST(ResweepRun, QueuePairsKeepTheirServiceLevelAndLaterOnesHaveTheNew) {
  for (const std::string engine : {"dfsssp", "lash"}) {
    const std::vector<std::string> settings{"routing.engine=" + engine};
    const std::string failing = std::string(kRing) + event("150 us", "switch0/port1", "fail");
    const auto scenario = scenario_of(failing, settings);
    ASSERT_TRUE(scenario) << scenario::message_of(scenario);
    const fabric::Graph graph = *assembly::build_topology(*scenario);
    const fabric::PathLevels first = assembly::subnet_routes(*scenario, graph)->levels;
    fabric::Graph cut = graph;
    std::erase_if(cut.links,
                  [&](const fabric::Link& link) { return fabric::port_name(graph, link.a) == "switch0/port1"; });
    ASSERT_EQ(cut.links.size() + 1, graph.links.size());
    const fabric::PathLevels later = assembly::subnet_routes(*scenario, cut)->levels;
    EXPECT_NE(levels_of_flows(first), levels_of_flows(later)) << engine;
    const results::RunResults failed = results_of(scenario);
    EXPECT_EQ(failed.run.end, results::RunEnd::kFinished) << engine << " " << failed.run.error;
    EXPECT_EQ(lanes_of_data(failed), levels_of_flows(first)) << engine;
    const std::vector<results::EventRow> rows = resweeps_of(failed);
    ASSERT_EQ(rows.size(), 1U) << engine;
    EXPECT_THAT(rows[0].text, HasSubstr("service levels of connections to come"));
    std::vector<std::string> late = settings;
    late.emplace_back("traffic[0].start=1 ms");
    EXPECT_EQ(lanes_of_data(results_of(scenario_of(failing, late))), levels_of_flows(later)) << engine;
  }
}

// The tables are there when the manager of weft subnet sweep has written its last block for the same cable.
TEST(ResweepRun, TakesTheTimeOfTheManagersSweepIfThatIsSimulated) {
  for (const std::string engine : {"minhop", "updn", "ftree", "dfsssp"}) {
    const std::vector<std::string> common{"routing.engine=" + engine, "infiniband.vls=4", "transport.ack_timeout=8"};
    const std::string port = port_of_flow(common);
    std::vector<std::string> settings = common;
    settings.emplace_back("routing.reroute_delay=auto");
    settings.emplace_back("subnet.switch_sma_time=35 us");
    settings.emplace_back("subnet.hca_sma_time=15 us");
    const std::string failing = std::string(kLeaves) + event("200 us", port, "fail");
    const auto scenario = scenario_of(failing, settings);
    ASSERT_TRUE(scenario) << scenario::message_of(scenario);
    const results::RunResults results = results_of(scenario);
    const std::vector<results::EventRow> rows = resweeps_of(results);
    ASSERT_EQ(rows.size(), 1U) << engine;
    const fabric::Graph graph = *assembly::build_topology(*scenario);
    const Result<assembly::PlacedSubnet> placed = assembly::place_subnet(graph);
    ASSERT_TRUE(placed);
    const std::vector<subnet::SweptSubnet> swept = *assembly::swept_subnets(*placed, graph, 0);
    subnet::SweepPlan plan;
    plan.manager = swept.at(0).view[swept[0].view.manager].place;
    plan.options.engine = *subnet::engine_by_name(engine);
    plan.options.routing.lanes = 4;
    plan.options.qos = engine == "dfsssp";  // lanes
    plan.times.switch_agent = 35_us;
    plan.times.hca_agent = 15_us;
    plan.times.cable = assembly::longest_cable(graph);
    for (const fabric::Link& link : graph.links) {
      if (fabric::port_name(graph, link.a) == port || fabric::port_name(graph, link.b) == port) {
        plan.failures.push_back({.name = port, .ports = {assembly::place_of(link.a, graph, placed->places)}});
      }
    }
    const Result<subnet::SweepStudy> study = subnet::study_sweeps(swept[0].subnet, plan);
    ASSERT_TRUE(study) << study.error().message;
    ASSERT_EQ(study->failures.size(), 1U);
    ASSERT_TRUE(study->failures[0].mended.has_value());
    EXPECT_EQ(rows[0].at, Time::zero() + 200_us + *study->failures[0].mended) << engine;
    EXPECT_GT(*study->failures[0].mended, scenario->subnet.trap_time) << engine;
  }
}

// No manager learns that a cable is as fast as before.
TEST(ResweepRun, ACableThatWasOnlySlowerBringsNoSweep) {
  for (const std::string engine : {"minhop", "updn", "dnup", "dor"}) {
    const std::vector<std::string> settings{"routing.engine=" + engine, "routing.reroute_delay=auto",
                                            "transport.ack_timeout=8"};
    const std::string failing = std::string(kLeaves) + event("10 us", port_of_flow(settings), "fail");
    const std::string slower = failing + event("20 us", "leaf1/port7", "degrade") + "rate = \"50 Gbps\"\n" +
                               event("30 us", "leaf1/port7", "restore");
    const results::RunResults one = results_of(scenario_of(failing, settings));
    const results::RunResults both = results_of(scenario_of(slower, settings));
    EXPECT_EQ(one.run.end, results::RunEnd::kFinished) << one.run.error;
    EXPECT_EQ(both.run.end, results::RunEnd::kFinished) << both.run.error;
    ASSERT_FALSE(resweeps_of(one).empty());
    ASSERT_FALSE(resweeps_of(both).empty());
    EXPECT_EQ(resweeps_of(one).back().at, resweeps_of(both).back().at) << engine;
  }
}

TEST(ResweepRun, AManagerThatGoesAwayWithinItsSweepSweepsWhenItIsBack) {
  const std::vector<std::string> settings{"routing.engine=minhop", "routing.reroute_delay=auto",
                                          "transport.ack_timeout=8"};
  const std::string failing = std::string(kLeaves) + event("200 us", port_of_flow(settings), "fail");
  const std::string absent = failing + "[[failure]]\nkind = \"subnet-manager\"\nat = \"201 us\"\nduration = \"1 ms\"\n";
  const std::vector<results::EventRow> rows = resweeps_of(results_of(scenario_of(failing, settings)));
  const std::vector<results::EventRow> late = resweeps_of(results_of(scenario_of(absent, settings)));
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].at - rows[0].at, 1001_us);
}

TEST(ResweepRun, ATimeThatNoManagerTakesIsRefusedWithTheKey) {
  EXPECT_THAT(scenario::message_of(scenario_of(kLeaves, {"routing.reroute_delay=auto"})),
              HasSubstr("routing.reroute_delay"));
  const auto isolated = scenario_of(std::string(kLeaves) + event("200 us", "host0/nic0", "fail"),
                                    {"routing.engine=updn", "routing.reroute_delay=auto"});
  ASSERT_TRUE(isolated) << scenario::message_of(isolated);
  Collector collector;
  const auto simulation = Simulation::create(*isolated, collector);  // the manager's own cable
  ASSERT_FALSE(simulation);
  EXPECT_THAT(simulation.error().message, HasSubstr("\"auto\": of what happens at 200 us"));
}

}  // namespace
}  // namespace weft::study::run
