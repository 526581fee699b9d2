// Leaves that restore the order of packets: of packets by number, whatever chose their paths, and of ConWeave's flows.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/random.h"
#include "fabric/ethernet/two_leaves_test_world.h"
#include "fabric/topology/fat_tree.h"

namespace weft::fabric::ethernet_test {
namespace {

struct Order {
  std::uint64_t held = 0;
  std::uint64_t queues = 0;  // most at one port
  std::uint64_t bytes = 0;   // likewise
  std::uint64_t overflows = 0;
  std::uint64_t timeouts = 0;
  std::uint64_t late = 0;
  Duration latest{};  // at one port
};

Order order_of(const World& world) {
  Order sum;
  for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
    const PortCounters counters = world.fabric->port_counters(port, world.kernel.now());
    sum.held += counters.reordered;
    sum.queues = std::max(sum.queues, counters.reorder_queues);
    sum.bytes = std::max(sum.bytes, counters.reorder_peak);
    sum.overflows += counters.reorder_overflows;
    sum.timeouts += counters.reorder_timeouts;
    sum.late += counters.reorder_late;
    sum.latest = std::max(sum.latest, counters.reorder_latest);
  }
  return sum;
}

/// The slowest way takes 11.6 us longer than the fastest: 140 packets at 400 Gb/s.
const Clos kUnequalWays{.spine_rates = {kRate, kRate, kRate, kRate}, .spine_ways = {200_ns, 2_us, 4_us, 6_us}};
constexpr Duration kDifference = 11'600_ns;

BalancingOptions reordered(const LeafReorderOptions& options = {}) { return {.reorder = options}; }

std::unique_ptr<World> sprayed(const BalancingOptions& balancing, std::uint64_t packets = 2'000) {
  auto world = std::make_unique<World>(two_leaves(kUnequalWays), options_with(PathPolicy::kSpray, balancing));
  world->send(0, {.to = EndpointId(2), .count = packets});
  EXPECT_EQ(world->run_checked(), "");
  EXPECT_EQ(world->delivered(), packets);
  return world;
}

TEST(LeafReorder, SprayedPacketsComeInOrder) {
  EXPECT_GT(late_at(*sprayed({}), 2), 500U);
  const auto ordered = sprayed(reordered());
  EXPECT_EQ(late_at(*ordered, 2), 0U);
  const Order order = order_of(*ordered);
  EXPECT_GT(order.held, 500U);
  EXPECT_EQ(order.queues, 1U);
  EXPECT_EQ(order.overflows, 0U);
  EXPECT_EQ(order.timeouts, 0U);
  // What can come before the slowest packet does: all that is sent in the difference.
  EXPECT_LE(order.bytes, static_cast<std::uint64_t>(kRate.bytes_in(kDifference).count()));
  EXPECT_GT(order.bytes, static_cast<std::uint64_t>(kRate.bytes_in(kDifference / 2).count()));
}

// Order costs nothing at the end: the last packet leaves with the last one that arrives.
TEST(LeafReorder, TheLastPacketIsAsSoonAsWithoutOrder) {
  const auto plain = sprayed({});
  const auto ordered = sprayed(reordered());
  Time last = Time::zero();
  for (const Delivery& delivery : (*plain)[2].received) {
    last = later(last, delivery.at);
  }
  const Time in_order = (*ordered)[2].received.back().at;
  EXPECT_GE(in_order, last);
  EXPECT_LE(in_order, last + kDifference) << "what waited leaves at the rate of the port";
}

TEST(LeafReorder, ABufferThatIsTooShortPassesPacketsOutOfOrder) {
  const auto world = sprayed(reordered({.buffer = Bytes(40 * 4158)}));
  EXPECT_GT(late_at(*world, 2), 50U);
  const Order order = order_of(*world);
  EXPECT_GT(order.overflows, 20U);
  EXPECT_LE(order.bytes, 40U * 4158U);
}

TEST(LeafReorder, AWaitThatIsTooShortPassesPacketsOutOfOrder) {
  const auto world = sprayed(reordered({.wait = 4_us}));
  EXPECT_GT(late_at(*world, 2), 50U);
  EXPECT_GT(order_of(*world).timeouts, 10U);
}

// What came after its wait says how long one should be.
TEST(LeafReorder, AWaitForTheLatestOfThosePacketsKeepsTheOrder) {
  const Order brief = order_of(*sprayed(reordered({.wait = 4_us})));
  EXPECT_GT(brief.late, 50U);
  EXPECT_GT(brief.latest, 4_us);
  EXPECT_LE(brief.latest, kDifference);
  const auto long_enough = sprayed(reordered({.wait = brief.latest + 1_ns}));
  EXPECT_EQ(late_at(*long_enough, 2), 0U);
  EXPECT_EQ(order_of(*long_enough).timeouts, 0U);
  EXPECT_EQ(order_of(*long_enough).late, 0U);
}

// Two hosts send to one: their flows need a queue each.
TEST(LeafReorder, FlowsWithoutAQueuePassOutOfOrder) {
  for (const std::uint32_t queues : {1U, 2U}) {
    World world(two_leaves(kUnequalWays), options_with(PathPolicy::kSpray, reordered({.queues = queues})));
    world.send(0, {.to = EndpointId(2), .count = 1'000});
    world.send(1, {.to = EndpointId(2), .count = 1'000});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(order_of(world).queues, queues);
    EXPECT_EQ(order_of(world).overflows > 0, queues == 1);
    EXPECT_EQ(late_at(world, 2) > 0, queues == 1);
  }
}

// A lost packet is waited for once; nothing else is lost, late or left behind.
TEST(LeafReorder, LostPacketsAreGivenUpAfterTheWait) {
  EthernetOptions options = options_with(PathPolicy::kSpray, reordered({.wait = 20_us}));
  const Graph graph = two_leaves(kUnequalWays);
  options.packet_error_rate.assign(graph.links.size(), Probability::zero());
  options.packet_error_rate.back() = Probability::from_ratio({.numerator = 1, .denominator = 100});  // one way of four
  World world(two_leaves(kUnequalWays), options);
  world.send(0, {.to = EndpointId(2), .count = 4'000});
  ASSERT_EQ(world.run_checked(), "");
  const std::uint64_t lost = world.fabric->drops().total();
  EXPECT_GT(lost, 3U);
  EXPECT_EQ(world.delivered(), 4'000 - lost);
  EXPECT_EQ(late_at(world, 2), 0U);
  EXPECT_GT(order_of(world).timeouts, 0U);
  EXPECT_LE(order_of(world).timeouts, lost);
  EXPECT_EQ(order_of(world).late, 0U) << "what is lost does not come later";
}

TEST(LeafReorder, WhateverChoosesThePaths) {
  for (const PathPolicy path : {PathPolicy::kSpray, PathPolicy::kAdaptive, PathPolicy::kDrill}) {
    for (const bool orders : {false, true}) {
      World world(two_leaves(kUnequalWays), options_with(path, orders ? reordered() : BalancingOptions{}));
      world.send(0, {.to = EndpointId(2), .count = 1'000});
      world.send(1, {.to = EndpointId(3), .count = 1'000});
      ASSERT_EQ(world.run_checked(), "");
      EXPECT_EQ(world.delivered(), 2'000U);
      EXPECT_EQ(late_at(world, 2) + late_at(world, 3) == 0, orders);
    }
  }
}

// ConWeave.

BalancingOptions conweave(const ConWeaveOptions& options = {}, const LeafReorderOptions& reorder = {}) {
  return {.conweave = options, .reorder = reorder};
}

const Clos kEqual{.spine_rates = std::vector<Rate>(4, kRate)};

TEST(ConWeaveSwitch, AFlowStaysWhereNothingIsSlow) {
  World world(two_leaves(kEqual), options_with(PathPolicy::kConWeave, conweave()));
  world.send(0, {.to = EndpointId(2), .count = 3'000});
  ASSERT_EQ(world.run_checked(), "");
  std::vector<std::uint64_t> sent = sent_by_uplinks(world, kEqual);
  std::ranges::sort(sent);
  EXPECT_EQ(sent[3], 3'000U);
  EXPECT_EQ(sum_of_choices(world, kEqual).flowlets, 1U);
  EXPECT_EQ(sum_of_choices(world, kEqual).moved, 0U);
  EXPECT_EQ(order_of(world).held, 0U);
  EXPECT_EQ(world.delivered(), 3'000U) << "requests and replies reach no host";
}

// Two flows of 400 Gb/s; where both begin by one spine, one of them moves. By a hash they would stay: half the rate.
TEST(ConWeaveSwitch, FlowsThatMeetPart) {
  int met = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    World world(two_leaves(kEqual), options_with(PathPolicy::kConWeave, conweave()), seed);
    world.send(0, {.to = EndpointId(2), .count = 4'000});
    world.send(1, {.to = EndpointId(3), .count = 4'000});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(world.delivered(), 8'000U);
    EXPECT_EQ(late_at(world, 2) + late_at(world, 3), 0U) << "seed " << seed;
    EXPECT_EQ(order_of(world).timeouts, 0U) << "seed " << seed;
    const Duration alone = 4'000 * wire_time(kRate, 4158);
    const Duration taken = later(world[2].received.back().at, world[3].received.back().at) - Time::zero();
    EXPECT_LT(taken, alone * 5 / 4) << "seed " << seed;
    met += sum_of_choices(world, kEqual).moved > 0 ? 1 : 0;
  }
  EXPECT_GT(met, 1) << "one pair in four begins by one spine";
}

// Random worlds: ways of other lengths and rates, flows that come and go. In every one all packets arrive, and where no
// wait ended early each flow is in order.
TEST(ConWeaveSwitch, RestoresTheOrderInRandomWorlds) {
  std::uint64_t held = 0;
  std::uint64_t in_order = 0;
  for (std::uint64_t seed = 1; seed <= 16; ++seed) {
    RandomStream random(seed, "order");
    const auto draw = [&](std::uint32_t count) { return static_cast<std::uint32_t>(random.uniform(count)); };
    Clos clos{.hosts_per_leaf = 4};
    for (int spine = 0; spine < 4; ++spine) {
      clos.spine_rates.push_back(draw(2) == 0 ? kRate : 100_gbps);
      clos.spine_ways.push_back(Duration::nanoseconds(100 + draw(1'500)));
    }
    World world(two_leaves(clos), options_with(PathPolicy::kConWeave, conweave({.resume_margin = 100_us})), seed);
    for (std::uint32_t host = 0; host < 4; ++host) {
      for (int load = 0; load < 6; ++load) {
        world.send(host, {.to = EndpointId(4 + draw(4)),
                          .count = 50 + draw(400),
                          .at = Time::zero() + Duration::microseconds(load * 60 + draw(40))});
      }
    }
    ASSERT_EQ(world.run_checked(), "") << "seed " << seed;
    EXPECT_EQ(world.fabric->drops().total(), 0U);
    const Order order = order_of(world);
    held += order.held;
    std::uint64_t late = 0;
    for (std::uint32_t host = 4; host < 8; ++host) {
      late += late_at(world, host);
    }
    if (order.timeouts == 0 && order.overflows == 0) {
      EXPECT_EQ(late, 0U) << "seed " << seed;
      ++in_order;
    }
  }
  EXPECT_GT(held, 1'000U);
  EXPECT_GE(in_order, 12U);
}

TEST(ConWeaveSwitch, WorksOverThreeTiers) {
  const auto graph = build_graph(FatTreeOptions{.radix = 4, .tiers = 3});
  ASSERT_TRUE(graph.has_value());
  const std::uint32_t hosts = graph->endpoints;
  World world(*graph, options_with(PathPolicy::kConWeave, conweave()));
  for (std::uint32_t host = 0; host < hosts; ++host) {
    world.send(host, {.to = EndpointId((host + hosts / 2) % hosts), .count = 1'500});
  }
  ASSERT_EQ(world.run_checked(), "");
  EXPECT_EQ(world.delivered(), 1'500U * hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    EXPECT_EQ(late_at(world, host), 0U);
  }
  EXPECT_EQ(order_of(world).timeouts, 0U);
}

// A spine fails under traffic, and comes back; whatever waits is released or counted as dropped.
TEST(ConWeaveSwitch, OutlivesFailures) {
  const Graph graph = two_leaves(kEqual);
  for (const std::uint32_t link : {4U, 8U, 2U}) {  // from the first leaf, to the second, to a host
    EthernetOptions options = options_with(PathPolicy::kConWeave, conweave());
    options.events = {{.at = Time::zero() + 40_us,
                       .link = LinkIndex(link),
                       .kind = LinkEvent::Kind::kFail,
                       .rate = {},
                       .reroute_delay = 20_us},
                      {.at = Time::zero() + 150_us,
                       .link = LinkIndex(link),
                       .kind = LinkEvent::Kind::kRestore,
                       .rate = {},
                       .reroute_delay = 20_us}};
    World world(two_leaves(kEqual), options);
    world.send(0, {.to = EndpointId(2), .count = 4'000});
    world.send(1, {.to = EndpointId(3), .count = 4'000});
    ASSERT_EQ(world.run_checked(), "");
    // Answers that are lost count as drops, too.
    EXPECT_LE(world.delivered(), 8'000U);
    EXPECT_GE(world.delivered() + world.fabric->drops().total(), 8'000U);
    EXPECT_GT(world.delivered(), 5'000U);
    EXPECT_EQ(world.packets.live_count(), 0U);
  }
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
