// Throughput of a dragonfly+ under its worst traffic and under the best, by routing, beside bounds of its global
// cables.
#include <gtest/gtest.h>

#include "base/random.h"
#include "fabric/infiniband/test_world.h"
#include "fabric/topology/dragonfly_plus.h"

namespace weft::fabric::ib_test {
namespace {

constexpr std::uint32_t kGroups = 5;
constexpr std::uint32_t kPerGroup = 8;     // hosts
constexpr std::uint32_t kGlobalLinks = 2;  // between two groups
constexpr Cable kCable{.rate = 100_gbps, .propagation = 100_ns};

/// Leaves have as many cables up as down: only global cables are scarce.
Graph dragonfly() {
  return build_graph(DragonflyPlusOptions{.groups = kGroups,
                                          .leaves = 2,
                                          .spines = 2,
                                          .hosts_per_leaf = kPerGroup / 2,
                                          .parallel_links = 2,
                                          .global_links = kGlobalLinks,
                                          .host_link = kCable,
                                          .leaf_link = kCable,
                                          .global_link = kCable})
      .value();
}

// All hosts of a group send to the next one. Of a host's line, the direct cables carry one share; others carry packets
// twice, those of a source's group to neither itself nor the destination's.
constexpr double kDirectBound = static_cast<double>(kGlobalLinks) / kPerGroup;
constexpr double kDetourBound = static_cast<double>(kGlobalLinks * (kGroups - 2)) / (2 * kPerGroup);

enum class Way : std::uint8_t { kMinimal, kValiant, kUgal };
enum class Pattern : std::uint8_t { kNextGroup, kUniform };

struct Outcome {
  double goodput = 0;   // of the hosts' lines, in steady state
  double detoured = 0;  // of the packets
  std::uint64_t lost = 0;
};

Outcome carry(Way way, Pattern pattern, Bytes threshold = Bytes(64 * 1024)) {
  InfiniBandOptions options;
  options.data_lanes = 2;
  options.lane_phases = 2;
  options.switches[0].path = PathPolicy::kAdaptive;
  if (way != Way::kMinimal) {
    options.switches[0].balancing.detours =
        DetourOptions{.rule = way == Way::kValiant ? DetourRule::kValiant : DetourRule::kUgal, .threshold = threshold};
  }
  World world(dragonfly(), std::move(options));
  const auto hosts = static_cast<std::uint32_t>(world.senders.size());
  RandomStream random(1, "pattern");
  for (std::uint32_t from = 0; from < hosts; ++from) {
    if (pattern == Pattern::kNextGroup) {
      world.send(EndpointId(from), {.to = EndpointId((from + kPerGroup) % hosts), .count = 100'000});
      continue;
    }
    std::vector<std::uint32_t> others;
    for (std::uint32_t to = 0; to < hosts; ++to) {
      if (to != from) {
        others.push_back(to);
      }
    }
    random.shuffle(std::span(others));
    for (const std::uint32_t to : others) {
      world.send(EndpointId(from), {.to = EndpointId(to), .count = 10'000});
    }
  }
  const auto received = [&] {
    std::uint64_t bytes = 0;
    for (const Sender& sender : world.senders) {
      bytes += sender.received_bytes;
    }
    return static_cast<double>(bytes);
  };
  constexpr Duration kWarmUp = 200_us;
  constexpr Duration kMeasured = 400_us;
  world.run(Time::zero() + kWarmUp);
  const double before = received();
  world.run(Time::zero() + kWarmUp + kMeasured);
  EXPECT_EQ(world.fabric->check_invariants(), "");
  double sent = 0;
  for (const Sender& sender : world.senders) {
    sent += sender.sent;
  }
  const double line = static_cast<double>(kCable.rate.bytes_in(kMeasured).count()) * hosts;
  return {.goodput = (received() - before) / line,
          .detoured = static_cast<double>(world.fabric->detours()) / sent,
          .lost = world.fabric->drops().total()};
}

TEST(NonMinimal, WorstTrafficStaysBelowTheBoundsAndNearThem) {
  const Outcome minimal = carry(Way::kMinimal, Pattern::kNextGroup);
  const Outcome valiant = carry(Way::kValiant, Pattern::kNextGroup);
  const Outcome ugal = carry(Way::kUgal, Pattern::kNextGroup);
  EXPECT_LE(minimal.goodput, kDirectBound * 1.001);
  EXPECT_GE(minimal.goodput, kDirectBound * 0.95);
  EXPECT_LE(valiant.goodput, kDetourBound * 1.001);
  EXPECT_GE(valiant.goodput, kDetourBound * 0.95);
  EXPECT_LE(ugal.goodput, (kDirectBound + kDetourBound) * 1.001);
  EXPECT_GE(ugal.goodput, (kDirectBound + kDetourBound) * 0.95);
  EXPECT_EQ(minimal.lost + valiant.lost + ugal.lost, 0U);
  EXPECT_EQ(minimal.detoured, 0.0);
  EXPECT_NEAR(valiant.detoured, 1.0, 0.05);
}

TEST(NonMinimal, UniformTrafficIsMinimalUnderUgal) {
  const Outcome minimal = carry(Way::kMinimal, Pattern::kUniform);
  const Outcome valiant = carry(Way::kValiant, Pattern::kUniform);
  const Outcome ugal = carry(Way::kUgal, Pattern::kUniform);
  EXPECT_GE(ugal.goodput, minimal.goodput * 0.95);
  EXPECT_LT(ugal.detoured, 0.01);
  // All global cables, twice by packets to other groups, which are 32 of 39.
  EXPECT_LE(valiant.goodput, 0.5 * kGlobalLinks * (kGroups - 1) / kPerGroup * (39.0 / 32) * 1.001);
  EXPECT_EQ(minimal.lost + valiant.lost + ugal.lost, 0U);
}

/// Few and small buffers, and one cable between two groups, so that packets go down and up within intermediate groups.
struct Crossing {
  std::uint64_t received = 0;
  std::uint64_t discarded = 0;
  std::uint64_t inside = 0;
};
constexpr std::uint32_t kEach = 40;  // packets from everyone to everyone

Crossing cross(std::uint8_t phases, DetourRule rule, std::vector<LinkEvent> events = {}) {
  InfiniBandOptions options;
  options.data_lanes = phases;
  options.lane_phases = phases;
  options.ports[0].buffer_blocks.fill(2 * 65);
  options.switches[0].path = PathPolicy::kAdaptive;
  options.switches[0].balancing.detours = DetourOptions{.rule = rule};
  options.events = std::move(events);
  World world(build_graph(DragonflyPlusOptions{.groups = 5, .hosts_per_leaf = 2, .global_links = 1}).value(),
              std::move(options));
  const auto hosts = static_cast<std::uint32_t>(world.senders.size());
  for (std::uint32_t shift = 1; shift < hosts; ++shift) {
    for (std::uint32_t from = 0; from < hosts; ++from) {
      world.send(EndpointId(from), {.to = EndpointId((from + shift) % hosts), .count = kEach});
    }
  }
  world.run(Time::zero() + 10_ms);
  EXPECT_EQ(world.fabric->check_invariants(), "");
  Crossing outcome{.discarded = world.fabric->drops().total(), .inside = world.fabric->packets_inside()};
  for (const Sender& sender : world.senders) {
    outcome.received += sender.received.size();
  }
  return outcome;
}
constexpr std::uint64_t kAll = std::uint64_t{20} * 19 * kEach;

TEST(NonMinimal, OneLaneStopsForGood) {
  const Crossing outcome = cross(1, DetourRule::kValiant);
  EXPECT_LT(outcome.received, kAll);
  EXPECT_GT(outcome.inside, 0U);
}

TEST(NonMinimal, TwoLanesCarryEverything) {
  for (const DetourRule rule : {DetourRule::kValiant, DetourRule::kUgal}) {
    const Crossing outcome = cross(2, rule);
    EXPECT_EQ(outcome.received, kAll);
    EXPECT_EQ(outcome.discarded + outcome.inside, 0U);
  }
}

// Routes and intermediate groups follow a failed cable; packets that would turn upwards twice are discarded.
TEST(NonMinimal, AFailedGlobalCableHoldsNothingUp) {
  const Graph graph = build_graph(DragonflyPlusOptions{.groups = 5, .hosts_per_leaf = 2, .global_links = 1}).value();
  for (const DetourRule rule : {DetourRule::kValiant, DetourRule::kUgal}) {
    for (std::uint32_t i = graph.endpoints; i < graph.links.size(); ++i) {
      if (graph[graph.links[i].a.node].group == graph[graph.links[i].b.node].group || i % 3 != 0) {
        continue;
      }
      LinkEvent failure;
      failure.at = Time::zero() + 20_us;
      failure.link = LinkIndex(i);
      failure.reroute_delay = 2_us;
      const Crossing outcome = cross(2, rule, {failure});
      EXPECT_EQ(outcome.received + outcome.discarded, kAll);
      EXPECT_EQ(outcome.inside, 0U);
      EXPECT_GT(outcome.received, kAll * 98 / 100);
    }
  }
}

// By the hash of a flow: one intermediate group each, and the order of its packets.
TEST(NonMinimal, FlowsThatMustStayInOrderKeepTheirIntermediateGroup) {
  InfiniBandOptions options;
  options.data_lanes = 2;
  options.lane_phases = 2;
  options.switches[0].path = PathPolicy::kAdaptive;
  options.switches[0].balancing.unordered_only = true;
  options.switches[0].balancing.detours = DetourOptions{.rule = DetourRule::kValiant};
  World world(dragonfly(), std::move(options));
  const auto hosts = static_cast<std::uint32_t>(world.senders.size());
  for (std::uint32_t from = 0; from < hosts; ++from) {
    world.send(EndpointId(from), {.to = EndpointId((from + kPerGroup) % hosts), .count = 200});
  }
  world.run(Time::never());
  EXPECT_EQ(world.fabric->detours(), std::uint64_t{hosts} * 200);
  for (const Sender& sender : world.senders) {
    ASSERT_EQ(sender.received.size(), 200U);
    EXPECT_TRUE(std::ranges::is_sorted(sender.received, {}, &Delivery::number));
  }
}

}  // namespace
}  // namespace weft::fabric::ib_test
