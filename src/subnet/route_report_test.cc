#include "subnet/route_report.h"

#include <gtest/gtest.h>

#include <set>

#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

RouteReport report_of(const SweptSubnet& made, EngineKind kind) {
  return report_routes(made.view, route_subnet(made.view, kind)->routes);
}

// 16 adapters, 4 at each leaf: 3 of 15 others are at the same leaf, the rest two cables away.
TEST(RouteReport, CountsRoutesAndHopsOfATree) {
  const SweptSubnet made = swept(stored("fat_4x2x4.net"));
  for (const Engine& each : engines()) {
    const RouteReport report = report_of(made, each.kind);
    EXPECT_EQ(report.routes, 16U * 15U) << each.name;
    EXPECT_EQ(report.broken, 0U) << each.name;
    EXPECT_EQ(report.hops, 16U * 12U * 2U) << each.name;
    EXPECT_EQ(report.longest, 2U) << each.name;
    EXPECT_FALSE(report.has_cycle()) << each.name;
    std::uint64_t on_cables = 0;
    for (const CableLoad& cable : report.cables) {
      on_cables += cable.routes;
    }
    EXPECT_EQ(report.cables.size(), 16U);
    EXPECT_EQ(on_cables, report.hops) << each.name;
  }
}

// Around a ring of six switches shortest paths of two and three cables close the cycle in both directions.
TEST(RouteReport, FindsTheCycleOfARing) {
  const SweptSubnet made = swept(stored("ring6.net"));
  const RouteReport report = report_of(made, EngineKind::kMinhop);
  ASSERT_TRUE(report.has_cycle());
  const std::vector<Egress>& cycle = report.lanes.front().cycle;
  EXPECT_EQ(cycle.size(), 6U);
  std::set<std::uint32_t> switches;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    switches.insert(cycle[i].at.value());
    EXPECT_EQ(made.view[cycle[i].at].ports[cycle[i].port].to_switch, cycle[(i + 1) % 6].at);
  }
  EXPECT_EQ(switches.size(), 6U);
}

TEST(RouteReport, FindsNoCycleWhereLanesBreakIt) {
  const SweptSubnet made = swept(stored("ring6.net"));
  for (const EngineKind kind : {EngineKind::kDfsssp, EngineKind::kLash}) {
    const RouteReport report = report_of(made, kind);
    EXPECT_FALSE(report.has_cycle()) << engine(kind).name;
    EXPECT_GE(report.lanes.size(), 2U) << engine(kind).name;
  }
}

TEST(RouteReport, FindsNoCycleWherePathsAvoidItOnOneLane) {
  const SweptSubnet made = swept(stored("ring6.net"));
  const RouteReport report = report_of(made, EngineKind::kNue);
  EXPECT_FALSE(report.has_cycle());
  EXPECT_EQ(report.lanes.size(), 1U);
}

TEST(RouteReport, TellsBrokenRoutesAndLoops) {
  const SweptSubnet made = swept(stored("ring6.net"));
  ManagedRoutes managed_routes = *route_subnet(made.view, EngineKind::kMinhop);
  ForwardingTables& tables = managed_routes.routes.tables;
  const EndPort& target = made.view[made.view.by_lid[1]];
  std::size_t other = 0;
  while (made.view.switch_at(other) == target.at) {
    ++other;
  }
  const EndPortIndex neighbour = made.view.switches[other].ports[1].to_end_port;
  const RouteEnds ends{.from = made.view[neighbour].lid, .to = 1};
  ASSERT_TRUE(trace_route(made.view, tables, ends));
  tables[other][1] = kNoRoute;
  const Result<std::vector<Egress>> none = trace_route(made.view, tables, ends);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message, fmt::format("no route from LID {} to LID 1: the switch with LID {} has none",
                                              ends.from, made.view.switches[other].lid));
  EXPECT_GE(report_routes(made.view, managed_routes.routes).broken, 1U);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    tables[i][1] = 2;  // to the next switch of the ring, everywhere
  }
  const Result<std::vector<Egress>> loop = trace_route(made.view, tables, ends);
  ASSERT_FALSE(loop);
  EXPECT_EQ(loop.error().message, fmt::format("the route from LID {} to LID 1 goes round in a loop", ends.from));
}

}  // namespace
}  // namespace weft::subnet
