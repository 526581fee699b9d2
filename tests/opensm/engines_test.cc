// Every engine on every network against the real OpenSM, which runs on ibsim: the dumps of the forwarding tables.

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/test_paths.h"
#include "subnet/forwarding_dump.h"
#include "subnet/route_report.h"
#include "subnet/routing/engine.h"
#include "subnet/swept_subnet.h"
#include "subnet/topology_file.h"
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
};

OpensmRun run_opensm(const test::Network& network, std::string_view engine) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("weft_opensm_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::filesystem::path net = folder / "network.net";
  EXPECT_TRUE(write_file(net.string(), network.text));
  const std::string command =
      fmt::format("{}/../opensm/run_opensm {} {} {}{}", test_data_dir(), net.string(), (folder / "out").string(),
                  engine, network.lmc > 0 ? fmt::format(" -l {}", network.lmc) : "");
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  const std::string log = contents_of(folder / "out" / "osm.log");
  constexpr std::string_view kBefore = "osm_ucast_mgr_process: ";
  const std::size_t at = log.find(kBefore) + kBefore.size();
  OpensmRun run{.lfts = contents_of(folder / "out" / "opensm-lfts.dump"),
                .used = log.substr(at, log.find(' ', at) - at)};
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
         kind == EngineKind::kDfsssp || (kind == EngineKind::kDnup && network.is_tiered);
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

INSTANTIATE_TEST_SUITE_P(Opensm, EveryEngine, testing::ValuesIn([] {
                           std::vector<EngineKind> kinds;
                           for (const Engine& each : engines()) {
                             kinds.push_back(each.kind);
                           }
                           return kinds;
                         }()),
                         [](const auto& one) { return std::string(engine(one.param).name); });

}  // namespace
}  // namespace weft::subnet
