// The traffic controller beside a fabric of two leaves: rounds, delays, failures between rounds, tables that are full,
// jobs that come and go.
#include "study/world/traffic_controller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "fabric/ethernet/two_leaves_test_world.h"

namespace weft::study::world {
namespace {

using fabric::LeafFlow;
using fabric::LinkEvent;
using fabric::LinkIndex;
using fabric::ethernet_test::Clos;
using fabric::ethernet_test::kRate;
using fabric::ethernet_test::options_with;
using fabric::ethernet_test::sent_by_uplinks;
using fabric::ethernet_test::two_leaves;
using FabricWorld = fabric::ethernet_test::World;

const Clos kFour{.hosts_per_leaf = 4, .spine_rates = std::vector<Rate>(4, kRate)};
const Duration kFrameTime = fabric::ethernet_test::wire_time(kRate, 4158);
constexpr std::uint32_t kHosts = 4;

LeafFlow flow_of(const FabricWorld& world, std::uint32_t from, std::uint32_t to, std::uint16_t entropy = 0) {
  return {
      .source = EndpointId(from),
      .destination = EndpointId(to),
      .hash = fabric::flow_hash(fabric::FlowKey{
          .source = world.address(EndpointId(from)), .destination = world.address(EndpointId(to)), .entropy = entropy}),
      .priority = 0};
}

/// A seed with which the hashes of four flows, host i to host 4 + i, use two of the four uplinks at most.
std::uint64_t colliding_seed() {
  for (std::uint64_t seed = 1;; ++seed) {
    const FabricWorld world(two_leaves(kFour), options_with(fabric::PathPolicy::kCentral), seed);
    std::set<std::uint16_t> ports;
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      ports.insert(world.fabric->ports_taken(0, flow_of(world, host, kHosts + host))[0]);
    }
    if (ports.size() <= 2) {
      return seed;
    }
  }
}

/// Four flows of one line each, over four uplinks, under a controller.
struct FourFlows {
  explicit FourFlows(const ControllerOptions& options,
                     fabric::EthernetOptions fabric_options = options_with(fabric::PathPolicy::kCentral))
      : world(two_leaves(kFour), std::move(fabric_options), colliding_seed()), controller(*world.fabric, options) {
    world.fabric->set_controller(controller);
  }
  void send(std::uint64_t packets) {
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      world.send(host, {.to = EndpointId(kHosts + host), .count = packets});
    }
  }
  /// What each uplink sends from now to `until`.
  std::vector<std::uint64_t> sent_until(Time until) {
    const std::vector<std::uint64_t> before = sent_by_uplinks(world, kFour);
    EXPECT_EQ(world.run_checked(until), "");
    std::vector<std::uint64_t> sent = sent_by_uplinks(world, kFour);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      sent[i] -= before[i];
    }
    return sent;
  }
  [[nodiscard]] std::uint16_t port_of(std::uint32_t host) const {
    return world.fabric->ports_taken(0, flow_of(world, host, kHosts + host))[0];
  }
  [[nodiscard]] std::size_t uplinks_used() const {
    std::set<std::uint16_t> ports;
    for (std::uint32_t host = 0; host < kHosts; ++host) {
      ports.insert(port_of(host));
    }
    return ports.size();
  }

  FabricWorld world;
  TrafficController controller;
};

constexpr Duration kPeriod = 20_us;
constexpr Duration kDelay = 5_us;

TEST(TrafficController, EntriesTakeEffectAPeriodAndADelayAfterTheFirstPacket) {
  FourFlows run({.period = kPeriod, .delay = kDelay});
  run.send(1'000);
  (void)run.sent_until(Time::zero() + kPeriod + kDelay - 1_ns);
  EXPECT_LE(run.uplinks_used(), 2U);
  EXPECT_EQ(run.controller.counters().rounds, 0U);
  (void)run.sent_until(Time::zero() + kPeriod + kDelay);
  EXPECT_EQ(run.uplinks_used(), 4U);
  EXPECT_EQ(run.controller.counters().rounds, 1U);
  EXPECT_EQ(run.controller.counters().placed, 4U);
  EXPECT_EQ(run.controller.counters().entries, 4U) << "spines have no choice, so that only the leaf has entries";
}

TEST(TrafficController, EveryAlgorithmGivesEachFlowItsUplink) {
  for (const PlacementAlgorithm algorithm :
       {PlacementAlgorithm::kCspf, PlacementAlgorithm::kGreedy, PlacementAlgorithm::kMinMax}) {
    for (const auto demand : {ControllerOptions::Demand::kMeasured, ControllerOptions::Demand::kHostLimited}) {
      SCOPED_TRACE(static_cast<int>(algorithm));
      FourFlows run({.algorithm = algorithm, .period = kPeriod, .delay = kDelay, .demand = demand});
      run.send(1'000);
      (void)run.sent_until(Time::zero() + 2 * kPeriod + kDelay);
      EXPECT_EQ(run.uplinks_used(), 4U);
    }
  }
}

// A flow that moves overtakes itself. Small flows that come and go make the background another in every round.
TEST(TrafficController, FlowsThatStandWellAreNotMoved) {
  for (const PlacementAlgorithm algorithm :
       {PlacementAlgorithm::kCspf, PlacementAlgorithm::kGreedy, PlacementAlgorithm::kMinMax}) {
    FourFlows run({.algorithm = algorithm, .period = kPeriod, .delay = kDelay});
    run.send(2'500);
    for (std::uint32_t i = 0; i < 100; ++i) {
      run.world.send(i % kHosts, {.to = EndpointId(kHosts + (i * 7 + 1) % kHosts),
                                  .count = 1 + i % 5,
                                  .at = Time::zero() + i * 2_us,
                                  .entropy = static_cast<std::uint16_t>(i)});
    }
    (void)run.sent_until(Time::zero() + 10 * kPeriod);
    EXPECT_GE(run.controller.counters().rounds, 8U);
    EXPECT_EQ(run.controller.counters().moved, 0U);
    EXPECT_EQ(run.controller.counters().entries, 4U);
  }
}

// From then on each uplink carries one line; before, two carried all.
TEST(TrafficController, UplinksCarryTheLinesOfTheirFlowsOnceEntriesAreThere) {
  FourFlows run({.period = kPeriod});
  run.send(1'500);
  (void)run.sent_until(Time::zero() + 2 * kPeriod);
  const std::vector<std::uint64_t> sent = run.sent_until(Time::zero() + 3 * kPeriod);
  for (const std::uint64_t packets : sent) {
    EXPECT_NEAR(static_cast<double>(packets), static_cast<double>(kPeriod / kFrameTime), 2);
  }
  EXPECT_NEAR(run.controller.counters().measured / static_cast<double>(run.controller.counters().readings), 1, 0.1);
}

TEST(TrafficController, SmallFlowsStayWithTheirHash) {
  FourFlows run({.period = kPeriod, .threshold = 0.5});
  for (int i = 0; i < 40; ++i) {  // a tenth of the line
    run.world.send(0, {.to = EndpointId(kHosts), .count = 1, .at = Time::zero() + i * 10 * kFrameTime});
  }
  run.world.send(1, {.to = EndpointId(kHosts + 1), .count = 400});
  (void)run.sent_until(Time::never());
  EXPECT_EQ(run.world.fabric->pinned_flows(0).find(flow_of(run.world, 0, kHosts)), std::nullopt);
  EXPECT_GT(run.controller.counters().placed, 0U);
  EXPECT_EQ(run.controller.counters().entries, 1U) << "one flow, in every plan";
}

// The run ends: nobody wakes a controller without traffic, and entries of flows that ended are removed.
TEST(TrafficController, WithoutTrafficItSleepsAndItsTablesAreEmpty) {
  FourFlows run({.period = kPeriod, .delay = kDelay});
  run.send(700);
  (void)run.sent_until(Time::never());
  EXPECT_EQ(run.world.delivered(), 4 * 700U);
  EXPECT_TRUE(run.controller.next().is_never());
  run.send(1);
  (void)run.sent_until(Time::never());
  EXPECT_TRUE(run.controller.next().is_never());
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 0U) << "single packets are no large flows";
}

TEST(TrafficController, AFlowWithoutRoomInATableStaysWithItsHash) {
  fabric::EthernetOptions options = options_with(fabric::PathPolicy::kCentral);
  options.switches[0].balancing.pinned_entries = 3;
  FourFlows run({.period = kPeriod}, std::move(options));
  run.send(1'500);
  (void)run.sent_until(Time::zero() + 2 * kPeriod + 1_us);
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 3U);
  EXPECT_EQ(run.controller.counters().peak_entries, 3U);
  EXPECT_EQ(run.controller.counters().overflows, run.controller.counters().rounds);
  (void)run.sent_until(Time::never());
  EXPECT_EQ(run.world.delivered(), 4 * 1'500U);
}

fabric::EthernetOptions failing_at(Time at, std::uint32_t spine) {
  fabric::EthernetOptions options = options_with(fabric::PathPolicy::kCentral);
  // Cables of hosts come first, then those of the first leaf by spine.
  options.events = {{.at = at,
                     .link = LinkIndex(2 * kHosts + spine),
                     .kind = LinkEvent::Kind::kFail,
                     .rate = {},
                     .reroute_delay = 1_us}};
  return options;
}

TEST(TrafficController, AFailureBetweenRoundsFallsBackToHashesUntilTheNextRound) {
  const Time fails = Time::zero() + 2 * kPeriod + 5_us;
  FourFlows run({.period = kPeriod}, failing_at(fails, 1));
  run.send(3'000);
  (void)run.sent_until(fails + 2_us);
  const fabric::PinnedCounters& counters = run.world.fabric->pinned()->counters[0];
  EXPECT_GT(counters.fallbacks, 0U) << "routes know, the controller does not";
  (void)run.sent_until(Time::zero() + 3 * kPeriod);
  const std::uint64_t until_round = counters.fallbacks;
  (void)run.sent_until(Time::zero() + 5 * kPeriod);
  EXPECT_LE(counters.fallbacks, until_round + 1) << "the entry is another";
  EXPECT_EQ(run.uplinks_used(), 3U);
  EXPECT_EQ(run.controller.counters().stale, 0U);
}

TEST(TrafficController, APlanMadeBeforeAFailureIsStaleWhenItTakesEffect) {
  const Time fails = Time::zero() + kPeriod + 2_us;
  FourFlows run({.period = kPeriod, .delay = kDelay}, failing_at(fails, 1));
  run.send(3'000);
  (void)run.sent_until(Time::zero() + kPeriod + kDelay);
  EXPECT_EQ(run.controller.counters().stale, 1U);
  (void)run.sent_until(Time::zero() + 2 * kPeriod + kDelay);
  EXPECT_EQ(run.controller.counters().rounds, 2U);
  EXPECT_EQ(run.controller.counters().stale, 1U) << "the second one knew";
}

// What it sees is old: a flow that ended since has an entry, one that began has none.
TEST(TrafficController, AMatrixIsAsOldAsTheDelay) {
  FourFlows run({.period = kPeriod, .delay = kPeriod - 1_us});
  run.world.send(0, {.to = EndpointId(kHosts), .count = static_cast<std::uint64_t>(kPeriod / kFrameTime)});
  run.world.send(1, {.to = EndpointId(kHosts + 1), .count = 1'000, .at = Time::zero() + kPeriod});
  (void)run.sent_until(Time::zero() + 2 * kPeriod - 1_us);
  EXPECT_NE(run.world.fabric->pinned_flows(0).find(flow_of(run.world, 0, kHosts)), std::nullopt);
  EXPECT_EQ(run.world.fabric->pinned_flows(0).find(flow_of(run.world, 1, kHosts + 1)), std::nullopt);
}

// By communicators.

std::vector<LeafFlow> flows_of(const FabricWorld& world, const std::vector<std::uint32_t>& hosts) {
  std::vector<LeafFlow> flows;
  for (const std::uint32_t host : hosts) {
    flows.push_back(flow_of(world, host, kHosts + host));
  }
  return flows;
}

TEST(TrafficController, FlowsOfKnownJobsHaveTheirPathsFromTheFirstPacketOn) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod, .delay = kDelay});
  run.controller.know({{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 1, 2, 3})}}});
  EXPECT_EQ(run.uplinks_used(), 4U);
  run.send(500);
  (void)run.sent_until(Time::never());
  EXPECT_EQ(sent_by_uplinks(run.world, kFour), std::vector<std::uint64_t>(4, 500));
  EXPECT_EQ(run.controller.counters().conflicts, 0U);
  EXPECT_EQ(run.world.fabric->pinned()->counters[0].hashed, 0U);
}

TEST(TrafficController, AnswersGoBackOverTheCablesOfTheirFlows) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod});
  TrafficController::KnownJob job{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 1, 2, 3})}};
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    job.answers.emplace(flow_of(run.world, host, kHosts + host), flow_of(run.world, kHosts + host, host));
  }
  run.controller.know({job});
  for (std::uint32_t host = 0; host < kHosts; ++host) {
    // Leaves have their uplinks in the same order.
    EXPECT_EQ(run.world.fabric->ports_taken(1, flow_of(run.world, kHosts + host, host))[0], run.port_of(host));
  }
  EXPECT_EQ(run.controller.counters().placed, 4U);
  EXPECT_EQ(run.controller.counters().entries, 8U);
}

TEST(TrafficController, AJobThatComesIsPlacedAroundThoseThatRun) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod});
  const Time second = Time::zero() + 50_us;
  run.controller.know({{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 2})}},
                       {.starts = second, .phases = {flows_of(run.world, {1, 3})}}});
  run.world.fabric->wake_controller();
  const std::vector<std::uint16_t> before{run.port_of(0), run.port_of(2)};
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 2U);
  run.send(500);
  (void)run.sent_until(second);
  EXPECT_EQ(run.uplinks_used(), 4U);
  EXPECT_EQ((std::vector<std::uint16_t>{run.port_of(0), run.port_of(2)}), before);
  EXPECT_EQ(run.controller.counters().moved, 0U);
}

TEST(TrafficController, AJobThatEndsLeavesTheTables) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod, .delay = kDelay});
  run.controller.know({{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 2})}},
                       {.starts = Time::zero(), .phases = {flows_of(run.world, {1, 3})}}});
  run.controller.on_job_end(0, Time::zero());
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 4U);
  (void)run.sent_until(Time::zero() + kDelay);
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 2U);
  EXPECT_NE(run.world.fabric->pinned_flows(0).find(flow_of(run.world, 1, kHosts + 1)), std::nullopt);
}

TEST(TrafficController, AFlowThatManyPhasesHaveKeepsOnePath) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod});
  run.controller.know(
      {{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 1}), flows_of(run.world, {1, 2, 3})}}});
  EXPECT_EQ(run.world.fabric->pinned_flows(0).size(), 4U);
  EXPECT_NE(run.port_of(0), run.port_of(1));
  EXPECT_NE(run.port_of(2), run.port_of(3));
}

TEST(TrafficController, KnownJobsArePlacedAnewWhenALinkHasFailed) {
  FourFlows run({.algorithm = PlacementAlgorithm::kCommunicators, .period = kPeriod},
                failing_at(Time::zero() + 25_us, 1));
  run.controller.know({{.starts = Time::zero(), .phases = {flows_of(run.world, {0, 1, 2, 3})}}});
  run.send(2'000);
  (void)run.sent_until(Time::zero() + 2 * kPeriod);
  EXPECT_EQ(run.controller.counters().rounds, 2U);
  EXPECT_EQ(run.uplinks_used(), 3U);
  EXPECT_EQ(run.controller.counters().moved, 1U) << "the other three stay";
  EXPECT_EQ(run.controller.counters().conflicts, 1U);
}

// Hedera's estimate: two flows into one host have half its line each, whatever was seen of them.
TEST(HostLimitedRates, AreMaxMinUnderTheLinesOfHosts) {
  const fabric::Graph graph = two_leaves(kFour);
  const NetworkView network(graph);
  const auto flow = [](std::uint32_t from, std::uint32_t to) {
    return LeafFlow{.source = EndpointId(from), .destination = EndpointId(to)};
  };
  const std::vector<Rate> rates = host_limited_rates(network, {flow(0, 4), flow(1, 4), flow(1, 5)});
  EXPECT_EQ(rates, (std::vector<Rate>{kRate / 2, kRate / 2, kRate / 2}));
}

}  // namespace
}  // namespace weft::study::world
