// What holds under load: no loss, fairness, arbitration, lifetimes, marks, counters.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "fabric/infiniband/test_world.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 500_ns};
constexpr std::uint32_t kFrame = 4122;

Duration on_wire(std::uint32_t bytes) { return kCable.rate.transmit_time(Bytes(bytes)); }

std::map<std::uint32_t, std::uint32_t> by_sender(const Sender& sink) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const Delivery& delivery : sink.received) {
    ++counts[delivery.from.value()];
  }
  return counts;
}

TEST(InfiniBand, TwoSendersShareAnOutputEqually) {
  World world(star(3), {});
  constexpr std::uint32_t kPackets = 500;
  for (const std::uint32_t from : {0U, 1U}) {
    world.send(EndpointId(from), {.to = EndpointId(2), .count = kPackets, .frame_bytes = kFrame});
  }
  world.run(Time::zero() + kPackets * on_wire(kFrame));
  auto counts = by_sender(world.senders[2]);
  EXPECT_LE(std::max(counts[0], counts[1]) - std::min(counts[0], counts[1]), 1U);
  EXPECT_GT(counts[0], kPackets / 3);
}

TEST(InfiniBand, AnInputWithOneFlowGetsAsMuchAsOneWithMany) {
  // Hosts 0 and 1 behind one switch share its uplink; host 2 is alone on the other switch.
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> hosts;
  for (int i = 0; i < 4; ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i)}));
  }
  const NodeIndex left = builder.add_switch({.name = "left"});
  const NodeIndex right = builder.add_switch({.name = "right"});
  builder.connect({.lower = hosts[0], .upper = left}, kCable);
  builder.connect({.lower = hosts[1], .upper = left}, kCable);
  builder.connect({.lower = hosts[2], .upper = right}, kCable);
  builder.connect({.lower = hosts[3], .upper = right}, kCable);
  builder.connect({.lower = left, .upper = right}, kCable);
  World world(std::move(builder).finish(), {});
  for (const std::uint32_t from : {0U, 1U, 2U}) {
    world.send(EndpointId(from), {.to = EndpointId(3), .count = 4000, .frame_bytes = kFrame});
  }
  world.run(Time::zero() + 2000 * on_wire(kFrame));
  auto counts = by_sender(world.senders[3]);
  EXPECT_NEAR(counts[2], counts[0] + counts[1], 0.01 * counts[2]);
}

TEST(InfiniBand, NoPacketIsLostWhateverTheBuffer) {
  for (const unsigned buffer : {65U, 66U, 100U, 130U, 700U, 1024U, 3000U}) {
    InfiniBandOptions options;
    options.ports[0].buffer_blocks.fill(static_cast<std::uint16_t>(buffer));
    options.ports[0].largest_frame = Bytes(kFrame);
    World world(star(6), options);
    for (std::uint32_t from = 0; from < 5; ++from) {
      world.send(EndpointId(from), {.to = EndpointId(5), .count = 60, .frame_bytes = kFrame});
      world.send(EndpointId(from), {.to = EndpointId((from + 1) % 5), .count = 20, .frame_bytes = 90});
    }
    ASSERT_EQ(world.run_checked(Time::never()), "") << buffer;
    EXPECT_EQ(world.senders[5].received.size(), 5U * 60);
    EXPECT_EQ(world.fabric->drops().total(), 0U);
    EXPECT_EQ(world.packets.live_count(), 0U);
  }
}

TEST(InfiniBand, ABufferBelowTheLargestPacketIsRefused) {
  sim::Kernel kernel;
  PacketPool packets;
  InfiniBandOptions options;
  options.ports[0].buffer_blocks.fill(65);
  EXPECT_FALSE(InfiniBandFabric::create(star(2), options, {.kernel = kernel, .packets = packets}));
}

InfiniBandOptions two_lanes(VlArbitration arbitration) {
  InfiniBandOptions options;
  options.data_lanes = 2;
  options.ports[0].sl_to_vl[1] = 1;
  options.ports[0].sl_to_vl[2] = kDropLane;
  options.ports[0].arbitration = std::move(arbitration);
  return options;
}

/// Hosts 0 and 1 send to host 2 on lanes 0 and 1; packets of each lane that arrived while both were busy.
std::array<std::uint32_t, 2> lanes_served(VlArbitration arbitration) {
  World world(star(3), two_lanes(std::move(arbitration)));
  constexpr std::uint32_t kPackets = 4000;
  for (std::uint8_t level = 0; level < 2; ++level) {
    world.send(EndpointId(level),
               {.to = EndpointId(2), .count = kPackets, .frame_bytes = 1024, .service_level = level});
  }
  world.run(Time::zero() + kPackets * on_wire(1024));
  std::array<std::uint32_t, 2> served{};
  for (const Delivery& delivery : world.senders[2].received) {
    ++served[delivery.lane];
  }
  return served;
}

//= ibta-1.7 7.6.9
TEST(InfiniBandArbitration, LanesShareByTheirWeights) {
  const auto served = lanes_served({.high = {}, .low = {{.lane = 0, .weight = 64}, {.lane = 1, .weight = 192}}});
  EXPECT_NEAR(served[1], 3.0 * served[0], 0.02 * served[1]);
}

//= ibta-1.7 7.6.9
TEST(InfiniBandArbitration, HighLimitIsWhatGoesBetweenTwoLowPackets) {
  VlArbitration tables{.high = {{.lane = 1, .weight = 255}}, .low = {{.lane = 0, .weight = 255}}, .high_limit = 2};
  const auto two = lanes_served(tables);
  EXPECT_NEAR(two[1], 2.0 * 4096 / 1024 * two[0], 0.02 * two[1]);
  tables.high_limit = 0;
  const auto zero = lanes_served(tables);
  EXPECT_NEAR(zero[1], zero[0], 2);
  tables.high_limit = VlArbitration::kUnlimited;
  const auto unlimited = lanes_served(tables);
  EXPECT_LT(unlimited[0], unlimited[1] / 100);
}

//= ibta-1.7 7.6.6
TEST(InfiniBand, AServiceLevelMayBeDropped) {
  InfiniBandOptions options = two_lanes({});
  options.ports.push_back(options.ports[0]);
  options.ports[1].sl_to_vl[2] = 0;     // the endpoints send it
  options.port_profile = {1, 0, 1, 0};  // endpoint ends first
  World world(star(2), options);
  world.send(EndpointId(0), {.to = EndpointId(1), .count = 3, .service_level = 2});
  EXPECT_EQ(world.run_checked(Time::never()), "");
  EXPECT_EQ(world.senders[1].received.size(), 0U);
  EXPECT_EQ(world.fabric->counters(world.port_of("s", 1), world.kernel.now()).xmit_discards, 3U);
  EXPECT_EQ(world.packets.live_count(), 0U);
}

TEST(InfiniBand, ALaneThatStallsHoldsNoOtherUp) {
  // Host 1's lane 0 is stopped by a slow sink; lane 1 to another host goes on at full rate.
  World world(star(4), two_lanes({}));
  for (const std::uint32_t from : {0U, 1U}) {
    world.send(EndpointId(from), {.to = EndpointId(2), .count = 2000, .frame_bytes = kFrame});
  }
  world.send(EndpointId(1), {.to = EndpointId(3), .count = 1000, .frame_bytes = kFrame, .service_level = 1});
  world.run(Time::zero() + 1000 * on_wire(kFrame));
  // Lane 0 of host 1 gets half of host 2's wire, so lane 1 gets the other half of host 1's.
  EXPECT_NEAR(static_cast<double>(world.senders[3].received.size()), 500.0, 20.0);
}

//= ibta-1.7 18.2.5.4
TEST(InfiniBand, AHeadThatWaitsLongerThanItsLifetimeIsDiscarded) {
  InfiniBandOptions options;
  options.ports[0].buffer_blocks.fill(66);
  options.switches[0].head_of_queue_lifetime = 300_ns;
  World world(star(9), options);
  for (std::uint32_t from = 0; from < 8; ++from) {
    world.send(EndpointId(from), {.to = EndpointId(8), .count = 20, .frame_bytes = kFrame});
  }
  ASSERT_EQ(world.run_checked(Time::never()), "");
  const std::uint64_t lost = world.fabric->drops().lifetime;
  EXPECT_GT(lost, 0U);
  EXPECT_EQ(world.senders[8].received.size() + lost, 8U * 20);
  EXPECT_EQ(world.fabric->counters(world.port_of("s", 8), world.kernel.now()).xmit_discards, lost);
}

TEST(InfiniBand, ALifetimeLongerThanAnyWaitDiscardsNothing) {
  InfiniBandOptions options;
  options.switches[0].head_of_queue_lifetime = 10_ms;
  World world(star(9), options);
  for (std::uint32_t from = 0; from < 8; ++from) {
    world.send(EndpointId(from), {.to = EndpointId(8), .count = 20, .frame_bytes = kFrame});
  }
  world.run(Time::never());
  EXPECT_EQ(world.senders[8].received.size(), 8U * 20);
}

/// Hosts 0 and 1 on the left, a cable, host 2 to 4 on the right; 0, 1 and 3 send to 2, 0 to 4 as well: the root is the
/// port to host 2, and the cable's port on the left is a victim.
InfiniBandOptions marking(bool victim_mask) {
  InfiniBandOptions options;
  options.ports[0].fecn = FecnOptions{.threshold = Bytes(16 * 1024), .victim_mask = victim_mask};
  return options;
}

Graph two_switches() {
  GraphBuilder builder(Domains::kOne);
  std::vector<NodeIndex> hosts;
  for (int i = 0; i < 5; ++i) {
    hosts.push_back(builder.add_endpoint({.name = "host" + std::to_string(i)}));
  }
  const NodeIndex left = builder.add_switch({.name = "left"});
  const NodeIndex right = builder.add_switch({.name = "right"});
  for (int i = 0; i < 5; ++i) {
    builder.connect({.lower = hosts[static_cast<std::size_t>(i)], .upper = i < 2 ? left : right}, kCable);
  }
  builder.connect({.lower = left, .upper = right}, kCable);
  return std::move(builder).finish();
}

std::array<std::uint64_t, 2> marks_at_root_and_victim(bool victim_mask) {
  World world(two_switches(), marking(victim_mask));
  world.send(EndpointId(0), {.to = EndpointId(2), .count = 600, .frame_bytes = kFrame});
  world.send(EndpointId(1), {.to = EndpointId(2), .count = 600, .frame_bytes = kFrame});
  world.send(EndpointId(3), {.to = EndpointId(2), .count = 1200, .frame_bytes = kFrame});
  world.run(Time::never());
  const auto marked = [&](const char* node, std::uint16_t port) {
    return world.fabric->counters(world.port_of(node, port), world.kernel.now()).marked;
  };
  return {marked("right", 0), marked("left", 2)};
}

//= ibta-1.7 A10
TEST(InfiniBandMarking, TheRootMarksAndAVictimDoesNot) {
  const auto [root, victim] = marks_at_root_and_victim(false);
  EXPECT_GT(root, 1000U);
  // A queue that forms before the first stall is a root until then.
  EXPECT_LT(victim, root / 20);
}

//= ibta-1.7 A10
TEST(InfiniBandMarking, WithTheVictimMaskAVictimMarksToo) {
  const auto [root, victim] = marks_at_root_and_victim(true);
  EXPECT_GT(root, 1000U);
  EXPECT_GT(victim, 500U);
}

TEST(InfiniBandCounters, WaitIsTheTimeWithoutCredits) {
  World world(star(3), {});
  for (const std::uint32_t from : {0U, 1U}) {
    world.send(EndpointId(from), {.to = EndpointId(2), .count = 1000, .frame_bytes = kFrame});
  }
  const Time end = Time::zero() + 1000 * on_wire(kFrame);
  world.run(end);
  const InfiniBandCounters sender = world.fabric->counters(0, end);
  const InfiniBandCounters root = world.fabric->counters(world.port_of("s", 2), end);
  EXPECT_EQ(sender.xmit_data, sender.xmit_packets * kFrame / 4);
  EXPECT_EQ(root.xmit_wait, Duration::zero());
  // Host 0 gets half of the sink's wire: it waits the other half of the time, less what its buffer took at first.
  const Duration busy = static_cast<std::int64_t>(sender.xmit_packets) * on_wire(kFrame);
  EXPECT_NEAR((sender.xmit_wait + busy).seconds(), end.since_start().seconds(), 0.01 * end.since_start().seconds());
  EXPECT_EQ(world.fabric->credit_stall(0, 0, end), sender.xmit_wait);
}

}  // namespace
}  // namespace weft::fabric::ib_test
