// Switches that choose among paths by more than a hash: what stays in order, weights, congestion notifications.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 200_ns};
constexpr std::uint16_t kUplinks = 2;  // of the first leaf: its ports behind those of its hosts

/// Two hosts on leaf0, two on leaf1, two spines between them; spine0's cable to leaf1 has another rate.
Graph two_spines(Rate of_one_link) {
  GraphBuilder builder(Domains::kOne);
  builder.add_hosts({.hosts = 4});
  std::vector<NodeIndex> leaves{builder.add_switch({.name = "leaf0"}), builder.add_switch({.name = "leaf1"})};
  std::vector<NodeIndex> spines{builder.add_switch({.name = "spine0", .tier = 2}),
                                builder.add_switch({.name = "spine1", .tier = 2})};
  for (std::uint32_t i = 0; i < 4; ++i) {
    builder.connect({.lower = NodeIndex(i), .upper = leaves[i / 2]}, kCable);
  }
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf) {
    for (std::uint32_t spine = 0; spine < 2; ++spine) {
      const bool special = leaf == 1 && spine == 0;
      builder.connect({.lower = leaves[leaf], .upper = spines[spine]},
                      {.rate = special ? of_one_link : kCable.rate, .propagation = kCable.propagation});
    }
  }
  return std::move(builder).finish();
}

EthernetOptions options_with(PathPolicy path, const BalancingOptions& balancing) {
  EthernetOptions options = one_profile(300_ns);
  options.switches[0].path = path;
  options.switches[0].balancing = balancing;
  return options;
}

/// Of leaf0: to spine 0 or 1.
PortIndex uplink(const World& world, std::uint32_t spine) {
  return world.fabric->port_index({NodeIndex(4), static_cast<std::uint16_t>(2 + spine)});
}
std::uint64_t sent_by(const World& world, PortIndex port) { return world.fabric->port(port).packets_sent; }
std::uint64_t chosen(const World& world, PortIndex port) {
  std::uint64_t sum = 0;
  for (const GradeCounters& grade : world.fabric->choices(port, world.kernel.now()).grades) {
    sum += grade.chosen;
  }
  return sum;
}

TEST(Multipath, OnlyUnorderedPacketsAreSpreadWhereTheOthersMustStayInOrder) {
  World world(two_spines(400_gbps), options_with(PathPolicy::kAdaptive, {.grades = {32_kib}, .unordered_only = true}));
  world.send(0, {.to = EndpointId(2), .count = 400, .entropy = 1});
  world.send(0, {.to = EndpointId(3), .count = 400, .entropy = 2, .flags = wire::kUnordered});
  ASSERT_EQ(world.run_checked(), "");
  ASSERT_EQ(world[2].received.size(), 400U);
  for (std::size_t i = 1; i < 400; ++i) {
    EXPECT_LT(world[2].received[i - 1].number, world[2].received[i].number);
  }
  EXPECT_EQ(chosen(world, uplink(world, 0)) + chosen(world, uplink(world, 1)), 400U);
  EXPECT_NEAR(static_cast<double>(chosen(world, uplink(world, 0))), 200, 60);
}

TEST(Multipath, PortsOfEveryPolicyAreUsedInProportionToTheCapacityBehindThem) {
  for (const PathPolicy path : {PathPolicy::kSpray, PathPolicy::kAdaptive}) {
    World world(two_spines(100_gbps), options_with(path, {.grades = {4_mib}, .weighting = Weighting::kCapacity}));
    world.send(0, {.to = EndpointId(2), .count = 2'000});
    ASSERT_EQ(world.run_checked(), "");
    EXPECT_EQ(sent_by(world, uplink(world, 0)) + sent_by(world, uplink(world, 1)), 2'000U);
    EXPECT_NEAR(static_cast<double>(sent_by(world, uplink(world, 0))), 400, 80);
  }
}

TEST(Multipath, WeightsFollowALinkThatFails) {
  EthernetOptions options = options_with(PathPolicy::kSpray, {.weighting = Weighting::kCapacity});
  // The last cable but two is that of leaf1 to spine0.
  const Graph graph = two_spines(100_gbps);
  options.events.push_back({.at = Time::zero() + 1_ps,
                            .link = LinkIndex(static_cast<std::uint32_t>(graph.links.size()) - 2),
                            .rate = {},
                            .reroute_delay = 1_us});
  World world(two_spines(100_gbps), options);
  world.send(0, {.to = EndpointId(2), .count = 500, .at = Time::zero() + 10_us});
  world.run();
  EXPECT_EQ(world.delivered(), 500U);
  EXPECT_EQ(sent_by(world, uplink(world, 1)), 500U);
}

BalancingOptions notifying() {
  return {.grades = {32_kib, 64_kib, 128_kib},
          .notifications = NotificationOptions{.threshold = 32_kib, .hold = 20_us, .interval = 5_us}};
}

TEST(Notifications, ALeafAvoidsTheSpineWhoseOtherLinkIsCongested) {
  const auto to_slow_spine = [](const BalancingOptions& balancing) {
    World world(two_spines(40_gbps), options_with(PathPolicy::kAdaptive, balancing));
    world.send(0, {.to = EndpointId(2), .count = 3'000});
    EXPECT_EQ(world.run_checked(), "");
    EXPECT_EQ(world.delivered(), 3'000U);
    return sent_by(world, uplink(world, 0));
  };
  BalancingOptions alone = notifying();
  alone.notifications.reset();
  EXPECT_LT(2 * to_slow_spine(notifying()), to_slow_spine(alone));
}

TEST(Notifications, AreFramesThatAreCountedAtBothEnds) {
  World world(two_spines(40_gbps), options_with(PathPolicy::kAdaptive, notifying()));
  world.send(0, {.to = EndpointId(2), .count = 1'000});
  ASSERT_EQ(world.run_checked(), "");
  const PortChoices heard = world.fabric->choices(uplink(world, 0), world.kernel.now());
  const PortChoices told = world.fabric->choices(world.fabric->port(uplink(world, 0)).peer, world.kernel.now());
  EXPECT_GT(heard.notifications_received, 0U);
  EXPECT_EQ(heard.notifications_received, told.notifications_sent);
  // At most one for each interval, and one at the start.
  EXPECT_LE(told.notifications_sent, static_cast<std::uint64_t>(world.kernel.now().since_start() / 5_us) + 1);
}

TEST(Notifications, APortIsUsedAgainWhenTheHoldIsOver) {
  World world(two_spines(40_gbps), options_with(PathPolicy::kAdaptive, notifying()));
  world.send(0, {.to = EndpointId(2), .count = 500});
  world.run(Time::zero() + 300_us);
  ASSERT_EQ(world.delivered(), 500U);
  const std::uint64_t before = sent_by(world, uplink(world, 0));
  world.send(0, {.to = EndpointId(2), .count = 20, .at = world.kernel.now() + 1_us});
  world.run();
  EXPECT_GT(sent_by(world, uplink(world, 0)), before);
}

TEST(Notifications, AnIncastAtTheLastHopTellsNobody) {
  World world(two_spines(400_gbps), options_with(PathPolicy::kAdaptive, notifying()));
  for (const std::uint32_t from : {0U, 1U}) {
    world.send(from, {.to = EndpointId(2), .count = 500});
  }
  ASSERT_EQ(world.run_checked(), "");
  for (std::uint16_t port = 0; port < kUplinks + 2; ++port) {
    const PortIndex index = world.fabric->port_index({NodeIndex(5), port});
    EXPECT_EQ(world.fabric->choices(index, world.kernel.now()).notifications_sent, 0U);
  }
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
