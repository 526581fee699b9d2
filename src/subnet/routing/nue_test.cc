#include "subnet/routing/nue.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "subnet/route_report.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

TEST(RoutingNue, HasTheTablesOfOpensmOnAFatTree) {
  const StoredComparison compared = compare_with_stored("fat_4x2x4", EngineKind::kNue);
  EXPECT_EQ(compared.used, EngineKind::kNue);
  EXPECT_EQ(compared.ours, compared.opensm);
}

TEST(RoutingNue, HasTheTablesOfOpensmOnARing) {
  const StoredComparison compared = compare_with_stored("ring6", EngineKind::kNue);
  EXPECT_EQ(compared.used, EngineKind::kNue);
  EXPECT_EQ(compared.ours, compared.opensm);
}

// Six adapters at six switches in a ring, on three lanes: what OpenSM's log says with `--nue_max_num_vls 3`.
TEST(RoutingNue, DividesDestinationsAmongLanesInTurn) {
  const SweptSubnet made = swept(stored("ring6.net"));
  const Result<Routes> routes = route_nue(made.view, {.lanes = 8, .nue_lanes = 3});
  ASSERT_TRUE(routes);
  for (const auto& [lane, lids] : {std::pair{0, std::array{1, 10}}, {1, std::array{5, 11}}, {2, std::array{8, 12}}}) {
    for (const int to : lids) {
      for (const int from : {1, 5, 8, 10, 11, 12}) {
        EXPECT_EQ(routes->plan.lane(static_cast<Lid>(from), static_cast<Lid>(to)), lane);
      }
    }
  }
}

TEST(RoutingNue, NeedsNoPlanForOneLane) {
  const SweptSubnet made = swept(stored("ring6.net"));
  for (const EngineOptions& options : {EngineOptions{}, EngineOptions{.lanes = 1, .nue_lanes = 0}}) {
    const Result<Routes> routes = route_nue(made.view, options);
    ASSERT_TRUE(routes);
    EXPECT_TRUE(routes->plan.lanes.empty());
  }
}

// As OpenSM does: tests/opensm/ holds the tables against it. Two lanes have no cycle here.
TEST(RoutingNue, ClosesACycleAfterAShortcutAsOpensmDoes) {
  const SweptSubnet made = swept(stored("nue_cycle.net"));
  EXPECT_TRUE(report_routes(made.view, *route_nue(made.view, {})).has_cycle());
  EXPECT_FALSE(report_routes(made.view, *route_nue(made.view, {.nue_lanes = 2})).has_cycle());
}

/// Switches in a random tree with more cables, some of them parallel, and adapters at random ones.
std::string random_network(std::uint64_t seed) {
  RandomStream random(seed, "nue");
  const auto some = [&](std::uint64_t below) { return static_cast<std::size_t>(random.uniform(below)); };
  const std::size_t switches = 2 + some(14);
  std::vector<std::vector<std::pair<std::string, std::size_t>>> ports(switches);
  const auto join = [&](std::size_t a, std::size_t b) {
    ports[a].emplace_back(fmt::format("sw{}", b), ports[b].size() + 1);
    ports[b].emplace_back(fmt::format("sw{}", a), ports[a].size());
  };
  for (std::size_t i = 1; i < switches; ++i) {
    join(i, some(i));
  }
  for (std::size_t more = some(3 * switches); more > 0; --more) {
    if (const std::size_t a = some(switches), b = some(switches); a != b) {
      join(a, b);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < switches + some(2 * switches); ++i) {
    const std::size_t at = some(switches);
    ports[at].emplace_back(fmt::format("host{}", i), 1);
    text += fmt::format("Hca 1 \"host{}\"\n[1] \"sw{}\"[{}]\n\n", i, at, ports[at].size());
  }
  for (std::size_t i = 0; i < switches; ++i) {
    text += fmt::format("Switch {} \"sw{}\"\n", ports[i].size(), i);
    for (std::size_t port = 0; port < ports[i].size(); ++port) {
      text += fmt::format("[{}] \"{}\"[{}]\n", port + 1, ports[i][port].first, ports[i][port].second);
    }
    text += "\n";
  }
  return text;
}

// What nue is for: any network, any number of lanes. OpenSM's slip after shortcuts is in none of these networks.
TEST(RoutingNue, ReachesAllAndClosesNoCycleInRandomNetworks) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const SweptSubnet made = swept(random_network(seed), seed % 5 == 0 ? 1 : 0);
    const auto adapters = std::ranges::count(made.view.end_ports, NodeType::kChannelAdapter, &EndPort::type);
    for (const std::uint32_t lanes : {1U, 2U, 3U, 8U}) {
      SCOPED_TRACE(fmt::format("seed {}, {} lanes", seed, lanes));
      const Result<Routes> routes = route_nue(made.view, {.lanes = lanes, .nue_lanes = 0});
      ASSERT_TRUE(routes) << routes.error().message;
      const RouteReport report = report_routes(made.view, *routes);
      EXPECT_EQ(report.broken, 0U);
      EXPECT_EQ(report.routes, static_cast<std::uint64_t>(adapters * (adapters - 1)) << (2 * made.view.lmc));
      EXPECT_FALSE(report.has_cycle());
      EXPECT_LE(report.lanes.size(), lanes);
      for (std::size_t i = 0; i < made.view.switches.size(); ++i) {
        for (const RoutedSwitch& to : made.view.switches) {
          EXPECT_NE(routes->tables[i][to.lid], kNoRoute);
        }
      }
    }
  }
}

}  // namespace
}  // namespace weft::subnet
