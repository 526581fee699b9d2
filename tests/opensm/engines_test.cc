// Every engine on every network against the real OpenSM, which runs on ibsim: the dumps of the forwarding tables.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"
#include "tests/opensm/engine_kinds.h"
#include "tests/opensm/networks.h"

namespace weft::subnet {
namespace {

constexpr ReadLimit kLargestDump{.bytes = std::uint64_t{1} << 27};

std::string contents_of(const std::filesystem::path& file) {
  const Result<std::string> text = read_file(file.string(), kLargestDump);
  EXPECT_TRUE(text) << text.error().message;
  return text.value_or("");
}

struct OpensmRun {
  std::string lfts;
  std::string used;  // the engine by which the tables were made
  std::string log;
};

OpensmRun run_opensm(const test::Network& network, std::string_view engine, const std::string& options = {}) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_opensm_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::filesystem::path net = folder / "network.net";
  EXPECT_TRUE(write_file(net.string(), network.text));
  const std::string command =
      fmt::format("{}/../opensm/run_opensm {} {} {}{} {}", test_data_dir(), net.string(), (folder / "out").string(),
                  engine, network.lmc > 0 ? fmt::format(" -l {}", network.lmc) : "", options);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const std::string log = contents_of(folder / "out" / "osm.log");
  constexpr std::string_view kBefore = "osm_ucast_mgr_process: ";
  const std::size_t at = log.find(kBefore) + kBefore.size();
  OpensmRun run{.lfts = contents_of(folder / "out" / "opensm-lfts.dump"),
                .used = log.substr(at, log.find(' ', at) - at),
                .log = log};
  std::filesystem::remove_all(folder);
  return run;
}

SweptSubnet swept(const test::Network& network) {
  const Result<Subnet> parsed = parse_topology({.text = network.text, .name = network.name});
  EXPECT_TRUE(parsed) << parsed.error().message;
  Result<SweptSubnet> made = sweep(*parsed, {.lmc = network.lmc});
  EXPECT_TRUE(made) << made.error().message;
  return std::move(*made);
}

/// Entries of two tables that differ.
std::size_t differing(const ForwardingTables& a, const ForwardingTables& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t lid = 0; lid < a[i].size(); ++lid) {
      count += a[i][lid] != b[i][lid] ? 1 : 0;
    }
  }
  return count;
}

/// By their theory: paths that turn once between up and down, lanes without cycles.
bool closes_no_cycle(EngineKind kind, const test::Network& network) {
  return kind == EngineKind::kUpdn || kind == EngineKind::kFtree || kind == EngineKind::kLash ||
         kind == EngineKind::kDfsssp || kind == EngineKind::kNue || (kind == EngineKind::kDnup && network.is_tiered);
}

class EveryEngine : public testing::TestWithParam<EngineKind> {};

TEST_P(EveryEngine, HasTheForwardingTablesOfOpensm) {
  std::size_t compared = 0;
  for (const test::Network& network : test::networks()) {
    const OpensmRun theirs = run_opensm(network, engine(GetParam()).name);
    const SweptSubnet made = swept(network);
    const Result<ManagedRoutes> ours = route_subnet(made.view, GetParam());
    ASSERT_TRUE(ours) << network.name << ": " << ours.error().message;
    EXPECT_EQ(engine(ours->used).name, theirs.used) << network.name << ": " << ours->fallback;
    const Result<ForwardingTables> tables = parse_lfts({.text = theirs.lfts, .name = network.name}, made.view);
    ASSERT_TRUE(tables) << tables.error().message;
    const std::size_t entries = made.view.switches.size() * made.view.last_lid();
    EXPECT_EQ(differing(ours->routes.tables, *tables), 0U) << network.name << ": of " << entries;
    compared += entries;
    if (closes_no_cycle(ours->used, network)) {
      const RouteReport report = report_routes(made.view, ours->routes);
      EXPECT_FALSE(report.has_cycle()) << network.name;
      EXPECT_EQ(report.broken, 0U) << network.name;
    }
    EXPECT_TRUE(write_lfts(made.subnet, made.view, ours->routes.tables) == theirs.lfts) << network.name;
  }
  RecordProperty("entries", static_cast<int>(compared));
  EXPECT_GT(compared, 10'000U);
}

INSTANTIATE_TEST_SUITE_P(Opensm, EveryEngine, testing::ValuesIn(test::engine_kinds()), test::name_of_engine);

/// By base LID of adapters: the lanes among which nue says at the debug level that it divides them.
std::map<Lid, std::uint8_t> lanes_in(const std::string& log) {
  std::map<Lid, std::uint8_t> lanes;
  std::uint8_t lane = 0;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kFunction = "print_destination_distribution: ";
    constexpr std::string_view kLane = "destination lids (base lid) for vl ";
    const std::size_t at = line.find(kFunction);
    if (at == std::string::npos) {
      continue;
    }
    const std::string text = line.substr(at + kFunction.size());
    if (text.starts_with(kLane)) {
      lane = static_cast<std::uint8_t>(std::stoi(text.substr(kLane.size())));
    } else {
      lanes[static_cast<Lid>(std::stoi(text))] = lane;
    }
  }
  return lanes;
}

// With -Q and --nue_max_num_vls N: tables, and for networks whose log stays small the lanes, too.
TEST(Nue, HasTheTablesAndLanesOfOpensmOnSeveralLanes) {
  std::size_t compared = 0;
  std::map<std::string_view, std::size_t> said{
      {"backtracking worked for", 0}, {"unsolvable impass", 0}, {"found new shortcut", 0}};
  for (const test::Network& network : test::networks()) {
    const SweptSubnet made = swept(network);
    const bool with_log = made.view.switches.size() <= 10;
    for (const std::uint32_t lanes : {2U, 8U}) {
      SCOPED_TRACE(fmt::format("{}, {} lanes", network.name, lanes));
      const OpensmRun theirs =
          run_opensm(network, "nue", fmt::format("-Q --nue_max_num_vls {}{}", lanes, with_log ? " -D 0x4b" : ""));
      EXPECT_EQ(theirs.used, "nue");
      const Result<ManagedRoutes> ours = route_subnet(made.view, EngineKind::kNue, {.lanes = 8, .nue_lanes = lanes});
      ASSERT_TRUE(ours) << ours.error().message;
      EXPECT_EQ(ours->fallback, "");
      const Result<ForwardingTables> tables = parse_lfts({.text = theirs.lfts, .name = network.name}, made.view);
      ASSERT_TRUE(tables) << tables.error().message;
      EXPECT_EQ(differing(ours->routes.tables, *tables), 0U);
      compared += made.view.switches.size() * made.view.last_lid();
      const std::map<Lid, std::uint8_t> listed = with_log ? lanes_in(theirs.log) : std::map<Lid, std::uint8_t>();
      EXPECT_EQ(listed.empty(), !with_log);
      for (const auto& [lid, lane] : listed) {
        EXPECT_EQ(ours->routes.plan.lane(1, lid), lane) << lid;
      }
      const RouteReport report = report_routes(made.view, ours->routes);
      EXPECT_FALSE(report.has_cycle());
      EXPECT_EQ(report.broken, 0U);
      for (auto& [line, networks] : said) {
        networks += theirs.log.find(line) != std::string::npos ? 1 : 0;
      }
    }
  }
  for (const auto& [line, networks] : said) {  // all parts of the search were needed
    EXPECT_GT(networks, 0U) << line;
  }
  RecordProperty("entries", static_cast<int>(compared));
  EXPECT_GT(compared, 30'000U);
}

// A torus with missing cables on which OpenSM's own tables close a cycle: it took a shortcut and forgot what depends on
// it. What is compared is still what OpenSM gives.
TEST(Nue, ClosesACycleOfBuffersWhereOpensmDoes) {
  const test::Network network{.name = "nue_cycle",
                              .text = contents_of(std::filesystem::path(test_data_dir()) / "opensm" / "nue_cycle.net")};
  const OpensmRun theirs = run_opensm(network, "nue");
  EXPECT_NE(theirs.log.find("found new shortcut"), std::string::npos);
  const SweptSubnet made = swept(network);
  const Result<ManagedRoutes> ours = route_subnet(made.view, EngineKind::kNue);
  ASSERT_TRUE(ours) << ours.error().message;
  EXPECT_TRUE(write_lfts(made.subnet, made.view, ours->routes.tables) == theirs.lfts);
  EXPECT_TRUE(report_routes(made.view, ours->routes).has_cycle());
}

}  // namespace
}  // namespace weft::subnet
