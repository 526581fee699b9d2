#include "fabric/scale_up/scale_up_fabric.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "fabric/scale_up/test_world.h"

namespace weft::fabric {
namespace {

constexpr std::uint32_t kUnit = ScaleUpTestWorld::kUnit;

Time at(Duration since) { return Time::zero() + since; }

TEST(ScaleUpFabric, AUnitCutsThroughTheSwitch) {
  ScaleUpTestWorld world(gpus(8));
  world.give(0, 5);
  EXPECT_EQ(world.run(), "");
  const ScaleUpDomain& domain = world.fabric->options().domains[0];
  const Rate rate = domain.ports[0].rate;
  const Duration expected = domain.ports[0].propagation * 2 + domain.switch_latency +
                            rate.transmit_time(Bytes(domain.first_bytes)) + rate.transmit_time(Bytes(kUnit));
  EXPECT_EQ(world.ports[5].last, at(expected));
  EXPECT_EQ(world.fabric->unloaded_time(EndpointId(0), EndpointId(5), {.total = Bytes(kUnit), .last = Bytes(kUnit)}),
            expected);
}

TEST(ScaleUpFabric, ATrainTakesWhatTheClosedFormSays) {
  for (const ScaleUpShape shape : {ScaleUpShape::kSwitch, ScaleUpShape::kMesh}) {
    ScaleUpTestWorld world(gpus(4, shape));
    constexpr std::uint32_t kUnits = 1000;
    for (std::uint32_t i = 0; i < kUnits; ++i) {
      world.give(1, 2);
    }
    EXPECT_EQ(world.run(), "");
    const Duration form = world.fabric->unloaded_time(EndpointId(1), EndpointId(2),
                                                      {.total = Bytes(kUnit) * kUnits, .last = Bytes(kUnit)});
    const Duration taken = world.ports[2].last.since_start();
    // A unit's time is rounded up to a picosecond, that of the train once.
    EXPECT_GE(taken, form);
    EXPECT_LE(taken, form + Duration::picoseconds(2 * kUnits));
    EXPECT_EQ(world.fabric->sent_by(EndpointId(1), world.kernel.now()).stalled, Duration::zero());
  }
}

TEST(ScaleUpFabric, AMeshGivesEachPeerItsPart) {
  ScaleUpTestWorld world(gpus(4, ScaleUpShape::kMesh));
  const Rate part = world.fabric->options().domains[0].ports[0].rate / 3;
  for (std::uint32_t i = 0; i < 100; ++i) {
    world.give(0, 1);
  }
  world.give(2, 1);
  EXPECT_EQ(world.run(), "");
  EXPECT_GE(world.ports[1].last, at(part.transmit_time(Bytes(kUnit)) * 100));
  EXPECT_EQ(world.fabric->wires(), 12U);
  EXPECT_EQ(world.fabric->lane_to(EndpointId(2), EndpointId(3)), 2);
  EXPECT_EQ(world.fabric->lane_to(EndpointId(3), EndpointId(2)), 2);
}

TEST(ScaleUpFabric, AnIncastSharesThePortFairlyAndLosesNothing) {
  constexpr std::uint32_t kSenders = 15;
  ScaleUpOptions options = gpus(kSenders + 1);
  options.domains[0].switch_buffer = Bytes(8 * kUnit);
  ScaleUpTestWorld world(options);
  for (std::uint32_t i = 0; i < 400; ++i) {
    for (std::uint32_t from = 1; from <= kSenders; ++from) {
      world.give(from, 0);
    }
  }
  EXPECT_EQ(world.run(at(30_us)), "");
  const auto& got = world.ports[0].bytes_from;
  const auto [least, most] = std::minmax_element(got.begin() + 1, got.end());
  EXPECT_GT(*least, 0U);
  EXPECT_LE(*most - *least, std::uint64_t{kUnit});
  // The port was busy from the first arrival on.
  const Rate rate = options.domains[0].ports[0].rate;
  const auto possible = static_cast<std::uint64_t>(rate.bytes_in(30_us - 300_ns).count()) * 16 / 17;
  EXPECT_GE(world.ports[0].received, possible - possible / 100);
  EXPECT_EQ(world.run(), "");
  EXPECT_EQ(world.delivered(), world.given);
  EXPECT_GT(world.fabric->sent_by(EndpointId(3), world.kernel.now()).stalled, Duration::zero());
}

TEST(ScaleUpFabric, ABufferShorterThanTheWayOfCreditsBoundsTheRate) {
  ScaleUpOptions options = gpus(2);
  options.domains[0].switch_buffer = Bytes(4 * kUnit);
  ScaleUpTestWorld world(options);
  constexpr std::uint32_t kUnits = 400;
  for (std::uint32_t i = 0; i < kUnits; ++i) {
    world.give(0, 1);
  }
  EXPECT_EQ(world.run(), "");
  // Four units per turn: there, through the switch, and back.
  const ScaleUpDomain& domain = options.domains[0];
  const Duration turn = domain.ports[0].propagation * 2 + domain.switch_latency +
                        domain.ports[0].rate.transmit_time(Bytes(domain.first_bytes));
  const Duration unit = domain.ports[0].rate.transmit_time(Bytes(kUnit));
  ASSERT_GT(turn, unit * 4);
  const Duration last_way =
      world.fabric->unloaded_time(EndpointId(0), EndpointId(1), {.total = Bytes(kUnit), .last = Bytes(kUnit)});
  EXPECT_EQ(world.ports[1].last, at(turn * (kUnits / 4 - 1) + unit * 3 + last_way));
}

TEST(ScaleUpFabric, WhatGoesToAFasterPortIsStoredFirst) {
  ScaleUpOptions options = gpus(3);
  options.domains[0].ports[2].rate = options.domains[0].ports[2].rate * 2;
  ScaleUpTestWorld world(options);
  world.give(0, 2);
  EXPECT_EQ(world.run(), "");
  const Rate slow = options.domains[0].ports[0].rate;
  const Duration expected = 200_ns + slow.transmit_time(Bytes(kUnit)) + (slow * 2).transmit_time(Bytes(kUnit));
  EXPECT_EQ(world.ports[2].last, at(expected));
}

class SlowMemory final : public ReceiveMemory {
 public:
  explicit SlowMemory(Rate rate) : rate_(rate) {}
  Time write(Bytes payload, Time now) override { return free_ = later(free_, now) + rate_.transmit_time(payload); }

 private:
  Rate rate_;
  Time free_;
};

TEST(ScaleUpFabric, ASlowMemoryHoldsBackItsSendersAndOverflowsNothing) {
  ScaleUpTestWorld world(gpus(2));
  const Rate slow = world.fabric->options().domains[0].ports[0].rate / 10;
  SlowMemory memory(slow);
  world.fabric->attach(EndpointId(1), world.ports[1], &memory);
  constexpr std::uint32_t kUnits = 2000;
  for (std::uint32_t i = 0; i < kUnits; ++i) {
    world.give(0, 1);
  }
  EXPECT_EQ(world.run(), "");
  EXPECT_EQ(world.delivered(), world.given);
  // What is in the buffers at the end has arrived and is not written.
  const Bytes buffers = world.fabric->options().domains[0].switch_buffer + world.fabric->port(EndpointId(1)).buffer;
  const Duration least = slow.transmit_time(Bytes(static_cast<std::int64_t>(world.given)) - buffers);
  EXPECT_GE(world.ports[1].last, at(least));
  EXPECT_GT(world.fabric->sent_by(EndpointId(0), world.kernel.now()).stalled, least / 2);
}

TEST(ScaleUpFabric, RandomTrafficIsDeliveredOnceAndInOrderAndEveryByteIsAccountedFor) {
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U, 6U}) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "scale-up");
    const auto shape = seed % 3 == 0 ? ScaleUpShape::kMesh : ScaleUpShape::kSwitch;
    const auto count = static_cast<std::uint32_t>(2 + random.uniform(7));
    ScaleUpOptions options = gpus(count, shape);
    options.domains[0].switch_buffer = Bytes(kUnit) * static_cast<std::int64_t>(1 + random.uniform(20));
    options.domains[0].first_bytes = static_cast<std::uint32_t>(random.uniform(300));
    for (ScaleUpPort& port : options.domains[0].ports) {
      port.rate = 100_gbps * static_cast<std::int64_t>(1 + random.uniform(40));
      port.buffer = Bytes(kUnit) * static_cast<std::int64_t>(1 + random.uniform(20));
      port.propagation = Duration::nanoseconds(static_cast<std::int64_t>(1 + random.uniform(200)));
    }
    ScaleUpTestWorld world(options);
    for (int i = 0; i < 800; ++i) {
      const auto from = static_cast<std::uint32_t>(random.uniform(count));
      const auto to = static_cast<std::uint32_t>((from + 1 + random.uniform(count - 1)) % count);
      world.give(from, to, static_cast<std::uint32_t>(16 + random.uniform(kUnit - 15)));
    }
    EXPECT_EQ(world.run(), "");
    EXPECT_EQ(world.delivered(), world.given);
    EXPECT_EQ(world.packets.live_count(), 0U);
    EXPECT_EQ(world.fabric->packets_inside(), 0U);
    for (const ScaleUpTestWorld::Port& port : world.ports) {
      EXPECT_TRUE(port.ordered);
    }
  }
}

TEST(ScaleUpFabric, RefusesWhatCannotWork) {
  sim::Kernel kernel;
  PacketPool packets;
  const auto message = [&](const ScaleUpOptions& options) {
    auto made = ScaleUpFabric::create(options, {.kernel = kernel, .packets = packets, .seed = 1});
    return made ? std::string() : made.error().message;
  };
  EXPECT_EQ(message(gpus(2)), "");
  EXPECT_NE(message(gpus(1)), "");
  EXPECT_NE(message(gpus(18, ScaleUpShape::kMesh)), "");
  ScaleUpOptions small = gpus(2);
  small.domains[0].switch_buffer = Bytes(kUnit - 1);
  EXPECT_NE(message(small), "");
  ScaleUpOptions still = gpus(2);
  still.domains[0].ports[1].rate = Rate::zero();
  EXPECT_NE(message(still), "");
}

}  // namespace
}  // namespace weft::fabric
