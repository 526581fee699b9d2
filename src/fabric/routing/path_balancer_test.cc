#include "fabric/routing/path_balancer.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <vector>

#include "wire/packet.h"

namespace weft::fabric {
namespace {

constexpr std::array<std::uint16_t, 5> kPorts{3, 4, 9, 10, 17};
constexpr NextHops kHops(kPorts.data(), kPorts.size());
constexpr std::uint32_t kPortCount = 18;
constexpr Time kStart = Time::zero() + 1_us;
constexpr PathBalancer::Drain kDrain{6_us};

using Depths = std::array<std::uint64_t, kPortCount>;

PathBalancer balancer(const BalancingOptions& options, PathPolicy policy = PathPolicy::kAdaptive,
                      std::uint64_t seed = 1) {
  return {{.policy = policy, .ports = kPortCount, .seed = seed}, options};
}

/// Bytes wait at every port, and it sends.
Depths all_of(std::uint32_t bytes) {
  Depths depths{};
  depths.fill(depth_of(bytes, true));
  return depths;
}

std::map<std::uint16_t, int> choose(PathBalancer& from, const Depths& depths, int packets,
                                    const PathBalancer::Packet& packet = {.now = kStart}) {
  std::map<std::uint16_t, int> counts;
  for (int i = 0; i < packets; ++i) {
    ++counts[from.choose(kHops, packet, [&](std::uint32_t port) { return depths[port]; }).port];
  }
  return counts;
}

TEST(DepthGrades, AGradeBeginsAtItsBound) {
  const std::vector<Bytes> bounds{32_kib, 64_kib};
  const DepthGrades grades(bounds);
  EXPECT_EQ(grades.count(), 3U);
  EXPECT_EQ(grades.of(0), 0U);
  EXPECT_EQ(grades.of(32 * 1024 - 1), 0U);
  EXPECT_EQ(grades.of(32 * 1024), 1U);
  EXPECT_EQ(grades.of(64 * 1024), 2U);
  EXPECT_EQ(grades.of(0xFFFF'FFFE), 2U);
}

TEST(DepthGrades, WithoutBoundsAllDepthsAreEqual) { EXPECT_EQ(DepthGrades().of(0xFFFF'FFFE), 0U); }

TEST(PathBalancer, AllPortsOfTheBestGradeAreEquallyLikely) {
  PathBalancer graded = balancer({.grades = {32_kib, 64_kib}});
  Depths depths = all_of(0);
  // Four ports within the first grade, whatever their bytes; one above it.
  depths[4] = depth_of(31 * 1024, true);
  depths[9] = depth_of(5'000, false);
  depths[17] = depth_of(40 * 1024, false);
  std::map<std::uint16_t, int> counts = choose(graded, depths, 8'000);
  EXPECT_EQ(counts.size(), 4U);
  for (const std::uint16_t port : {std::uint16_t{3}, std::uint16_t{4}, std::uint16_t{9}, std::uint16_t{10}}) {
    EXPECT_NEAR(counts[port], 2'000, 200);
  }
}

TEST(PathBalancer, WithoutGradesTheShortestQueueIsTaken) {
  PathBalancer exact = balancer({});
  Depths depths = all_of(1'000);
  depths[9] = depth_of(999, true);
  EXPECT_EQ(choose(exact, depths, 100), (std::map<std::uint16_t, int>{{9, 100}}));
}

TEST(PathBalancer, WithoutGradesTiesAreBrokenEvenly) {
  PathBalancer exact = balancer({});
  Depths depths = all_of(20);
  depths[4] = depths[10] = depths[17] = depth_of(10, true);
  std::map<std::uint16_t, int> counts = choose(exact, depths, 3'000);
  ASSERT_EQ(counts.size(), 3U);
  for (const auto& [port, packets] : counts) {
    EXPECT_NEAR(packets, 1'000, 150);
  }
}

TEST(PathBalancer, APortThatSendsIsDeeperThanAnIdleOneAndLessThanAnyQueue) {
  EXPECT_LT(depth_of(0, false), depth_of(0, true));
  EXPECT_LT(depth_of(0, true), depth_of(1, false));
  EXPECT_LT(depth_of(0xFFFF'FFFE, true), depth_of(0xFFFF'FFFF, false));
  EXPECT_EQ(bytes_of(depth_of(77, true)), 77U);
}

TEST(PathBalancer, TheSameSeedGivesTheSamePorts) {
  PathBalancer a = balancer({.grades = {32_kib}});
  PathBalancer b = balancer({.grades = {32_kib}});
  for (int i = 0; i < 1'000; ++i) {
    const auto idle = [](std::uint32_t) { return depth_of(0, false); };
    ASSERT_EQ(a.choose(kHops, {.now = kStart}, idle).port, b.choose(kHops, {.now = kStart}, idle).port);
  }
}

TEST(PathBalancer, AFlowletStaysOnItsPortWithinTheGapAndMovesBehindIt) {
  PathBalancer by_flowlet = balancer({.grades = {32_kib}, .flowlet_gap = 10_us});
  Depths depths = all_of(64 * 1024);
  depths[9] = 0;
  PathBalancer::Packet packet{.flow_hash = 7, .now = kStart};
  EXPECT_EQ(choose(by_flowlet, depths, 1, packet), (std::map<std::uint16_t, int>{{9, 1}}));
  // Another port is the better one now, but the flow has not paused.
  depths = all_of(64 * 1024);
  depths[4] = 0;
  for (int i = 0; i < 5; ++i) {
    packet.now = packet.now + 9_us;
    EXPECT_EQ(choose(by_flowlet, depths, 1, packet), (std::map<std::uint16_t, int>{{9, 1}}));
  }
  packet.now = packet.now + 10_us;
  EXPECT_EQ(choose(by_flowlet, depths, 1, packet), (std::map<std::uint16_t, int>{{4, 1}}));
  EXPECT_EQ(by_flowlet.choices(9, packet.now).flowlets, 1U);
  EXPECT_EQ(by_flowlet.choices(4, packet.now).flowlets, 1U);
}

TEST(PathBalancer, FlowletsThatChangeThePortAreCounted) {
  PathBalancer by_flowlet = balancer({.flowlet_gap = 10_us}, PathPolicy::kSpray);
  const Depths none = all_of(0);
  PathBalancer::Packet packet{.flow_hash = 7, .now = kStart};
  std::uint64_t moves = 0;
  std::uint16_t last = choose(by_flowlet, none, 1, packet).begin()->first;
  for (int i = 0; i < 100; ++i) {
    packet.now = packet.now + 10_us;
    const std::uint16_t port = choose(by_flowlet, none, 1, packet).begin()->first;
    moves += port != last ? 1 : 0;
    last = port;
  }
  std::uint64_t counted = 0;
  for (const std::uint16_t port : kPorts) {
    counted += by_flowlet.choices(port, packet.now).moved;
  }
  EXPECT_EQ(counted, moves);
  EXPECT_NEAR(static_cast<double>(moves), 80, 15) << "of five ports, one is the same";
}

TEST(PathBalancer, CongaTakesTheLeastMetricAndMovesOnlyToALesserOne) {
  PathBalancer conga = balancer({.flowlet_gap = 10_us}, PathPolicy::kConga);
  Depths metrics{};
  metrics.fill(5);
  metrics[9] = 2;
  PathBalancer::Packet packet{.flow_hash = 7, .now = kStart};
  EXPECT_EQ(choose(conga, metrics, 1, packet), (std::map<std::uint16_t, int>{{9, 1}}));
  metrics.fill(2);
  packet.now = packet.now + 10_us;
  EXPECT_EQ(choose(conga, metrics, 1, packet), (std::map<std::uint16_t, int>{{9, 1}})) << "no other is better";
  metrics[17] = 1;
  EXPECT_EQ(choose(conga, metrics, 1, packet), (std::map<std::uint16_t, int>{{9, 1}})) << "within the gap";
  packet.now = packet.now + 10_us;
  EXPECT_EQ(choose(conga, metrics, 1, packet), (std::map<std::uint16_t, int>{{17, 1}}));
  EXPECT_EQ(conga.choices(17, packet.now).moved, 1U);
  EXPECT_EQ(conga.choices(9, packet.now).moved, 0U);
  // New flows take any of equal ports.
  metrics.fill(0);
  std::map<std::uint16_t, int> counts;
  for (std::uint32_t flow = 100; flow < 1'100; ++flow) {
    ++counts[choose(conga, metrics, 1, {.flow_hash = flow * 0x9E3779B9U, .now = packet.now}).begin()->first];
  }
  EXPECT_EQ(counts.size(), kPorts.size());
}

TEST(PathBalancer, DrillComparesSamplesAndWhatItsInputRemembers) {
  PathBalancer drill = balancer({.grades = {32_kib}, .drill = {.samples = 5, .memory = 0}}, PathPolicy::kDrill);
  Depths depths = all_of(100);
  depths[10] = depth_of(99, true);
  EXPECT_EQ(choose(drill, depths, 50), (std::map<std::uint16_t, int>{{10, 50}})) << "to the byte: grades are not asked";
  EXPECT_FALSE(drill.keeps_in_order(0));
  const PathBalancer unordered = balancer({.unordered_only = true}, PathPolicy::kDrill);
  EXPECT_TRUE(unordered.keeps_in_order(0));
  EXPECT_FALSE(unordered.keeps_in_order(wire::kUnordered));
}

TEST(PathBalancer, AFlowletMovesWhenItsPortIsNoNextHopAnyMore) {
  PathBalancer by_flowlet = balancer({.flowlet_gap = 10_us}, PathPolicy::kSpray);
  const auto none = [](std::uint32_t) { return std::uint64_t{0}; };
  const PathBalancer::Packet packet{.flow_hash = 7, .now = kStart};
  const std::uint16_t first = by_flowlet.choose(kHops, packet, none).port;
  const std::array<std::uint16_t, 2> others{1, 2};
  EXPECT_NE(by_flowlet.choose(NextHops(others.data(), 2), packet, none).port, first);
}

TEST(PathBalancer, FlowsOfOneEntryShareAPort) {
  PathBalancer by_flowlet = balancer({.flowlet_gap = 10_us, .flowlet_entries = 1}, PathPolicy::kSpray);
  const auto none = [](std::uint32_t) { return std::uint64_t{0}; };
  const std::uint16_t first = by_flowlet.choose(kHops, {.flow_hash = 7, .now = kStart}, none).port;
  for (std::uint32_t flow = 0; flow < 50; ++flow) {
    EXPECT_EQ(by_flowlet.choose(kHops, {.flow_hash = flow, .now = kStart}, none).port, first);
  }
}

TEST(PathBalancer, APortIsAvoidedForTheLeafAndTheTimeThatANotificationSays) {
  PathBalancer notified = balancer({.grades = {32_kib}, .notifications = NotificationOptions{.hold = 20_us}});
  const Depths idle = all_of(0);
  notified.mark_congested({.port = 9, .leaf = 2}, kDrain, kStart);
  PathBalancer::Packet packet{.leaf = 2, .now = kStart + 19_us};
  EXPECT_EQ(choose(notified, idle, 1'000, packet).count(9), 0U);
  packet.leaf = 3;
  EXPECT_EQ(choose(notified, idle, 1'000, packet).count(9), 1U) << "another leaf";
  packet = {.leaf = 2, .now = kStart + 20_us};
  EXPECT_EQ(choose(notified, idle, 1'000, packet).count(9), 1U) << "expired";
  EXPECT_EQ(notified.choices(9, packet.now).notifications_received, 1U);
}

TEST(PathBalancer, WithoutTimesOfItsOwnANotificationHoldsUntilItsThresholdHasDrained) {
  PathBalancer notified = balancer({.grades = {32_kib}, .notifications = NotificationOptions{.threshold = 64_kib}});
  const Depths idle = all_of(0);
  notified.mark_congested({.port = 9, .leaf = 2}, kDrain, kStart);
  PathBalancer::Packet packet{.leaf = 2, .now = kStart + kDrain.time - 1_ns};
  EXPECT_EQ(choose(notified, idle, 1'000, packet).count(9), 0U);
  packet.now = kStart + kDrain.time;
  EXPECT_EQ(choose(notified, idle, 1'000, packet).count(9), 1U);
  EXPECT_TRUE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart));
  EXPECT_FALSE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart + kDrain.time / 4 - 1_ns));
  EXPECT_TRUE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart + kDrain.time / 4));
}

TEST(PathBalancer, WhereAllPortsAreAvoidedTheBestGradeCountsAndTheChoiceSaysSo) {
  PathBalancer notified = balancer({.grades = {32_kib}, .notifications = NotificationOptions{.hold = 20_us}});
  Depths depths = all_of(64 * 1024);
  depths[10] = 0;
  const auto depth = [&](std::uint32_t port) { return depths[port]; };
  const PathBalancer::Packet packet{.leaf = 2, .now = kStart};
  for (const std::uint16_t port : kPorts) {
    EXPECT_FALSE(notified.choose(kHops, packet, depth).all_congested);
    notified.mark_congested({.port = port, .leaf = 2}, kDrain, kStart);
  }
  const PathBalancer::Choice made = notified.choose(kHops, packet, depth);
  EXPECT_TRUE(made.all_congested);
  EXPECT_EQ(made.port, 10);
}

TEST(PathBalancer, ANeighbourIsToldOfALeafOncePerInterval) {
  PathBalancer notified = balancer({.notifications = NotificationOptions{.threshold = 64_kib, .interval = 5_us}});
  EXPECT_EQ(notified.notify_from(), 64U * 1024);
  EXPECT_TRUE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart));
  EXPECT_FALSE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart + 4_us));
  EXPECT_TRUE(notified.claim_notification({.port = 3, .leaf = 2}, kDrain, kStart + 4_us));
  EXPECT_TRUE(notified.claim_notification({.port = 3, .leaf = 1}, kDrain, kStart + 5_us));
  EXPECT_EQ(notified.choices(3, kStart).notifications_sent, 3U);
}

TEST(PathBalancer, PortsAreChosenInProportionToTheirWeights) {
  const std::array<std::uint32_t, 5> weights{1, 2, 4, 1, 2};
  for (const PathPolicy policy : {PathPolicy::kEcmp, PathPolicy::kSpray, PathPolicy::kAdaptive}) {
    PathBalancer weighted = balancer({.grades = {32_kib}, .weighting = Weighting::kCapacity}, policy);
    std::map<std::uint16_t, int> counts;
    for (std::uint32_t i = 0; i < 10'000; ++i) {
      const PathBalancer::Packet packet{.flow_hash = i * 2'654'435'761U, .weights = weights.data(), .now = kStart};
      ++counts[weighted.choose(kHops, packet, [](std::uint32_t) { return std::uint64_t{0}; }).port];
    }
    for (std::size_t i = 0; i < kPorts.size(); ++i) {
      EXPECT_NEAR(counts[kPorts[i]], 1'000 * static_cast<int>(weights[i]), 250);
    }
  }
}

TEST(PathBalancer, OnlyUnorderedPacketsLeaveThePathOfTheirFlow) {
  const PathBalancer choosy = balancer({.unordered_only = true});
  EXPECT_TRUE(choosy.keeps_in_order(0));
  EXPECT_TRUE(choosy.keeps_in_order(wire::kControl | wire::kHasCold));
  EXPECT_FALSE(choosy.keeps_in_order(wire::kUnordered));
  EXPECT_FALSE(choosy.keeps_in_order(wire::kUnordered | wire::kHasCold));
  const PathBalancer any = balancer({});
  EXPECT_FALSE(any.keeps_in_order(0));
}

TEST(PathBalancer, ServiceLevelsThatAreNotNamedStayOnOnePath) {
  const PathBalancer named = balancer({.service_levels = 1U << 1 | 1U << 4});
  for (std::uint8_t level = 0; level < 16; ++level) {
    EXPECT_EQ(named.keeps_in_order(0, level), level != 1 && level != 4) << int{level};
  }
  const PathBalancer both = balancer({.unordered_only = true, .service_levels = 1U << 1});
  EXPECT_TRUE(both.keeps_in_order(0, 1));
  EXPECT_TRUE(both.keeps_in_order(wire::kUnordered, 0));
  EXPECT_FALSE(both.keeps_in_order(wire::kUnordered, 1));
}

TEST(PathBalancer, TimesAtAllGradesAddUpToTheTimeOfTheRun) {
  PathBalancer graded = balancer({.grades = {32_kib}});
  Depths depths = all_of(0);
  depths[3] = depth_of(40 * 1024, true);
  (void)choose(graded, depths, 1, {.now = kStart});
  (void)choose(graded, all_of(0), 1, {.now = kStart + 3_us});
  const PortChoices seen = graded.choices(3, kStart + 10_us);
  ASSERT_EQ(seen.grades.size(), 2U);
  EXPECT_EQ(seen.grades[1].time, 3_us);
  EXPECT_EQ(seen.grades[0].time, kStart.since_start() + 7_us);
  EXPECT_TRUE(graded.choices(5, kStart).grades.empty()) << "never a choice";
}

TEST(PathBalancer, EveryChoiceIsCountedAtTheGradeThatItTook) {
  PathBalancer graded = balancer({.grades = {32_kib}});
  (void)choose(graded, all_of(0), 70);
  (void)choose(graded, all_of(50 * 1024), 30);
  std::array<std::uint64_t, 2> chosen{};
  for (const std::uint16_t port : kPorts) {
    const PortChoices seen = graded.choices(port, kStart);
    chosen[0] += seen.grades[0].chosen;
    chosen[1] += seen.grades[1].chosen;
  }
  EXPECT_EQ(chosen, (std::array<std::uint64_t, 2>{70, 30}));
}

TEST(PathBalancer, PlainHashesAndSpraysNeedNone) {
  EXPECT_FALSE(PathBalancer::is_needed(PathPolicy::kEcmp, {}));
  EXPECT_FALSE(PathBalancer::is_needed(PathPolicy::kSpray, {.grades = {32_kib}}));
  EXPECT_FALSE(PathBalancer::is_needed(PathPolicy::kTable, {.weighting = Weighting::kCapacity}));
  EXPECT_TRUE(PathBalancer::is_needed(PathPolicy::kAdaptive, {}));
  EXPECT_TRUE(PathBalancer::is_needed(PathPolicy::kSpray, {.flowlet_gap = 1_us}));
  EXPECT_TRUE(PathBalancer::is_needed(PathPolicy::kEcmp, {.weighting = Weighting::kCapacity}));
  EXPECT_TRUE(PathBalancer::is_needed(PathPolicy::kEcmp, {.hash = {.function = HashFunction::kCrc32}}));
}

}  // namespace
}  // namespace weft::fabric
