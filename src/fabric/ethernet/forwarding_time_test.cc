// When packets arrive that meet nobody, or only each other: exact to the picosecond.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"

namespace weft::fabric::ethernet_test {
namespace {

constexpr Cable kFast{400_gbps, 17_ns};
constexpr Cable kSlow{100_gbps, 1_us};
constexpr Cable kOdd{37_gbps, 3_ns};  // bytes of no whole number of picoseconds
constexpr std::uint16_t kFrame = 4158;

Time arrival_over(const std::vector<Cable>& cables, EthernetOptions options, std::uint16_t frame = kFrame) {
  World world(chain(cables), std::move(options));
  world.send(0, {.to = EndpointId(1), .frame_bytes = frame});
  world.run();
  EXPECT_EQ(world[1].received.size(), 1U);
  return world[1].received.at(0).at;
}

TEST(EthernetLatency, StoreAndForwardIsTheSumOfSerialisationPropagationAndPipelines) {
  for (const auto& cables : {std::vector{kFast, kFast}, std::vector{kFast, kSlow, kOdd}, std::vector(6, kOdd),
                             std::vector{kSlow, kFast, kFast, kSlow, kOdd}}) {
    for (const std::uint16_t frame : {std::uint16_t{64}, std::uint16_t{1086}, kFrame}) {
      const Duration pipeline = 450_ns;
      Duration expected = pipeline * static_cast<std::int64_t>(cables.size() - 1);
      for (const Cable& cable : cables) {
        expected += wire_time(cable.rate, frame) + cable.propagation;
      }
      EXPECT_EQ(arrival_over(cables, one_profile(pipeline), frame), Time::zero() + expected);
    }
  }
}

EthernetOptions cut_through(Duration pipeline) {
  EthernetOptions options = one_profile(pipeline);
  options.switches[0].forwarding = Forwarding::kCutThrough;
  return options;
}

TEST(EthernetLatency, CutThroughSerialisesOnceAndWaitsForTheHeadersAtEachSwitch) {
  const Duration pipeline = 300_ns;
  for (const Cable& cable : {kFast, kSlow, kOdd}) {
    for (const std::int64_t switches : {1, 2, 5}) {
      const std::vector<Cable> cables(static_cast<std::size_t>(switches) + 1, cable);
      // Preamble, Ethernet, IP, UDP and BTH with its RETH lie in the first 80 bytes on the wire.
      const Duration headers = cable.rate.transmit_time(Bytes(80));
      const Duration expected =
          (headers + cable.propagation + pipeline) * switches + wire_time(cable.rate, kFrame) + cable.propagation;
      EXPECT_EQ(arrival_over(cables, cut_through(pipeline)), Time::zero() + expected);
    }
  }
}

// docs/decisions/0013: a switch stores what comes in slower than its fastest way out.
TEST(EthernetLatency, CutThroughStoresAPacketThatCouldRunDry) {
  const Duration headers = kFast.rate.transmit_time(Bytes(80));
  const Duration into_faster =
      wire_time(kSlow.rate, kFrame) + kSlow.propagation + wire_time(kFast.rate, kFrame) + kFast.propagation;
  EXPECT_EQ(arrival_over({kSlow, kFast}, cut_through({})), Time::zero() + into_faster);
  const Duration into_slower = headers + kFast.propagation + wire_time(kSlow.rate, kFrame) + kSlow.propagation;
  EXPECT_EQ(arrival_over({kFast, kSlow}, cut_through({})), Time::zero() + into_slower);
}

TEST(EthernetThroughput, BackToBackPacketsTakeTheSumOfTheirWireTimes) {
  for (const Cable& cable : {kFast, kSlow, kOdd}) {
    constexpr std::int64_t kPackets = 200;
    World world(chain({cable, cable}), one_profile(100_ns));
    world.send(0, {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
    world.run();
    const auto& received = world[1].received;
    ASSERT_EQ(received.size(), static_cast<std::size_t>(kPackets));
    EXPECT_EQ(received.back().at - received.front().at, wire_time(cable.rate, kFrame) * (kPackets - 1));
  }
}

TEST(EthernetThroughput, AnIncastKeepsItsBottleneckBusyFromTheFirstPacketToTheLast) {
  for (const std::uint32_t senders : {1U, 2U, 7U, 20U}) {
    constexpr std::uint64_t kPackets = 60;
    PriorityOptions shallow;
    // Twice what comes in between a resumption and its effect.
    shallow.ingress_limit = Bytes(2 * 7 * kFrame);
    shallow.xon_offset = Bytes(kFrame);
    const std::vector<Cable> cables(senders + 1, kSlow);
    World world(star(cables), one_profile(200_ns, shallow));
    for (std::uint32_t i = 0; i < senders; ++i) {
      world.send(i, {.to = EndpointId(senders), .count = kPackets, .frame_bytes = kFrame});
    }
    world.run();
    const Duration one = wire_time(kSlow.rate, kFrame);
    const auto all = static_cast<std::int64_t>(senders * kPackets);
    EXPECT_EQ(world.fabric->drops().total(), 0U);
    ASSERT_EQ(world[senders].received.size(), static_cast<std::size_t>(all));
    const Time bound = Time::zero() + one + kSlow.propagation + 200_ns + one * all + kSlow.propagation;
    EXPECT_GE(world[senders].received.back().at, bound);
    if (senders > 1) {
      EXPECT_GT(world.fabric->pauses(world.switch_port(0)).pauses_sent[3], 0U);
    }
    // Groups that hold a round trip never run empty: the bound is reached.
    EXPECT_EQ(world[senders].received.back().at, bound) << senders;
  }
}

TEST(EthernetHops, EveryRouterTakesOneFromTheHopLimitAndKeepsTheDscp) {
  for (const std::uint8_t switches : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{4}}) {
    World world(chain(std::vector<Cable>(switches + 1U, kFast), Domains::kRouted), one_profile());
    world.send(0, {.to = EndpointId(1), .ecn = wire::Ecn::kEct1, .hop_limit = 64, .traffic_class = 26});
    world.run();
    ASSERT_EQ(world[1].received.size(), 1U);
    const wire::PacketCommon& common = world[1].received[0].common;
    // One switch alone joins hosts of one subnet: nothing is routed there.
    EXPECT_EQ(common.hop_limit, switches == 1 ? 64 : 64 - switches);
    EXPECT_EQ(common.traffic_class, 26);
    EXPECT_EQ(common.ecn, wire::Ecn::kEct1);
  }
}

TEST(EthernetHops, ASwitchedDomainLeavesTheHopLimitAlone) {
  World world(chain(std::vector<Cable>(4, kFast)), one_profile());
  world.send(0, {.to = EndpointId(1), .hop_limit = 1});
  world.run();
  ASSERT_EQ(world[1].received.size(), 1U);
  EXPECT_EQ(world[1].received[0].common.hop_limit, 1);
}

TEST(EthernetHops, ARouterDropsWhatHasNoHopsLeft) {
  for (const std::uint8_t limit : {std::uint8_t{1}, std::uint8_t{2}, std::uint8_t{3}, std::uint8_t{4}}) {
    World world(chain(std::vector<Cable>(4, kFast), Domains::kRouted), one_profile());
    world.send(0, {.to = EndpointId(1), .hop_limit = limit});
    world.run();
    EXPECT_EQ(world.delivered(), limit > 3 ? 1U : 0U);
    EXPECT_EQ(world.fabric->drops().hop_limit, limit > 3 ? 0U : 1U);
    EXPECT_EQ(world.packets.live_count(), 0U);
  }
}

}  // namespace
}  // namespace weft::fabric::ethernet_test
