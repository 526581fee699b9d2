// InfiniBand switches that choose among paths by load: what stays with the forwarding table, congestion notifications.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/infiniband/test_world.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 200_ns};

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

InfiniBandOptions adaptive(const BalancingOptions& balancing) {
  InfiniBandOptions options;
  options.switches[0].path = PathPolicy::kAdaptive;
  options.switches[0].balancing = balancing;
  return options;
}

std::uint64_t sent_to_spine(const World& world, std::uint16_t spine) {
  return world.fabric->port(world.port_of("leaf0", static_cast<std::uint16_t>(2 + spine))).packets_sent;
}

TEST(InfiniBandMultipath, WhatMustStayInOrderGoesByTheForwardingTable) {
  World world(two_spines(400_gbps), adaptive({.grades = {32_kib}, .unordered_only = true}));
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 300});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(std::min(sent_to_spine(world, 0), sent_to_spine(world, 1)), 0U);
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 300, .flags = wire::kUnordered});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  EXPECT_GT(std::min(sent_to_spine(world, 0), sent_to_spine(world, 1)), 100U);
  EXPECT_EQ(world.senders[2].received.size(), 600U);
}

TEST(InfiniBandMultipath, EachLidOfAPortHasAPathOfItsOwn) {
  for (const int control : {0, 1}) {
    InfiniBandOptions options;
    options.lid_mask_control = static_cast<std::uint8_t>(control);
    World world(two_spines(400_gbps), options);
    world.send(EndpointId(0), {.to = EndpointId(2), .count = 100, .entropy = 0xC000});
    world.send(EndpointId(0), {.to = EndpointId(2), .count = 40, .entropy = 0xC001});
    ASSERT_EQ(world.run_checked(Time::never()), "");
    EXPECT_EQ(world.senders[2].received.size(), 140U);
    const std::uint64_t fewer = std::min(sent_to_spine(world, 0), sent_to_spine(world, 1));
    EXPECT_EQ(fewer, control == 0 ? 0U : 40U) << "without an LMC the low bits mean nothing";
  }
}

TEST(InfiniBandMultipath, ServiceLevelsThatAreNotAdaptiveGoByTheForwardingTable) {
  World world(two_spines(400_gbps), adaptive({.grades = {32_kib}, .service_levels = 1U << 1}));
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 300, .service_level = 0});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(std::min(sent_to_spine(world, 0), sent_to_spine(world, 1)), 0U);
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 300, .service_level = 1});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  EXPECT_GT(std::min(sent_to_spine(world, 0), sent_to_spine(world, 1)), 100U);
  EXPECT_EQ(world.senders[2].received.size(), 600U);
}

TEST(InfiniBandMultipath, ALeafAvoidsTheSpineWhoseOtherLinkIsCongested) {
  const auto to_slow_spine = [](const BalancingOptions& balancing, std::uint64_t& heard) {
    World world(two_spines(40_gbps), adaptive(balancing));
    world.send(EndpointId(0), {.to = EndpointId(2), .count = 3'000});
    EXPECT_EQ(world.run_checked(Time::never()), "");
    EXPECT_EQ(world.senders[2].received.size(), 3'000U);
    heard = world.fabric->choices(world.port_of("leaf0", 2), world.kernel.now()).notifications_received;
    return sent_to_spine(world, 0);
  };
  BalancingOptions balancing{.grades = {16_kib, 32_kib}};
  std::uint64_t heard = 0;
  const std::uint64_t alone = to_slow_spine(balancing, heard);
  EXPECT_EQ(heard, 0U);
  balancing.notifications = NotificationOptions{.threshold = 16_kib, .hold = 20_us, .interval = 5_us};
  EXPECT_LT(to_slow_spine(balancing, heard), alone);
  EXPECT_GT(heard, 0U);
}

TEST(InfiniBandMultipath, NotificationsAreNoFlowControlPackets) {
  BalancingOptions balancing{.grades = {16_kib}};
  balancing.notifications = NotificationOptions{.threshold = 16_kib, .hold = 20_us, .interval = 1_us};
  World world(two_spines(40_gbps), adaptive(balancing));
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 1'000});
  ASSERT_EQ(world.run_checked(Time::never()), "");
  const PortIndex leaf = world.port_of("leaf0", 2);
  const PortIndex spine = world.fabric->port(leaf).peer;
  EXPECT_GT(world.fabric->choices(spine, world.kernel.now()).notifications_sent, 0U);
  EXPECT_EQ(world.fabric->counters(leaf, world.kernel.now()).credits_received,
            world.fabric->counters(spine, world.kernel.now()).credits_sent);
}

}  // namespace
}  // namespace weft::fabric::ib_test
