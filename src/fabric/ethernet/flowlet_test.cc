// Schemes that spread traffic in switches, on a network of leaves and spines: LetFlow, DRILL, CONGA, beside ECMP.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fabric/ethernet/two_leaves_test_world.h"
#include "fabric/topology/fat_tree.h"

namespace weft::fabric::ethernet_test {
namespace {

using ::testing::HasSubstr;

// LetFlow: PathPolicy::kSpray with flowlets.

const Clos kUnequalWays{.spine_rates = {kRate, kRate, kRate, kRate}, .spine_ways = {200_ns, 2_us, 4_us, 6_us}};

/// Bursts of eight packets, a pause of `pause` after each.
std::unique_ptr<World> sent_in_bursts(Duration gap, Duration pause) {
  auto world =
      std::make_unique<World>(two_leaves(kUnequalWays), options_with(PathPolicy::kSpray, {.flowlet_gap = gap}));
  const Duration burst = 8 * wire_time(kRate, 4158);
  for (int i = 0; i < 200; ++i) {
    world->send(0, {.to = EndpointId(2), .count = 8, .at = Time::zero() + i * (burst + pause)});
  }
  EXPECT_EQ(world->run_checked(), "");
  EXPECT_EQ(world->delivered(), 1'600U);
  return world;
}

TEST(LetFlow, AFlowWithoutPausesHasOnePath) {
  World world(two_leaves(kUnequalWays), options_with(PathPolicy::kSpray, {.flowlet_gap = 1_us}));
  world.send(0, {.to = EndpointId(2), .count = 2'000});
  ASSERT_EQ(world.run_checked(), "");
  std::vector<std::uint64_t> sent = sent_by_uplinks(world, kUnequalWays);
  std::ranges::sort(sent);
  EXPECT_EQ(sent, (std::vector<std::uint64_t>{0, 0, 0, 2'000}));
  EXPECT_EQ(sum_of_choices(world, kUnequalWays).flowlets, 1U);
}

// The slowest way takes 2 x (6 us - 200 ns) = 11.6 us longer than the fastest.
TEST(LetFlow, NothingIsLateWhereTheGapIsLongerThanPathsDiffer) {
  const auto bursts = sent_in_bursts(12_us, 13_us);
  World& world = *bursts;
  EXPECT_EQ(late_at(world, 2), 0U);
  EXPECT_EQ(sum_of_choices(world, kUnequalWays).flowlets, 200U) << "one for each burst";
  EXPECT_NEAR(static_cast<double>(sum_of_choices(world, kUnequalWays).moved), 199 * 0.75, 25);
  for (const std::uint64_t packets : sent_by_uplinks(world, kUnequalWays)) {
    EXPECT_NEAR(static_cast<double>(packets), 400, 200);
  }
}

TEST(LetFlow, AShorterGapReorders) { EXPECT_GT(late_at(*sent_in_bursts(1_us, 2_us), 2), 100U); }

TEST(LetFlow, PausesShorterThanTheGapKeepThePath) {
  const auto bursts = sent_in_bursts(12_us, 2_us);
  EXPECT_EQ(sum_of_choices(*bursts, kUnequalWays).flowlets, 1U);
}

// DRILL.

const Clos kWide{.hosts_per_leaf = 8, .spine_rates = std::vector<Rate>(8, kRate)};

struct Depths {
  std::uint32_t deepest = 0;  // of all uplinks
  std::uint64_t spread = 0;   // packets by the busiest uplink, less those by the idlest
};

/// All hosts of the first leaf send at full rate, half of them to each of two hosts of the other leaf by turns.
Depths uplinks_of(PathPolicy path, const BalancingOptions& balancing = {}) {
  World world(two_leaves(kWide), options_with(path, balancing));
  for (std::uint32_t host = 0; host < 8; ++host) {
    world.send(host, {.to = EndpointId(8 + host), .count = 2'000});
  }
  EXPECT_EQ(world.run_checked(Time::zero() + 30_us), "");
  world.run();
  EXPECT_EQ(world.delivered(), 16'000U);
  Depths depths;
  for (std::size_t spine = 0; spine < 8; ++spine) {
    depths.deepest = std::max(depths.deepest, world.fabric->queue(uplink(world, kWide, spine), 3).peak_bytes);
  }
  const std::vector<std::uint64_t> sent = sent_by_uplinks(world, kWide);
  depths.spread = std::ranges::max(sent) - std::ranges::min(sent);
  return depths;
}

TEST(DrillSwitch, QueuesAreShorterThanWithRandomPacketsAndThoseThanWithEcmp) {
  const Depths drill = uplinks_of(PathPolicy::kDrill);
  const Depths spray = uplinks_of(PathPolicy::kSpray);
  const Depths ecmp = uplinks_of(PathPolicy::kEcmp);
  EXPECT_LT(4 * drill.deepest, spray.deepest);
  EXPECT_LT(spray.deepest, ecmp.deepest);
  EXPECT_LT(drill.spread, spray.spread);
}

TEST(DrillSwitch, PacketsOfOtherTransportsMayStayInOrder) {
  World world(two_leaves(kWide), options_with(PathPolicy::kDrill, {.unordered_only = true}));
  world.send(0, {.to = EndpointId(8), .count = 500});
  world.send(1, {.to = EndpointId(9), .count = 500, .flags = wire::kUnordered});
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(late_at(world, 8), 0U);
  std::uint64_t most = 0;
  for (const std::uint64_t packets : sent_by_uplinks(world, kWide)) {
    most = std::max(most, packets);
  }
  EXPECT_LT(most, 800U) << "the second flow is spread";
}

// CONGA.

BalancingOptions conga() { return {.flowlet_gap = 40_us}; }

struct Shares {
  double first = 0;  // of the packets of the first leaf after the first half, by the first uplink
  std::uint64_t moved = 0;
};

/// 64 flows of 300 Gb/s together from the first leaf, four packets of each in turn. Each leaves out one turn of 20, a
/// pause of 57 us, so that it may move. A small packet goes the other way for every turn.
Shares shares_of(const Clos& clos, PathPolicy path, const BalancingOptions& balancing,
                 const std::vector<LinkEvent>& events = {}) {
  constexpr int kTurns = 14'000;
  constexpr Duration kTurn = 446_ns;  // 4 x 4,178 bytes at 300 Gb/s
  EthernetOptions options = options_with(path, balancing);
  options.events = events;
  World world(two_leaves(clos), options);
  std::vector<std::uint64_t> before;
  std::uint64_t sent = 0;
  for (int i = 0; i < kTurns; ++i) {
    const Time at = Time::zero() + i * kTurn;
    world.run(at);
    if (i == kTurns / 2) {
      before = sent_by_uplinks(world, clos);
    }
    const auto flow = static_cast<std::uint16_t>(i % 64);
    const auto host = static_cast<std::uint32_t>(i % 2);
    const bool pauses = (i / 64 + flow) % 20 == 0;
    if (!pauses) {
      world.send(host, {.to = EndpointId(2 + host), .count = 4, .at = at, .entropy = flow});
    }
    world.send(2 + host, {.to = EndpointId(host), .frame_bytes = 100, .at = at, .entropy = flow});
    sent += pauses ? 1 : 5;
  }
  world.run();
  EXPECT_EQ(world.delivered() + world.fabric->drops().total(), sent);
  const std::vector<std::uint64_t> after = sent_by_uplinks(world, clos);
  double sum = 0;
  for (std::size_t i = 0; i < after.size(); ++i) {
    sum += static_cast<double>(after[i] - before[i]);
  }
  return {.first = static_cast<double>(after[0] - before[0]) / sum, .moved = sum_of_choices(world, clos).moved};
}

// The most loaded link has the least load where all have the same utilisation: in proportion to the rates behind the
// uplinks. Metrics have eight steps, so utilisations differ by up to an eighth: of a load of 300 Gb/s on 400 and 100
// Gb/s, 60 % each, the first path then has 48 to 72 Gb/s, a share of 0.16 to 0.24; with 200 Gb/s 0.25 to 0.42.
TEST(CongaSwitch, LoadGoesByTheCapacityOfPathsWhoseFarLinksDiffer) {
  const Clos quarter{.spine_rates = {100_gbps, kRate}};
  EXPECT_NEAR(shares_of(quarter, PathPolicy::kConga, conga()).first, 0.20, 0.05);
  EXPECT_NEAR(shares_of(quarter, PathPolicy::kEcmp, {}).first, 0.5, 0.13);
  EXPECT_NEAR(shares_of({.spine_rates = {200_gbps, kRate}}, PathPolicy::kConga, conga()).first, 0.33, 0.09);
}

TEST(CongaSwitch, LoadIsEvenWherePathsAre) {
  EXPECT_NEAR(shares_of({.spine_rates = {kRate, kRate}}, PathPolicy::kConga, conga()).first, 0.5, 0.06);
}

// A cable of the first path goes down to a quarter at 0.2 ms, which no route says.
TEST(CongaSwitch, FollowsALinkThatBecomesSlower) {
  const Clos equal{.spine_rates = {kRate, kRate}};
  const Graph graph = two_leaves(equal);
  const LinkEvent slower{.at = Time::zero() + 200_us,
                         .link = LinkIndex(static_cast<std::uint32_t>(graph.links.size()) - 2),
                         .kind = LinkEvent::Kind::kDegrade,
                         .rate = 100_gbps,
                         .reroute_delay = {}};
  EXPECT_NEAR(shares_of(equal, PathPolicy::kConga, conga(), {slower}).first, 0.20, 0.05);
  EXPECT_GT(shares_of(equal, PathPolicy::kEcmp, {}, {slower}).first, 0.35);
}

TEST(CongaSwitch, AFlowMovesOnlyToABetterPath) {
  // One flow of little load: all metrics are zero, and it stays.
  World world(two_leaves({.spine_rates = {kRate, kRate}}), options_with(PathPolicy::kConga, conga()));
  for (int i = 0; i < 100; ++i) {
    world.send(0, {.to = EndpointId(2), .at = Time::zero() + i * 50_us});
  }
  ASSERT_EQ(world.run_checked(), "");
  const PortChoices sum = sum_of_choices(world, {.spine_rates = {kRate, kRate}});
  EXPECT_EQ(sum.flowlets, 100U);
  EXPECT_EQ(sum.moved, 0U);
}

TEST(CongaSwitch, SurvivesALinkThatFails) {
  const Clos equal{.spine_rates = {kRate, kRate}};
  const Graph graph = two_leaves(equal);
  const LinkEvent failed{.at = Time::zero() + 200_us,
                         .link = LinkIndex(static_cast<std::uint32_t>(graph.links.size()) - 2),
                         .kind = LinkEvent::Kind::kFail,
                         .rate = {},
                         .reroute_delay = 10_us};
  EXPECT_EQ(shares_of(equal, PathPolicy::kConga, conga(), {failed}).first, 0);
}

TEST(CongaSwitch, OtherTopologiesAreRefused) {
  sim::Kernel kernel;
  PacketPool packets;
  const auto made =
      EthernetFabric::create(build_graph(FatTreeOptions{}).value(), options_with(PathPolicy::kConga, conga()),
                             {.kernel = kernel, .packets = packets, .seed = 1});
  ASSERT_FALSE(made.has_value());
  EXPECT_THAT(made.error().message, HasSubstr("takes two tiers"));
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
