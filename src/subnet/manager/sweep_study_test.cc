#include "subnet/manager/sweep_study.h"

#include <gtest/gtest.h>

#include "subnet/agent/managed_state.h"
#include "subnet/manager/test_swept.h"
#include "subnet/routing/engine.h"
#include "subnet/routing/stored_dumps.h"

namespace weft::subnet {
namespace {

PortPlace port_of(const Subnet& subnet, std::string_view node, PortNumber port) {
  const Result<NodeIndex> found = find_node(subnet, node);
  WEFT_ASSERT(found.has_value());
  return {.node = *found, .port = port};
}

SweepPlan plan_of(const Subnet& subnet) {
  const Result<PortPlace> manager = manager_port(subnet);
  WEFT_ASSERT(manager.has_value());
  return {.manager = *manager};
}

SweepStudy studied(const Subnet& subnet, const SweepPlan& plan) {
  Result<SweepStudy> study = study_sweeps(subnet, plan);
  WEFT_ASSERT(study.has_value());
  return *std::move(study);
}

TEST(SweepStudy, BringsUpNoFasterThanItsRequestsAllow) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  for (const std::uint32_t at_once : {1U, 4U, 16U}) {
    SweepPlan plan = plan_of(subnet);
    plan.options.smps.most_on_wire = at_once;
    const SweepStudy study = studied(subnet, plan);
    EXPECT_TRUE(study.is_routed);
    EXPECT_GE(study.bring_up.end - study.bring_up.begin, study.bound);
    EXPECT_LE(study.peak_on_wire, at_once);
    EXPECT_EQ(study.retried, 0);
  }
}

TEST(SweepStudy, ReadsSwitchInfoAloneInALightSweep) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  const SweepPlan plan = plan_of(subnet);
  const SweepStudy study = studied(subnet, plan);
  EXPECT_TRUE(study.light.is_light);
  EXPECT_EQ(study.light.total_requests(), 6);
  EXPECT_EQ(study.light.begin - study.bring_up.end, plan.options.sweep_interval);
}

// What OpenSM 3.3.23 asked and wrote when the same cable was pulled: two traps, a heavy sweep for each, five blocks.
TEST(SweepStudy, WritesTheBlocksThatOpensmWritesAfterACableFails) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  SweepPlan plan = plan_of(subnet);
  plan.failures = {{.name = "Leaf2[5]", .ports = {port_of(subnet, "Leaf2", 5)}}};
  const SweepStudy study = studied(subnet, plan);
  ASSERT_EQ(study.failures.size(), 1U);
  const FailureReport& failure = study.failures[0];
  EXPECT_EQ(failure.heavy_sweeps, 2);
  EXPECT_EQ(failure.blocks, 5);
  EXPECT_EQ(study.traps, 2);
  EXPECT_TRUE(failure.is_routed);
  ASSERT_TRUE(failure.noticed && failure.mended && failure.ended);
  EXPECT_GE(*failure.noticed, plan.signal + plan.options.mad_time);
  EXPECT_LT(*failure.noticed, *failure.mended);
  EXPECT_LE(*failure.mended, *failure.ended);
}

TEST(SweepStudy, RoutesAroundASpineThatIsGone) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  SweepPlan plan = plan_of(subnet);
  plan.failures = {{.name = "Spine1", .ports = {}}};
  for (PortNumber port = 1; port <= 4; ++port) {
    plan.failures[0].ports.push_back(port_of(subnet, "Spine1", port));
  }
  const SweepStudy study = studied(subnet, plan);
  EXPECT_TRUE(study.failures[0].is_routed);
  EXPECT_GT(study.failures[0].entries, 0);
}

TEST(SweepStudy, SaysThatTheManagersOwnLinkIsDown) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  SweepPlan plan = plan_of(subnet);
  plan.options.sweep_interval = Duration::seconds(1);
  plan.options.smps.timeout = Duration::milliseconds(10);
  plan.failures = {{.name = "H1", .ports = {plan.manager}}};
  const SweepStudy study = studied(subnet, plan);
  EXPECT_NE(study.failures[0].error.find("own port is down"), std::string::npos);
}

// Two hosts have no switch that would say so, and a light sweep asks none.
TEST(SweepStudy, GivesUpOnAFailureThatNobodyTells) {
  const Subnet subnet = parsed("Hca 1 \"H1\"\n[1] \"H2\"[1]\n\nHca 1 \"H2\"\n\n");
  SweepPlan plan = plan_of(subnet);
  plan.failures = {{.name = "H2", .ports = {port_of(subnet, "H2", 1)}}};
  const SweepStudy study = studied(subnet, plan);
  EXPECT_EQ(study.failures[0].heavy_sweeps, 0);
  EXPECT_FALSE(study.failures[0].noticed.has_value());
}

TEST(SweepStudy, GivesTheSameTimesAgain) {
  const Subnet subnet = parsed(stored("ring6.net"));
  const SweepStudy first = studied(subnet, plan_of(subnet));
  const SweepStudy second = studied(subnet, plan_of(subnet));
  EXPECT_EQ(first.bring_up.end, second.bring_up.end);
  EXPECT_EQ(first.events, second.events);
}

// VL15 has no flow control: what finds a full buffer is lost, and asked for again.
TEST(SweepStudy, RetriesWhatFoundAFullBuffer) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  SweepPlan plan = plan_of(subnet);
  plan.options.smps.most_on_wire = 64;
  plan.options.smps.timeout = Duration::milliseconds(1);
  plan.options.smps.retries = 50;
  plan.times.buffer = 4;
  const SweepStudy study = studied(subnet, plan);
  EXPECT_GT(study.overflowed, 0);
  EXPECT_GT(study.retried, 0);
  EXPECT_EQ(study.failed, 0);
  EXPECT_TRUE(study.is_routed);
}

/// Entries of switches that are there in both.
std::size_t different(const HeldTables& one, const HeldTables& other) {
  std::size_t count = 0;
  for (const auto& [guid, table] : one) {
    const ForwardingTable& peer = other.at(guid);
    for (std::size_t lid = 0; lid < std::min(table.size(), peer.size()); ++lid) {
      count += table[lid] != peer[lid] ? 1 : 0;
    }
  }
  return count;
}

// Of a cable that fails only what led over it moves; of one that returns all is made anew. Engines that know no tables
// but their own begin anew both times.
TEST(SweepStudy, KeepsEntriesThatStillBeginAShortestPathUntilACableReturns) {
  std::size_t kept = 0;
  for (const EngineKind kind :
       {EngineKind::kMinhop, EngineKind::kUpdn, EngineKind::kDnup, EngineKind::kDor, EngineKind::kSssp}) {
    Swept swept(parsed(fat_tree_text(4, 3, 3)), {.engine = kind});
    const auto pull = [&](ServedSubnet::Cable cable, std::size_t sweeps) {
      swept.world.set_cable(port_of(swept.subnet, "Leaf2", 5), cable, swept.world.now() + Duration::milliseconds(1));
      const std::size_t wanted = swept.manager().sweeps().size() + sweeps;
      swept.finish(wanted);
    };
    const HeldTables first = tables_of(swept.subnet, swept.world.served());
    pull(ServedSubnet::Cable::kUnplugged, 2);
    const HeldTables failed = tables_of(swept.subnet, swept.world.served());
    const ManagedState state = swept.state();
    const Result<ManagedRoutes> anew = route_subnet(state.swept.view, kind);
    ASSERT_TRUE(anew);
    HeldTables made;
    for (std::size_t i = 0; i < state.swept.view.switches.size(); ++i) {
      made.emplace(state.swept.view.switches[i].guid, anew->routes.tables[i]);
    }
    EXPECT_LE(different(first, failed), different(first, made)) << engine(kind).name;
    kept += different(failed, made);
    EXPECT_TRUE(is_routed_by(swept.subnet, swept.world.served(), {.engine = kind}, first)) << engine(kind).name;
    if (kind == EngineKind::kSssp) {
      EXPECT_EQ(different(failed, made), 0U);
    }
    // Both between two sweeps: the manager sees the same links again, and ports to be made active.
    const Time flap = swept.world.now() + Duration::milliseconds(1);
    swept.world.set_cable(port_of(swept.subnet, "Leaf1", 4), ServedSubnet::Cable::kUnplugged, flap);
    swept.world.set_cable(port_of(swept.subnet, "Leaf1", 4), ServedSubnet::Cable::kPlugged, flap);
    swept.finish(swept.manager().sweeps().size() + 2);
    EXPECT_EQ(different(made, tables_of(swept.subnet, swept.world.served())), 0U) << engine(kind).name;
    pull(ServedSubnet::Cable::kPlugged, 2);
    EXPECT_EQ(different(first, tables_of(swept.subnet, swept.world.served())), 0U) << engine(kind).name;
  }
  EXPECT_GT(kept, 0U);
}

SweepPlan two_failures(const Subnet& subnet, std::optional<Duration> between) {
  SweepPlan plan = plan_of(subnet);
  plan.failures = {{.name = "Leaf2[5]", .ports = {port_of(subnet, "Leaf2", 5)}},
                   {.name = "Leaf3[6]", .ports = {port_of(subnet, "Leaf3", 6)}}};
  if (between) {
    plan.failures[0].at = Duration::zero();
    plan.failures[1].at = *between;
  }
  return plan;
}

// OpenSM 3.3.23, with both cables pulled at once: discovery is done twice (48 NodeInfo, 108 PortInfo, 12 SwitchInfo,
// 108 P_KeyTable), PortStateChange of four switches is reset and six blocks are written; then a sweep for the traps
// that came again.
TEST(SweepStudy, DiscoversAnewWhenATrapComesMeanwhile) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  for (const std::int64_t microseconds : {0, 200}) {
    SweepPlan plan = two_failures(subnet, Duration::microseconds(microseconds));
    const SweepStudy study = studied(subnet, plan);
    ASSERT_EQ(study.failures.size(), 2U);
    for (const FailureReport& failure : study.failures) {
      EXPECT_TRUE(failure.is_routed);
      EXPECT_EQ(failure.blocks, 6) << microseconds;
      ASSERT_TRUE(failure.mended.has_value());
    }
    // One sweep mends both.
    EXPECT_EQ(*study.failures[0].mended - *study.failures[1].mended, Duration::microseconds(microseconds));
  }
}

// A trap that comes when discovery is over is for the next sweep: OpenSM writes five blocks in each of the two.
TEST(SweepStudy, SweepsAgainForATrapThatComesAfterDiscovery) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  SweepPlan alone = two_failures(subnet, std::nullopt);
  const FailureReport first = studied(subnet, alone).failures[0];
  SweepPlan plan = two_failures(subnet, *first.mended - alone.signal - Duration::microseconds(20));
  const SweepStudy study = studied(subnet, plan);
  ASSERT_EQ(study.failures.size(), 2U);
  // Its thread hears the traps between two answers.
  EXPECT_GE(*study.failures[0].mended, *first.mended);
  EXPECT_LE(*study.failures[0].mended, *first.mended + plan.options.mad_time * 3);
  EXPECT_EQ(study.failures[0].blocks, 5);
  EXPECT_EQ(study.failures[1].blocks, 5);
  EXPECT_TRUE(study.failures[1].is_routed);
  EXPECT_GT(*study.failures[1].noticed, plan.signal);
}

TEST(SweepStudy, TakesFailuresOneAfterAnotherThatAreFarApart) {
  const Subnet subnet = parsed(stored("fat_4x2x4.net"));
  const SweepStudy apart = studied(subnet, two_failures(subnet, Duration::seconds(60)));
  const SweepStudy waiting = studied(subnet, two_failures(subnet, std::nullopt));
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(apart.failures[i].mended, waiting.failures[i].mended);
    EXPECT_EQ(apart.failures[i].requests, waiting.failures[i].requests);
    EXPECT_EQ(apart.failures[i].heavy_sweeps, waiting.failures[i].heavy_sweeps);
  }
}

// What two OpenSMs asked: the later one 123 before it stands by, the first 127 until it hands over, and the later one
// 147 as the master.
TEST(SweepStudy, HandsOverToALaterManagerOfAHigherPriority) {
  const Subnet subnet = parsed(stored("ring6.net"));
  SweepPlan plan = plan_of(subnet);
  plan.later = LaterManager{.at = port_of(subnet, "H2", 1), .priority = 9};
  plan.failures = {{.name = "SW4[2]", .ports = {port_of(subnet, "SW4", 2)}}};
  const SweepStudy study = studied(subnet, plan);
  ASSERT_TRUE(study.later && study.later->stands_by && study.later->handed_over && study.later->up);
  EXPECT_LT(*study.later->stands_by, *study.later->handed_over);
  EXPECT_LT(*study.later->handed_over, *study.later->up);
  EXPECT_EQ(study.later->requests_before, 123);
  // Trap 144 comes twice, and the first master discovers twice before it hands over.
  EXPECT_EQ(study.later->requests_first, 127);
  EXPECT_EQ(study.later->requests, 147);
  EXPECT_EQ(study.later->blocks, 6);
  EXPECT_TRUE(study.later->is_routed);
  // The new master hears of the cable and mends it.
  EXPECT_TRUE(study.failures[0].is_routed);
  EXPECT_GT(study.failures[0].blocks, 0);
}

TEST(SweepStudy, KeepsItsMastershipBeforeALaterManagerOfTheSamePriority) {
  const Subnet subnet = parsed(stored("ring6.net"));
  SweepPlan plan = plan_of(subnet);
  plan.later = LaterManager{.at = port_of(subnet, "H2", 1), .priority = 0};
  const SweepStudy study = studied(subnet, plan);
  ASSERT_TRUE(study.later && study.later->stands_by);
  EXPECT_FALSE(study.later->handed_over.has_value());
}

// OpenSM tells each adapter the service level of its path to the manager, one PortInfo for each that has another than
// 0.
TEST(SweepStudy, TellsAdaptersTheServiceLevelTowardsTheManager) {
  for (const EngineKind kind : {EngineKind::kDfsssp, EngineKind::kLash, EngineKind::kMinhop}) {
    const Swept swept(parsed(stored("ring6.net")), {.engine = kind});
    const ManagedState state = swept.state();
    const Result<ManagedRoutes> routes = route_subnet(state.swept.view, kind);
    ASSERT_TRUE(routes);
    const Lid manager = state.swept.view[state.swept.view.manager].lid;
    std::uint64_t told = 0;
    for (const EndPort& end : state.swept.view.end_ports) {
      if (!end.is_switch()) {
        const std::uint8_t level = routes->routes.plan.lane(end.lid, manager);
        EXPECT_EQ(swept.world.served().port(end.place).info.sm_sl, level) << engine(kind).name;
        told += level == 0 ? 0 : 1;
      }
    }
    // 84 is what every engine without levels sets here.
    EXPECT_EQ(swept.asked(wire::kAttributePortInfo, wire::kMethodSet), 84 + told) << engine(kind).name;
    EXPECT_EQ(told > 0, kind == EngineKind::kDfsssp) << engine(kind).name;
  }
}

}  // namespace
}  // namespace weft::subnet
