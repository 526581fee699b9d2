// Runs over the forwarding tables of a subnet manager: loads of cables, the same results by a file, and buffers that
// wait for each other.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/subnet_test_tables.h"
#include "study/run/path_study.h"
#include "study/run/run_test_support.h"
#include "subnet/route_report.h"
#include "subnet/swept_subnet.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kTree =
    "[fabric]\nfamily = \"infiniband\"\nmtu = 4096\n[topology]\nkind = \"fat-tree\"\ntiers = 3\nradix = "
    "4\n[[traffic]]\n"
    "kind = \"all-to-all\"\nsize = \"4 kB\"\n";

Result<scenario::Scenario> scenario_of(std::string_view text, const std::vector<std::string>& settings) {
  return scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = settings},
                                  scenario::test_catalogue());
}

/// Per egress port between switches, as reports name it, the routes that weft subnet counts.
std::map<std::string, std::uint64_t> counted_routes(const scenario::Scenario& scenario, std::string_view engine) {
  const fabric::Graph graph = *assembly::build_topology(scenario);
  const Result<subnet::SweptSubnet> swept =
      subnet::sweep(*assembly::build_subnet(graph), {.lmc = static_cast<std::uint8_t>(scenario.routing.lmc)});
  const Result<subnet::ManagedRoutes> routes =
      subnet::route_subnet(swept->view, *subnet::engine_by_name(engine), {.lanes = 8});
  EXPECT_TRUE(routes);
  std::map<std::string, std::uint64_t> counted;
  for (const subnet::CableLoad& load : subnet::report_routes(swept->view, routes->routes).cables) {
    const std::string& node = swept->subnet[swept->view[load.egress.at].node].id;
    counted[fmt::format("{}/port{}", node, load.egress.port - 1)] = load.routes;
  }
  return counted;
}

// Each pair exchanges a message of one packet in both directions, and each is acknowledged by one: a cable carries as
// many packets of data as routes, and as many acknowledgements.
TEST(ManagerRun, LoadsCablesAsItsEngineCounts) {
  for (const std::string engine : {"minhop", "updn", "dnup", "ftree", "dor", "lash", "sssp", "dfsssp", "nue"}) {
    const auto scenario = scenario_of(kTree, {"routing.engine=" + engine, "infiniband.vls=8"});
    ASSERT_TRUE(scenario) << scenario.error().message;
    const std::map<std::string, std::uint64_t> counted = counted_routes(*scenario, engine);
    const results::RunResults results = results_of(scenario);
    EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << engine;
    std::size_t cables = 0;
    for (const results::PortRow& port : results.ports) {
      if (const auto found = counted.find(port.name); found != counted.end()) {
        EXPECT_EQ(port.tx_packets, 2 * found->second) << engine << " " << port.name;
        ++cables;
      }
    }
    EXPECT_EQ(cables, counted.size()) << engine;
  }
}

TEST(ManagerRun, HasTheLoadsThatWeftPathsForesees) {
  const auto scenario = scenario_of(kTree, {"routing.engine=dor"});
  const std::map<std::string, std::uint64_t> counted = counted_routes(*scenario, "dor");
  const Result<results::PathReport> report = study_paths(*scenario, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->sets.size(), 1U);
  std::size_t cables = 0;
  for (const results::PathLink& link : report->sets.front().links) {
    EXPECT_EQ(link.flows, static_cast<double>(counted.at(link.port))) << link.port;
    ++cables;
  }
  EXPECT_EQ(cables, counted.size());
}

TEST(ManagerRun, WithTheTablesOfTheRuleIsThatOfTheRule) {
  const std::string file = (std::filesystem::path(testing::TempDir()) / "weft_rule.lfts").string();
  for (const std::string lmc : {"0", "1"}) {
    const std::vector<std::string> common{"routing.lmc=" + lmc, "traffic[0].size=40 kB", "traffic[0].queue_pairs=2"};
    const auto ruled = scenario_of(kTree, common);
    ASSERT_TRUE(ruled) << ruled.error().message;
    ASSERT_TRUE(write_file(file, assembly::dump_of_rule(*assembly::build_topology(*ruled),
                                                        static_cast<std::uint8_t>(ruled->routing.lmc))));
    std::vector<std::string> settings = common;
    settings.insert(settings.end(), {"routing.engine=file", "routing.tables=" + file});
    const results::RunResults by_rule = results_of(ruled);
    const results::RunResults by_file = results_of(scenario_of(kTree, settings));
    EXPECT_EQ(by_rule.run.ended_at, by_file.run.ended_at);
    EXPECT_EQ(by_rule.run.events, by_file.run.events);
    EXPECT_EQ(by_rule.messages, by_file.messages);
    EXPECT_EQ(by_rule.ports, by_file.ports);
    EXPECT_FALSE(by_rule.messages.empty());
  }
  std::filesystem::remove(file);
}

constexpr std::string_view kRing =
    "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"torus\"\nsizes = [6]\nhosts_per_leaf = "
    "2\n[infiniband]\nvls = "
    "2\nvl_buffer = \"16 KiB\"\n[routing]\npolicy = \"lft\"\n[transport]\nack_timeout = 8\nretry_count = "
    "1\n[[traffic]]\n"
    "kind = \"all-to-all\"\nsize = \"1 MB\"\n";

// Shortest paths around a ring close a cycle of buffers (weft subnet check finds it); lanes of dfsssp and lash do not,
// nor do the detours of nue, on one lane or more.
TEST(ManagerRun, IsStuckWhereTablesCloseACycleAndLanesDoNotBreakIt) {
  const results::RunResults stuck = results_of(scenario_of(kRing, {"routing.engine=minhop"}));
  EXPECT_EQ(stuck.run.end, results::RunEnd::kStuck);
  EXPECT_THAT(stuck.run.error, HasSubstr("deadlock"));
  for (const std::string engine : {"dfsssp", "lash"}) {
    const results::RunResults done = results_of(scenario_of(kRing, {"routing.engine=" + engine, "infiniband.vls=4"}));
    EXPECT_EQ(done.run.end, results::RunEnd::kFinished) << engine << ": " << done.run.error;
  }
  for (const std::string lanes : {"1", "2"}) {
    const results::RunResults done =
        results_of(scenario_of(kRing, {"routing.engine=nue", "routing.nue_max_num_vls=" + lanes}));
    EXPECT_EQ(done.run.end, results::RunEnd::kFinished) << lanes << " lanes: " << done.run.error;
  }
}

}  // namespace
}  // namespace weft::study::run
