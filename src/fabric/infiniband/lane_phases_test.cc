// Credits in rings of buffers: one lane stops for good, two with a dateline do not.
#include <gtest/gtest.h>

#include "fabric/infiniband/test_world.h"
#include "fabric/topology/torus.h"

namespace weft::fabric::ib_test {
namespace {

/// Few and small buffers, so that a ring is soon full.
InfiniBandOptions torus_options(std::uint8_t phases) {
  InfiniBandOptions options;
  options.route_rule = RouteRule::kDimensionOrder;
  options.data_lanes = phases;
  options.lane_phases = phases;
  options.ports[0].buffer_blocks.fill(4 * 65);
  return options;
}

constexpr std::uint32_t kPackets = 300;

struct Outcome {
  std::uint64_t received = 0;
  std::uint64_t discarded = 0;
  std::uint64_t inside = 0;
  std::uint8_t lanes_of_hosts = 0;  // the highest in which a packet came to its host
};

/// Everyone sends to who is as far as possible upwards in every dimension.
Outcome tornado(const std::vector<std::uint32_t>& sizes, InfiniBandOptions options) {
  World world(build_graph(TorusOptions{.sizes = sizes}).value(), std::move(options));
  const auto hosts = static_cast<std::uint32_t>(world.senders.size());
  for (std::uint32_t from = 0; from < hosts; ++from) {
    std::uint32_t to = 0;
    std::uint32_t stride = 1;
    for (const std::uint32_t size : sizes) {
      to += (from / stride + (size - 1) / 2) % size * stride;
      stride *= size;
    }
    world.send(EndpointId(from), {.to = EndpointId(to), .count = kPackets});
  }
  world.run(Time::zero() + 10_ms);
  EXPECT_EQ(world.fabric->check_invariants(), "");
  Outcome outcome{.discarded = world.fabric->drops().total(), .inside = world.fabric->packets_inside()};
  for (const Sender& sender : world.senders) {
    outcome.received += sender.received.size();
    for (const Delivery& delivery : sender.received) {
      outcome.lanes_of_hosts = std::max(outcome.lanes_of_hosts, delivery.lane);
    }
  }
  return outcome;
}

// Three hops each: two thirds of what a cable carries has to go on, and a switch sends what its host has in turn with
// that, so buffers fill all around the ring.
TEST(LanePhases, OneLaneOfARingStopsForGood) {
  const Outcome outcome = tornado({8}, torus_options(1));
  EXPECT_LT(outcome.received, 8U * kPackets / 2);
  EXPECT_GT(outcome.inside, 0U);
}

TEST(LanePhases, TwoLanesWithADatelineCarryEverything) {
  for (const std::vector<std::uint32_t>& sizes : {std::vector<std::uint32_t>{5}, {8}, {5, 5}, {4, 5, 3}}) {
    const Outcome outcome = tornado(sizes, torus_options(2));
    std::uint64_t hosts = 1;
    for (const std::uint32_t size : sizes) {
      hosts *= size;
    }
    EXPECT_EQ(outcome.received, hosts * kPackets);
    EXPECT_EQ(outcome.inside + outcome.discarded, 0U);
    EXPECT_EQ(outcome.lanes_of_hosts, 0U);
  }
}

TEST(LanePhases, ARingTakenTheOtherWayAroundCarriesEverything) {
  InfiniBandOptions options = torus_options(2);
  const std::uint32_t first_ring_link = 6;
  LinkEvent failure;
  failure.at = Time::zero() + 20_us;
  failure.link = LinkIndex(first_ring_link);
  failure.reroute_delay = 2_us;
  options.events.push_back(failure);
  const Outcome outcome = tornado({6}, options);
  EXPECT_EQ(outcome.received + outcome.discarded, 6U * kPackets);
  EXPECT_EQ(outcome.inside, 0U);
  EXPECT_GT(outcome.discarded, 0U);
  // What waited for the cable in two buffers of 4, and what came until the routes changed: 2 us of 400 Gb/s.
  EXPECT_LT(outcome.discarded, 2U * 4 + 2 * (25 + 4));
}

TEST(LanePhases, AskForSetsOfEqualSizeAndLevelsOfTheFirst) {
  const auto refusal = [](InfiniBandOptions options) {
    sim::Kernel kernel;
    PacketPool packets;
    const auto made = InfiniBandFabric::create(star(2), std::move(options), {.kernel = kernel, .packets = packets});
    return made ? std::string() : made.error().message;
  };
  InfiniBandOptions three;
  three.data_lanes = 3;
  three.lane_phases = 2;
  EXPECT_EQ(refusal(three), "3 data lanes are not 2 sets of equal size");
  InfiniBandOptions second;
  second.data_lanes = 2;
  second.lane_phases = 2;
  second.ports[0].sl_to_vl.fill(1);
  EXPECT_EQ(refusal(second), "service level 0 goes to lane 1; there are 1, and 15 drops");
}

}  // namespace
}  // namespace weft::fabric::ib_test
