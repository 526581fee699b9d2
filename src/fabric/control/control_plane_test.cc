#include "fabric/control/control_plane.h"

#include <gtest/gtest.h>

#include "base/stable_hash.h"
#include "fabric/control/as_numbers.h"
#include "fabric/control/control_test_network.h"
#include "fabric/fabric.h"
#include "fabric/topology/fat_tree.h"
#include "fabric/topology/graph_builder.h"
#include "fabric/topology/leaf_spine.h"

namespace weft::fabric {
namespace {

using control_test::kCableDelay;
using control_test::link_between;
using control_test::Network;

constexpr std::uint32_t kLeaves = 8;
constexpr Time kFailure = Time::from_picoseconds(20'000'000'000'000);  // 20 s

Graph leaf_spine(std::uint32_t spines = 4) {
  return *build_graph(LeafSpineOptions{.leaves = kLeaves, .spines = spines, .hosts_per_leaf = 1});
}

LinkEvent event_of(LinkIndex link, LinkEvent::Kind kind, Time at) {
  LinkEvent event;
  event.at = at;
  event.link = link;
  event.kind = kind;
  return event;
}

std::vector<LinkEvent> failure_of(const Graph& graph, const std::string& a, const std::string& b, Time at = kFailure) {
  return {event_of(link_between(graph, a, b), LinkEvent::Kind::kFail, at)};
}

/// No MRAI, no LLDP; what a test sets is what counts.
ControlOptions plain() {
  ControlOptions options;
  options.signal_delay = 2_ms;
  options.processing_time = 100_us;
  options.fib_time = 30_us;
  options.local_repair = false;
  options.has_lldp = false;
  return options;
}

TEST(ControlPlane, BeginsWithTheRoutesOfShortestPaths) {
  for (const AsNumbering numbering : {AsNumbering::kClos, AsNumbering::kSwitch}) {
    ControlOptions options = plain();
    options.as_numbering = numbering;
    EXPECT_EQ(Network(leaf_spine(), options).compare_with_shortest_paths(), "");
    EXPECT_EQ(Network(*build_graph(FatTreeOptions{.radix = 4}), options).compare_with_shortest_paths(), "");
  }
}

TEST(ControlPlane, ComesUpFromNothingWithTheSameRoutes) {
  for (const AsNumbering numbering : {AsNumbering::kClos, AsNumbering::kSwitch}) {
    ControlOptions options = plain();
    options.start = ControlStart::kCold;
    options.as_numbering = numbering;
    Network network(*build_graph(FatTreeOptions{.radix = 4}), options);
    network.run(Time::zero() + 5_s);
    EXPECT_EQ(network.compare_with_shortest_paths(), "");
    EXPECT_TRUE(network.plane->is_quiet());
    const ControlSummary sum = network.plane->summary();
    EXPECT_EQ(sum.established_ends, 2 * sum.sessions);
    ASSERT_EQ(network.plane->events().size(), 1U);
    EXPECT_EQ(network.plane->events()[0].last_write, network.last_write);
  }
}

TEST(ControlPlane, StaysQuietWithoutFailures) {
  ControlOptions options = plain();
  options.has_bfd = true;
  Network network(leaf_spine(), options);
  network.run(Time::zero() + 60_s);
  const ControlSummary sum = network.plane->summary();
  EXPECT_EQ(sum.updates, 0U);
  EXPECT_EQ(sum.fib_writes, 0U);
  EXPECT_EQ(sum.established_ends, 2 * sum.sessions);
  for (const std::uint64_t ends : sum.session_ends) {
    EXPECT_EQ(ends, 0U);
  }
}

// In a leaf-spine without MRAI the last entry is that of a leaf which the spine's withdrawal reaches, or the last that
// the leaf at the dead cable itself writes.
TEST(ControlPlane, ConvergesAfterLossOfSignalAsItsParts) {
  for (const FibUnit unit : {FibUnit::kPrefix, FibUnit::kGroup}) {
    ControlOptions options = plain();
    options.fib_unit = unit;
    const Graph graph = leaf_spine();
    Network network(graph, options, failure_of(graph, "leaf0", "spine0"));
    network.run(kFailure + 1_s);
    const Duration far = options.signal_delay + kCableDelay + options.processing_time + options.fib_time;
    const Duration near =
        options.signal_delay + options.fib_time * (unit == FibUnit::kPrefix ? std::int64_t{kLeaves - 1} : 1);
    ASSERT_EQ(network.plane->events().size(), 1U);
    const ControlEventRecord& event = network.plane->events()[0];
    EXPECT_EQ(event.noticed, kFailure + options.signal_delay);
    EXPECT_EQ(event.last_write, kFailure + std::max(far, near));
    EXPECT_EQ(network.compare_with_shortest_paths(Network::Of::kLeaves), "");
    // Other leaves lose what they send to leaf 0 by spine 0 until they know.
    EXPECT_EQ(network.plane->monitor().outage(0, network.now).black_hole, far);
    // The leaf's own entries become right one after another.
    EXPECT_LE(network.plane->monitor().outage(1, network.now).black_hole, near);
    EXPECT_GE(network.plane->monitor().outage(1, network.now).black_hole, options.signal_delay + options.fib_time);
  }
}

TEST(ControlPlane, LocalRepairEndsTheBlackHoleAtTheDeadCableAtOnce) {
  ControlOptions options = plain();
  options.local_repair = true;
  const Graph graph = leaf_spine();
  Network network(graph, options, failure_of(graph, "leaf0", "spine0"));
  network.run(kFailure + 1_s);
  for (const PrefixId prefix : {1, 4, 7}) {
    EXPECT_EQ(network.plane->monitor().outage(prefix, network.now).black_hole, options.signal_delay);
  }
  // What the spine cannot repair, the others must learn.
  EXPECT_EQ(network.plane->monitor().outage(0, network.now).black_hole,
            options.signal_delay + kCableDelay + options.processing_time + options.fib_time);
}

TEST(ControlPlane, BfdNoticesAFailureWithinItsDetectionTime) {
  for (const std::uint8_t multiplier : {2, 3, 5}) {
    ControlOptions options = plain();
    options.has_signal = false;
    options.has_bfd = true;
    options.bfd_interval = 50_ms;
    options.bfd_multiplier = multiplier;
    const Graph graph = leaf_spine();
    Network network(graph, options, failure_of(graph, "leaf0", "spine0"));
    network.run(kFailure + 2_s);
    const Duration noticed = network.plane->events()[0].noticed - kFailure;
    EXPECT_LE(noticed, options.bfd_interval * multiplier + kCableDelay);
    EXPECT_GE(noticed, options.bfd_interval * (multiplier - 1));
    EXPECT_EQ(network.compare_with_shortest_paths(Network::Of::kLeaves), "");
    const ControlSummary sum = network.plane->summary();
    EXPECT_EQ(sum.session_ends[static_cast<std::size_t>(SessionEnd::kBfd)], 2U);
  }
}

//= rfc4271 6.5
TEST(ControlPlane, HoldTimersNoticeAFailureAfterTheHoldTimeLessAKeepaliveInterval) {
  ControlOptions options = plain();
  options.has_signal = false;
  options.hold_time = 6_s;
  const Graph graph = leaf_spine();
  Network network(graph, options, failure_of(graph, "leaf0", "spine0"));
  network.run(kFailure + 30_s);
  const Duration noticed = network.plane->events()[0].noticed - kFailure;
  EXPECT_LE(noticed, options.hold_time + kCableDelay);
  EXPECT_GE(noticed, options.hold_time - options.hold_time / 3);
  EXPECT_EQ(network.compare_with_shortest_paths(Network::Of::kLeaves), "");
  EXPECT_EQ(network.plane->summary().session_ends[static_cast<std::size_t>(SessionEnd::kHoldTimer)], 2U);
}

TEST(ControlPlane, ACableThatReturnsIsUsedAgain) {
  const Graph graph = leaf_spine();
  std::vector<LinkEvent> events = failure_of(graph, "leaf0", "spine0");
  events.push_back(event_of(events[0].link, LinkEvent::Kind::kRestore, kFailure + 5_s));
  Network network(graph, plain(), events);
  network.run(kFailure + 6_s);
  EXPECT_EQ(network.compare_with_shortest_paths(), "");
  const ControlSummary sum = network.plane->summary();
  EXPECT_EQ(sum.established_ends, 2 * sum.sessions);
  EXPECT_LT(network.plane->events()[1].last_write - network.plane->events()[1].at, 10_ms);
}

TEST(ControlPlane, ADrainedLinkFailsWithoutABlackHole) {
  for (const DrainMethod method : {DrainMethod::kCommunity, DrainMethod::kPrepend}) {
    for (const Duration lead : {Duration::zero(), 10_ms}) {
      ControlOptions options = plain();
      options.drain = method;
      options.drain_lead = lead;
      const Graph graph = leaf_spine();
      Network network(graph, options, failure_of(graph, "leaf0", "spine0"));
      network.run(kFailure + 1_s);
      EXPECT_EQ(network.compare_with_shortest_paths(Network::Of::kLeaves), "");
      for (std::uint32_t prefix = 0; prefix < kLeaves; ++prefix) {
        const ReachMonitor::Outage outage = network.plane->monitor().outage(static_cast<PrefixId>(prefix), network.now);
        EXPECT_EQ(outage.black_hole > Duration::zero(), lead == Duration::zero()) << prefix;
        EXPECT_EQ(outage.loop, Duration::zero());
      }
    }
  }
}

TEST(ControlPlane, ASwitchThatIsDrainedFailsWithoutABlackHole) {
  ControlOptions options = plain();
  options.drain_lead = 20_ms;
  const Graph graph = *build_graph(FatTreeOptions{.radix = 4});
  std::vector<LinkEvent> events;
  for (std::uint32_t link = 0; link < graph.links.size(); ++link) {
    if (graph[graph.links[link].b.node].name == "core0" || graph[graph.links[link].a.node].name == "core0") {
      events.push_back(event_of(LinkIndex(link), LinkEvent::Kind::kFail, kFailure));
    }
  }
  ASSERT_EQ(events.size(), 4U);
  Network network(graph, options, events);
  network.run(kFailure + 1_s);
  EXPECT_EQ(network.compare_with_shortest_paths(), "");
  for (std::uint32_t prefix = 0; prefix < network.plane->plan().leaf_of.size(); ++prefix) {
    EXPECT_EQ(network.plane->monitor().outage(static_cast<PrefixId>(prefix), network.now).black_hole, Duration::zero());
  }
}

TEST(ControlPlane, MraiHoldsASecondUpdateBack) {
  ControlOptions options = plain();
  const Graph graph = leaf_spine();
  std::vector<LinkEvent> events = failure_of(graph, "leaf0", "spine0");
  // A second link of another leaf fails while the spine's UPDATE timer for its neighbours runs.
  events.push_back(failure_of(graph, "leaf1", "spine0", kFailure + 10_ms)[0]);
  Network quick(graph, options, events);
  quick.run(kFailure + 10_s);
  options.mrai = 1_s;
  Network slow(graph, options, events);
  slow.run(kFailure + 10_s);
  EXPECT_EQ(slow.compare_with_shortest_paths(Network::Of::kLeaves), "");
  EXPECT_LT(quick.plane->events()[1].last_write - kFailure, 20_ms);
  EXPECT_GE(slow.plane->events()[1].last_write - kFailure, options.mrai * 3 / 4);
  EXPECT_LE(slow.plane->events()[1].last_write - kFailure, options.mrai + 20_ms);
}

TEST(ControlPlane, TellsNothingTwiceAndSoDoesTheSameRunAgain) {
  ControlOptions options = plain();
  options.has_bfd = true;
  options.has_lldp = true;
  const Graph graph = leaf_spine();
  const auto summary_of = [&](std::uint64_t seed) {
    Network network(graph, options, failure_of(graph, "leaf0", "spine0"), seed);
    network.run(kFailure + 5_s);
    const ControlSummary sum = network.plane->summary();
    return std::tuple(sum.messages, sum.message_bytes, sum.bfd_packets, sum.cpu_time, network.last_write);
  };
  EXPECT_EQ(summary_of(3), summary_of(3));
  EXPECT_NE(summary_of(3), summary_of(4));
}

TEST(ControlPlane, NamesASwappedCableByWhatLldpSays) {
  ControlOptions options = plain();
  options.has_lldp = true;
  options.lldp_interval = 1_s;
  Graph graph = leaf_spine();
  const LinkIndex first = link_between(graph, "leaf0", "spine0");
  const LinkIndex second = link_between(graph, "leaf1", "spine1");
  const std::string port_of_spine0 = port_name(graph, graph.links[first.value()].b);
  const std::string port_of_spine1 = port_name(graph, graph.links[second.value()].b);
  const std::string port_of_leaf0 = port_name(graph, graph.links[first.value()].a);
  std::swap(graph.links[first.value()].b, graph.links[second.value()].b);
  options.swaps = {{.first = first, .second = second}};
  Network network(graph, options);
  EXPECT_TRUE(network.plane->cabling_faults().empty());  // nothing has been heard yet
  network.run(Time::zero() + 3_s);
  const std::vector<CablingFault> faults = network.plane->cabling_faults();
  ASSERT_EQ(faults.size(), 4U);  // each of the four ends
  EXPECT_EQ(faults[0].port, port_of_leaf0);
  EXPECT_EQ(faults[0].planned, port_of_spine0);
  EXPECT_EQ(faults[0].found, port_of_spine1);
  EXPECT_EQ(network.compare_with_shortest_paths(Network::Of::kLeaves), "");  // routes follow the cables as they are
}

/// The defect: a cable between two pods made one cluster of both, so that their switches had one number and dropped one
/// another's routes.
TEST(ControlPlane, ASwappedCableChangesNoSwitchsNumber) {
  const auto planned = build_graph(FatTreeOptions{.radix = 4});
  ASSERT_TRUE(planned.has_value());
  ControlOptions options = plain();
  std::vector<std::uint64_t> hashes;
  for (std::uint32_t i = 0; i < planned->switches(); ++i) {
    hashes.push_back(stable_hash(1, planned->nodes[planned->endpoints + i].name));
  }
  const auto by_plan = plan_control(*planned, options, hashes);
  ASSERT_TRUE(by_plan.has_value());
  Graph graph = *planned;
  const LinkIndex first = link_between(graph, "pod0/leaf0", "pod0/agg0");
  const LinkIndex second = link_between(graph, "pod1/leaf1", "pod1/agg1");
  std::swap(graph.links[first.value()].b, graph.links[second.value()].b);
  options.swaps = {{.first = first, .second = second}};
  const auto as_plugged = plan_control(graph, options, hashes);
  ASSERT_TRUE(as_plugged.has_value());
  EXPECT_EQ(as_plugged->as_numbers, by_plan->as_numbers);
}

}  // namespace
}  // namespace weft::fabric
