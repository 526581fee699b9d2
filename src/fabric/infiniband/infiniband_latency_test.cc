// Times of single packets and the fastest streams, derived from rates, lengths and delays.
#include <gtest/gtest.h>

#include "fabric/infiniband/test_world.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 500_ns};
constexpr Duration kSwitchLatency = 300_ns;
constexpr std::uint32_t kFrame = 4122;
constexpr std::uint32_t kHeader = 8;  // an LRH decides

InfiniBandOptions options(Forwarding forwarding) {
  InfiniBandOptions result;
  result.switches[0].forwarding = forwarding;
  result.switches[0].latency = kSwitchLatency;
  return result;
}

Time arrival_over(std::uint32_t switches, Forwarding forwarding) {
  World world(chain({.switches = switches, .cable = kCable}), options(forwarding));
  world.send(EndpointId(0), {.to = EndpointId(1), .frame_bytes = kFrame});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.senders[1].received.size(), 1U);
  return world.senders[1].received.at(0).at;
}

Duration on_wire(std::uint32_t bytes) { return kCable.rate.transmit_time(Bytes(bytes)); }

TEST(InfiniBandLatency, StoreAndForwardSerialisesAtEveryHop) {
  for (const std::uint32_t switches : {1U, 2U, 5U}) {
    const Duration expected = (switches + 1) * (kCable.propagation + on_wire(kFrame)) + switches * kSwitchLatency;
    EXPECT_EQ(arrival_over(switches, Forwarding::kStoreAndForward).since_start(), expected) << switches;
  }
}

TEST(InfiniBandLatency, CutThroughSerialisesOnce) {
  for (const std::uint32_t switches : {1U, 2U, 5U}) {
    const Duration expected =
        (switches + 1) * kCable.propagation + switches * (kSwitchLatency + on_wire(kHeader)) + on_wire(kFrame);
    EXPECT_EQ(arrival_over(switches, Forwarding::kCutThrough).since_start(), expected) << switches;
  }
}

TEST(InfiniBandLatency, APacketIsStoredFirstWhereAWayOutIsFaster) {
  GraphBuilder builder(Domains::kOne);
  const NodeIndex slow = builder.add_endpoint({.name = "slow/nic0"});
  const NodeIndex fast = builder.add_endpoint({.name = "fast/nic0"});
  const NodeIndex middle = builder.add_switch({.name = "s"});
  const Cable slow_cable{.rate = 100_gbps, .propagation = 500_ns};
  builder.connect({.lower = slow, .upper = middle}, slow_cable);
  builder.connect({.lower = fast, .upper = middle}, kCable);
  World world(std::move(builder).finish(), options(Forwarding::kCutThrough));
  world.send(EndpointId(0), {.to = EndpointId(1), .frame_bytes = kFrame});
  world.send(EndpointId(1), {.to = EndpointId(0), .frame_bytes = kFrame});
  world.run(Time::never());
  const Duration slow_time = slow_cable.rate.transmit_time(Bytes(kFrame));
  const Duration constant = 2 * kCable.propagation + kSwitchLatency;
  EXPECT_EQ(world.senders[1].received.at(0).at.since_start(), constant + slow_time + on_wire(kFrame));
  EXPECT_EQ(world.senders[0].received.at(0).at.since_start(), constant + on_wire(kHeader) + slow_time);
}

TEST(InfiniBandLatency, AnUncontendedPathTakesOneEventPerHop) {
  World world(chain({.switches = 5, .cable = kCable}), options(Forwarding::kCutThrough));
  world.send(EndpointId(0), {.to = EndpointId(1), .frame_bytes = kFrame});
  world.run(Time::never());
  EXPECT_EQ(world.kernel.events(), 1U + 6U);  // the sender's turn, and six wires
  EXPECT_EQ(world.fabric->packets_sent(), 6U);
  EXPECT_EQ(world.fabric->credits_sent(), 0U);
}

TEST(InfiniBandLatency, AStreamRunsAtTheRateOfTheWire) {
  World world(chain({.switches = 2, .cable = kCable}), options(Forwarding::kCutThrough));
  constexpr std::uint32_t kPackets = 1000;
  world.send(EndpointId(0), {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  const auto& received = world.senders[1].received;
  ASSERT_EQ(received.size(), kPackets);
  // Flow control packets go the other way: nothing but data is on these wires.
  EXPECT_EQ(received.back().at - received.front().at, (kPackets - 1) * on_wire(kFrame));
}

// A limit is said no less often than the loop needs, and never for less than a sixteenth of the buffer.
TEST(InfiniBandThroughput, FallsBelowTheCreditLoopsBandwidthDelayProduct) {
  constexpr std::uint32_t kPackets = 3000;
  const std::uint32_t blocks = blocks_of(kFrame);
  const auto goodput = [&](std::uint32_t buffer) {
    InfiniBandOptions narrow = options(Forwarding::kCutThrough);
    narrow.ports[0].buffer_blocks.fill(static_cast<std::uint16_t>(buffer));
    narrow.ports[0].largest_frame = Bytes(kFrame);
    World world(chain({.switches = 1, .cable = {.rate = 400_gbps, .propagation = 500_ns}}), narrow);
    world.send(EndpointId(0), {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
    world.run(Time::never());
    const auto& received = world.senders[1].received;
    EXPECT_EQ(received.size(), kPackets);
    const Duration span = received.back().at - received.front().at;
    return static_cast<double>(((kPackets - 1) * on_wire(kFrame)).picoseconds()) /
           static_cast<double>(span.picoseconds());
  };
  // The loop of the wire into the switch: there, the pipeline, and back with a flow control packet.
  const Duration round_trip_blocks = 2 * 500_ns + kSwitchLatency + on_wire(kHeader) + on_wire(kCreditWireBytes);
  const auto in_flight =
      static_cast<std::uint32_t>(round_trip_blocks / on_wire(kFrame)) + 1;  // packets that fill the loop
  // Enough for the loop, a packet at either end, and what is unsaid: less than a sixteenth and a packet.
  const std::uint32_t enough = ((in_flight + 2) * blocks + blocks) * 16 / 15;
  EXPECT_DOUBLE_EQ(goodput(enough), 1.0);
  // With half of that, what is in flight per loop is between what is surely said and the whole buffer.
  const std::uint32_t half = in_flight * blocks / 2;
  const double share = goodput(half);
  const double most = static_cast<double>(half) / blocks * static_cast<double>(on_wire(kFrame).picoseconds()) /
                      static_cast<double>(round_trip_blocks.picoseconds());
  // The first buffer's worth leaves without waiting.
  EXPECT_LE(share, most * (1 + static_cast<double>(in_flight) / kPackets));
  EXPECT_GE(share, most * 0.9);
}

// A limit may wait for the packet on its wire and for one in the output stage; the sender needs credits for the packet
// that it begins and, where packets are stored, for the one that has not come yet; and the packet by which a quarter of
// the buffer is exceeded is the fifth.
TEST(InfiniBandThroughput, FullRateBothWaysIfAQuarterOfTheBufferIsSpare) {
  constexpr std::uint32_t kPackets = 1000;
  constexpr std::uint32_t kWaits = 5;
  const Duration round_trip_blocks = 2 * 500_ns + kSwitchLatency + on_wire(kHeader) + on_wire(kCreditWireBytes);
  const std::uint32_t in_flight =
      blocks_of(static_cast<std::uint32_t>(kCable.rate.bytes_in(round_trip_blocks).count()));
  const std::uint32_t buffer = ((in_flight + kWaits * blocks_of(kFrame)) * 4 + 2) / 3;
  for (const Forwarding forwarding : {Forwarding::kCutThrough, Forwarding::kStoreAndForward}) {
    InfiniBandOptions both = options(forwarding);
    both.ports[0].largest_frame = Bytes(kFrame);
    both.ports[0].buffer_blocks.fill(static_cast<std::uint16_t>(buffer));
    World world(chain({.switches = 2, .cable = kCable}), both);
    world.send(EndpointId(0), {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
    world.send(EndpointId(1), {.to = EndpointId(0), .count = kPackets, .frame_bytes = kFrame});
    EXPECT_EQ(world.run_checked(Time::never()), "");
    std::uint64_t limits = 0;
    for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
      const InfiniBandCounters counters = world.fabric->counters(port, world.kernel.now());
      EXPECT_EQ(counters.xmit_wait, Duration::zero()) << port;
      limits += counters.credits_sent;
    }
    // Six wires, each with the packets of one stream; a limit for each quarter at most.
    EXPECT_LE(limits, 6 * (kPackets * blocks_of(kFrame) / (buffer / 4)));
    EXPECT_GT(limits, 0U);
  }
}

// An acknowledgement is gone in less than the time of a block: what follows it is handed over with it.
TEST(InfiniBandLatency, WhatFollowsAShortPacketTakesNoTurnOfItsOwnAndNoTime) {
  for (const std::uint32_t bytes : {30U, kBlockBytes, kBlockBytes + 1}) {
    const auto first = static_cast<std::uint16_t>(bytes);
    World world(chain({.switches = 1, .cable = kCable}), options(Forwarding::kStoreAndForward));
    world.send(EndpointId(0), {.to = EndpointId(1), .frame_bytes = first});
    world.send(EndpointId(0), {.to = EndpointId(1), .frame_bytes = kFrame});
    EXPECT_EQ(world.run_checked(Time::never()), "");
    const auto& received = world.senders[1].received;
    ASSERT_EQ(received.size(), 2U);
    EXPECT_EQ(received[1].at - received[0].at, on_wire(kFrame) + (on_wire(kFrame) - on_wire(first))) << first;
    const std::uint64_t turns = first <= kBlockBytes ? 1 : 2;
    EXPECT_EQ(world.kernel.events(), turns + 2U * 2U) << first;
  }
}

// Nobody waits for credits: a limit is no event.
TEST(InfiniBandLatency, LimitsThatNobodyWaitsForTakeNoEvents) {
  World world(chain({.switches = 1, .cable = kCable}), options(Forwarding::kCutThrough));
  constexpr std::uint32_t kPackets = 200;
  world.send(EndpointId(0), {.to = EndpointId(1), .count = kPackets, .frame_bytes = kFrame});
  world.run(Time::never());
  EXPECT_GT(world.fabric->credits_sent(), 0U);
  EXPECT_EQ(world.kernel.events(), kPackets + 2 * kPackets);  // turns of the sender, and two wires
  std::uint64_t heard = 0;
  for (PortIndex port = 0; port < world.fabric->port_count(); ++port) {
    heard += world.fabric->counters(port, world.kernel.now() + 10_us).credits_received;
  }
  EXPECT_EQ(heard, world.fabric->credits_sent());
}

// A packet comes while another is on the wire out: it leaves right behind it, and its credits are free already.
TEST(InfiniBandLatency, APacketThatOnlyWaitsForTheWireIsNotInItsBuffer) {
  constexpr std::uint32_t kSmall = 90;
  World world(star(3, kCable), options(Forwarding::kStoreAndForward));
  world.send(EndpointId(0), {.to = EndpointId(2), .frame_bytes = kFrame});
  world.send(EndpointId(1), {.to = EndpointId(2), .frame_bytes = kFrame - 64});
  const Time second_comes = Time::zero() + kCable.propagation + on_wire(kFrame - 64) + kSwitchLatency;
  world.run(second_comes);
  const Time first_comes = Time::zero() + kCable.propagation + on_wire(kFrame) + kSwitchLatency;
  ASSERT_LT(second_comes, first_comes);
  world.run(first_comes);
  EXPECT_EQ(world.fabric->credits(world.port_of("s", 0), 0).receiver.occupied(), 0U);
  EXPECT_EQ(world.fabric->credits(world.port_of("s", 0), 0).receiver.unadvertised(), blocks_of(kFrame));
  world.send(EndpointId(1), {.to = EndpointId(2), .frame_bytes = kSmall});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  const auto& received = world.senders[2].received;
  ASSERT_EQ(received.size(), 3U);
  EXPECT_EQ(received[1].at - received[0].at, on_wire(kFrame));
}

}  // namespace
}  // namespace weft::fabric::ib_test
