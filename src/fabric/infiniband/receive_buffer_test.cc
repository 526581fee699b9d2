// Endpoints whose receive side is slower than the wire: credits come back as fast as the receive buffer empties.
#include <gtest/gtest.h>

#include "fabric/infiniband/test_world.h"
#include "fabric/slow_receiver_test_support.h"

namespace weft::fabric::ib_test {
namespace {

constexpr Cable kCable{.rate = 400_gbps, .propagation = 500_ns};
constexpr Rate kDrain = 150_gbps;
constexpr std::uint32_t kFrame = 4122;
constexpr std::int64_t kBuffer = 50 * kFrame;

/// The last endpoint of the world takes so much per second.
struct SlowHost {
  explicit SlowHost(World& world)
      : receiver({.drain = kDrain, .xoff = kBuffer, .xon = kBuffer}, world.senders.back(), world.packets) {
    world.fabric->attach(EndpointId(static_cast<std::uint32_t>(world.senders.size()) - 1), receiver);
    world.fabric->start();
  }
  SlowReceiver receiver;
};

TEST(ReceiveBuffer, CreditsFollowTheReceiveBufferAndTheThroughputIsThatOfTheReceiveSide) {
  World world(star(3), {});
  SlowHost slow(world);
  constexpr std::uint32_t kPackets = 1500;
  for (const std::uint32_t from : {0U, 1U}) {
    world.send(EndpointId(from), {.to = EndpointId(2), .count = kPackets, .frame_bytes = kFrame});
  }
  ASSERT_EQ(world.run_checked(Time::never()), "");
  ASSERT_EQ(world.senders[2].received.size(), 2 * kPackets);
  EXPECT_EQ(world.fabric->drops().total(), 0U);
  const Time first = world.senders[2].received.front().at;
  EXPECT_EQ(slow.receiver.drained(), first + kDrain.transmit_time(Bytes(kFrame)) * (2 * kPackets));
  // What is held beyond the receive buffer is in that of the lane.
  EXPECT_GT(slow.receiver.peak, kBuffer);
  EXPECT_LE(slow.receiver.peak, kBuffer + std::int64_t{kMaxAdvertised} * kBlockBytes);
}

TEST(ReceiveBuffer, WhatFitsIntoTheReceiveBufferChangesNothing) {
  World plain(star(2), {});
  World world(star(2), {});
  SlowHost slow(world);
  for (World* const one : {&plain, &world}) {
    one->send(EndpointId(0), {.to = EndpointId(1), .count = 40, .frame_bytes = kFrame});
    one->run(Time::never());
  }
  ASSERT_EQ(world.senders[1].received.size(), 40U);
  EXPECT_EQ(world.senders[1].received.back().at, plain.senders[1].received.back().at);
  EXPECT_EQ(world.fabric->credits_sent(), plain.fabric->credits_sent());
}

}  // namespace
}  // namespace weft::fabric::ib_test
