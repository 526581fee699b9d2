// Which packet leaves a switch first, which is marked, which is dropped, and what the counters say.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kIn{100_gbps, 100_ns};
constexpr Cable kOut{37_gbps, 100_ns};

EthernetOptions all_lossless() {
  EthernetOptions options;
  for (PriorityOptions& priority : options.ports[0].priorities) {
    priority.lossless = true;
    priority.headroom = Bytes(20'000);
    priority.ingress_alpha_shift = 3;
  }
  return options;
}

TEST(EthernetScheduling, AStrictPriorityGoesBeforeAllLowerOnes) {
  World world(star({kIn, kIn, kOut}), all_lossless());
  world.send(0, {.to = EndpointId(2), .count = 50, .priority = 6});
  world.send(1, {.to = EndpointId(2), .count = 50, .priority = 2});
  world.run();
  int low = 0;
  int high = 0;
  for (const Delivery& delivery : world[2].received) {
    if (delivery.common.priority == 6) {
      ++high;
      // At most the one that found the port idle.
      EXPECT_LE(low, 1);
    } else {
      ++low;
    }
  }
  EXPECT_EQ(high, 50);
  EXPECT_EQ(low, 50);
}

struct Shares {
  std::array<std::uint16_t, 3> weights;
  std::array<std::uint16_t, 3> frames;
};

class EthernetDwrr : public ::testing::TestWithParam<Shares> {};

// Shreedhar and Varghese: what two backlogged queues have sent differs, per unit of weight, by no more than a quantum
// and a packet of each.
TEST_P(EthernetDwrr, SharesBytesByWeightWhateverTheFrames) {
  const Shares& given = GetParam();
  EthernetOptions options = all_lossless();
  for (std::size_t p = 0; p < 3; ++p) {
    options.ports[0].priorities[p].dwrr_weight = given.weights[p];
  }
  World world(star({kIn, kIn, kIn, {10_gbps, 100_ns}}), options);
  constexpr std::int64_t kEach = 1'000'000;
  for (std::uint8_t p = 0; p < 3; ++p) {
    world.send(p, {.to = EndpointId(3),
                   .count = static_cast<std::uint64_t>(kEach / given.frames[p]),
                   .frame_bytes = given.frames[p],
                   .priority = p});
  }
  world.run();
  std::array<double, 3> sent{};
  std::array<std::size_t, 3> count{};
  int checked = 0;
  for (const Delivery& delivery : world[3].received) {
    const std::size_t p = delivery.common.priority;
    sent[p] += delivery.common.frame_bytes;
    if (++count[p] == static_cast<std::size_t>(kEach / given.frames[p]) - 1) {
      break;  // one queue runs empty: the others share what it leaves
    }
    if (++checked < 40) {
      continue;  // until all are backlogged
    }
    for (std::size_t other = 0; other < 3; ++other) {
      const double bound =
          256 + 2.0 * given.frames[p] / given.weights[p] + 2.0 * given.frames[other] / given.weights[other];
      EXPECT_LE(std::abs(sent[p] / given.weights[p] - sent[other] / given.weights[other]), bound + 40.0 * 4158);
    }
  }
  const double unit = (sent[0] + sent[1] + sent[2]) / (given.weights[0] + given.weights[1] + given.weights[2]);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_NEAR(sent[p] / given.weights[p] / unit, 1.0, 0.05) << p;
  }
}

INSTANTIATE_TEST_SUITE_P(Weights, EthernetDwrr,
                         ::testing::Values(Shares{{1, 1, 1}, {4158, 4158, 4158}}, Shares{{1, 1, 1}, {64, 1086, 4158}},
                                           Shares{{6, 3, 1}, {4158, 4158, 4158}},
                                           Shares{{1, 2, 3}, {4158, 1086, 300}}));

TEST(EthernetScheduling, AStrictPriorityLeavesTheRestToWeights) {
  EthernetOptions options = all_lossless();
  options.ports[0].priorities[0].dwrr_weight = 1;
  options.ports[0].priorities[1].dwrr_weight = 1;
  World world(star({kIn, kIn, kIn, {10_gbps, 100_ns}}), options);
  for (std::uint8_t p = 0; p < 3; ++p) {
    world.send(p, {.to = EndpointId(3), .count = 100, .priority = p});
  }
  world.run();
  std::array<int, 3> count{};
  for (const Delivery& delivery : world[3].received) {
    ++count[delivery.common.priority];
    if (delivery.common.priority == 2) {
      EXPECT_LE(count[0] + count[1], 2);
    }
  }
  EXPECT_EQ(count[2], 100);
}

// docs/decisions/0011: the depth is that of the queue with the packet that leaves, without the one on the wire.
TEST(EthernetMarking, TheDepthCountsThePacketThatLeavesAndNotTheOneOnTheWire) {
  constexpr std::uint16_t kFrame = 1086;
  constexpr int kPackets = 40;
  for (const std::int64_t kmin_frames : {1, 3, 10}) {
    EthernetOptions options = one_profile();
    options.ports[0].priorities[3].ecn =
        RedOptions{Bytes(kmin_frames * kFrame), Bytes(kmin_frames * kFrame), Probability::one()};
    World world(star({kIn, kOut}), options);
    world.send(0, {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
    world.run();
    // The queue by hand: packet i is there from arrive(i) on, and leaves when the one before it has.
    const Duration in = wire_time(kIn.rate, kFrame);
    const Duration out = wire_time(kOut.rate, kFrame);
    std::uint32_t expected = 0;
    Duration free;
    for (int i = 0; i < kPackets; ++i) {
      const Duration leaves = std::max(free, in * (i + 1));
      const std::int64_t there = std::min<std::int64_t>(leaves / in, kPackets);  // have arrived by then
      const bool waited = leaves > in * (i + 1);
      expected += waited && there - i > kmin_frames ? 1 : 0;
      free = leaves + out;
    }
    ASSERT_GT(expected, 0U);
    std::uint32_t marked = 0;
    for (const Delivery& delivery : world[1].received) {
      marked += delivery.common.ecn == wire::Ecn::kCe ? 1 : 0;
    }
    EXPECT_EQ(marked, expected) << kmin_frames;
    EXPECT_EQ(world.fabric->queue(world.switch_port(1), 3).marked, expected);
  }
}

TEST(EthernetMarking, WhatCannotTakeAMarkGetsNone) {
  EthernetOptions options = one_profile();
  options.ports[0].priorities[3].ecn = RedOptions{Bytes(0), Bytes(0), Probability::one()};
  World world(star({kIn, kOut}), options);
  world.send(0, {.to = EndpointId(1), .count = 30, .ecn = wire::Ecn::kNotEct});
  world.run();
  ASSERT_EQ(world[1].received.size(), 30U);
  for (const Delivery& delivery : world[1].received) {
    EXPECT_EQ(delivery.common.ecn, wire::Ecn::kNotEct);
  }
}

TEST(EthernetLossy, TheEgressQueueIsCutOffAtAlphaOfWhatIsLeft) {
  constexpr std::int64_t kBuffer = 400'000;
  for (const int shift : {-2, 0, 2}) {
    EthernetOptions options;
    options.switches[0].buffer = Bytes(kBuffer);
    options.ports[0].priorities[1].ingress_alpha_shift = 6;
    options.ports[0].priorities[1].egress_alpha_shift = static_cast<std::int8_t>(shift);
    World world(star({kIn, kOut}), options);
    world.send(0, {.to = EndpointId(1), .count = 1'000, .priority = 1});
    world.run();
    // One queue alone holds q = alpha (B - q), and the packet that crossed it.
    const double alpha = std::exp2(shift);
    const double level = alpha * kBuffer / (1 + alpha);
    const std::uint32_t peak = world.fabric->queue(world.switch_port(1), 1).peak_bytes;
    EXPECT_GE(peak, level) << shift;
    EXPECT_LT(peak, level + 4158) << shift;
    EXPECT_GT(world.fabric->drops().buffer_full, 0U);
    EXPECT_EQ(world.fabric->drops().buffer_full, world.fabric->drops_at(world.switch_port(0)));
    EXPECT_EQ(world.delivered() + world.fabric->drops().total(), 1'000U);
    EXPECT_EQ(world.fabric->pauses(world.switch_port(0)).pauses_sent[1], 0U);
  }
}

TEST(EthernetLossy, AFullLossyClassTakesNothingFromALosslessOne) {
  EthernetOptions options = one_profile();
  options.switches[0].buffer = Bytes(300'000);
  World world(star({kIn, kIn, kOut}), options);
  world.send(0, {.to = EndpointId(2), .count = 500, .priority = 1});
  world.send(1, {.to = EndpointId(2), .count = 500, .priority = 3});
  world.run();
  std::uint64_t lossless = 0;
  for (const Delivery& delivery : world[2].received) {
    lossless += delivery.common.priority == 3 ? 1 : 0;
  }
  EXPECT_EQ(lossless, 500U);
  EXPECT_EQ(world.fabric->drops_at(world.switch_port(1)), 0U);
  EXPECT_EQ(world.fabric->drops_at(world.switch_port(0)), world.fabric->drops().buffer_full);
}

TEST(EthernetCounters, CountPacketsAndBytesPerQueueAndHop) {
  World world(chain({kIn, kIn, kOut}), one_profile());
  world.send(0, {.to = EndpointId(1), .count = 7, .frame_bytes = 1000, .priority = 3});
  world.send(0, {.to = EndpointId(1), .count = 5, .frame_bytes = 200, .priority = 0});
  world.run();
  const PortIndex last = world.switch_port(1);
  EXPECT_EQ(world.fabric->queue(last, 3).tx_packets, 7U);
  EXPECT_EQ(world.fabric->queue(last, 3).tx_bytes, 7'000U);
  EXPECT_EQ(world.fabric->queue(last, 0).tx_packets, 5U);
  EXPECT_EQ(world.fabric->queue(last, 0).tx_bytes, 1'000U);
  EXPECT_EQ(world.fabric->packets_sent(), 3U * 12U);  // every packet over three cables
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
