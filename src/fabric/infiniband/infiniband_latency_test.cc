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
  const Duration loop = 2 * 500_ns + kSwitchLatency + on_wire(kHeader) + on_wire(kCreditWireBytes);
  const auto in_flight = static_cast<std::uint32_t>(loop / on_wire(kFrame)) + 1;  // packets that fill the loop
  // Enough for the loop, a packet at either end, and what is unsaid: less than a sixteenth and a packet.
  const std::uint32_t enough = ((in_flight + 2) * blocks + blocks) * 16 / 15;
  EXPECT_DOUBLE_EQ(goodput(enough), 1.0);
  // With half of that, what is in flight per loop is between what is surely said and the whole buffer.
  const std::uint32_t half = in_flight * blocks / 2;
  const double share = goodput(half);
  const double most = static_cast<double>(half) / blocks * static_cast<double>(on_wire(kFrame).picoseconds()) /
                      static_cast<double>(loop.picoseconds());
  // The first buffer's worth leaves without waiting.
  EXPECT_LE(share, most * (1 + static_cast<double>(in_flight) / kPackets));
  EXPECT_GE(share, most * 0.9);
}

}  // namespace
}  // namespace weft::fabric::ib_test
