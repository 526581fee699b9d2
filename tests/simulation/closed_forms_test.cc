// NICs, engines and fabric together, against sums that can be written down: exact where one direction is unloaded.
#include <gtest/gtest.h>

#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::ethernet_test::chain;
using fabric::ethernet_test::star;

constexpr Cable kCable{100_gbps, 500_ns};
constexpr Duration kSwitch = 300_ns;

SimOptions quiet(fabric::Graph graph) {
  SimOptions options = roce(std::move(graph));
  options.ethernet.switches[0].latency = kSwitch;
  return options;
}

Duration wire_time(wire::Operation operation, Bytes payload) {
  const auto opcode = wire::make_opcode(wire::Service::kRc, operation);
  return kCable.rate.transmit_time(wire::sizes(wire::Encapsulation::kRoceV2Ipv4, opcode, payload).wire);
}

/// The way of one frame over host - switch - host, alone.
Duration path(Duration frame) { return frame * 2 + kCable.propagation * 2 + kSwitch; }

class Goodput : public ::testing::TestWithParam<verbs::PathMtu> {};

TEST_P(Goodput, IsTheSumOfTheWireTimesOfTheMessagesPackets) {
  const std::int64_t mtu = verbs::to_bytes(GetParam()).count();
  constexpr std::int64_t kMessage = 1 << 20;
  SimOptions options = quiet(star({kCable, kCable}));
  options.connection.path_mtu = GetParam();
  options.flows = {write(0, 1, Bytes(kMessage))};
  options.flows[0].shape.operation = workload::Operation::kWriteWithImm;
  SimWorld sim(std::move(options));
  (void)sim.run();
  ASSERT_EQ(sim.messages().size(), 1U);
  const std::int64_t packets = (kMessage + mtu - 1) / mtu;
  const Duration first = wire_time(wire::Operation::kWriteFirst, Bytes(mtu));
  const Duration sum = first + wire_time(wire::Operation::kWriteMiddle, Bytes(mtu)) * (packets - 2) +
                       wire_time(wire::Operation::kWriteLastImmediate, Bytes(kMessage - mtu * (packets - 1)));
  // The second cable begins when the first packet, the longest, has been stored, and never pauses from then on.
  EXPECT_EQ(sim.messages()[0].delivered, Time::zero() + first + kCable.propagation * 2 + kSwitch + sum);
}

INSTANTIATE_TEST_SUITE_P(Mtus, Goodput,
                         ::testing::Values(verbs::PathMtu::k256, verbs::PathMtu::k512, verbs::PathMtu::k1024,
                                           verbs::PathMtu::k2048, verbs::PathMtu::k4096, verbs::PathMtu(1'000),
                                           verbs::PathMtu(1'408)));

TEST(HostPath, AMessageTakesItsStagesTheWireAndTheAcknowledgement) {
  SimOptions options = quiet(star({kCable, kCable}));
  options.nic.pipeline = {.doorbell = 120_ns, .fetch = 450_ns, .completion = 380_ns, .service_time = {}};
  options.flows = {write(0, 1, Bytes(64))};
  SimWorld sim(std::move(options));
  (void)sim.run();
  ASSERT_EQ(sim.messages().size(), 1U);
  const Duration there = path(wire_time(wire::Operation::kWriteOnly, Bytes(64)));
  const Duration back = path(wire_time(wire::Operation::kAcknowledge, Bytes::zero()));
  EXPECT_EQ(sim.messages()[0].posted, Time::zero());
  EXPECT_EQ(sim.messages()[0].finished, Time::zero() + 120_ns + 450_ns + there + back + 380_ns);
}

TEST(HostPath, ServiceTimeIsAddedToEachMessage) {
  const auto finished = [](Duration service) {
    SimOptions options = quiet(star({kCable, kCable}));
    if (service > Duration::zero()) {
      options.nic.pipeline.service_time = Distribution<Duration>(Constant<Duration>{service});
    }
    options.flows = {write(0, 1, Bytes(64))};
    SimWorld sim(std::move(options));
    (void)sim.run();
    return sim.messages().at(0).finished;
  };
  EXPECT_EQ(finished(730_ns), finished(Duration::zero()) + 730_ns);
}

TEST(HostPath, ARequestOvertakesNoneThatWasPostedBefore) {
  SimOptions options = quiet(star({kCable, kCable}));
  options.nic.pipeline.doorbell = 100_ns;
  options.nic.pipeline.service_time = Distribution<Duration>(*Uniform<Duration>::make({.low = 0_ns, .high = 5_us}));
  options.flows = {write(0, 1, Bytes(64))};
  options.flows[0].shape.messages = 200;
  SimWorld sim(std::move(options));
  (void)sim.run();
  ASSERT_EQ(sim.messages().size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(sim.messages()[i].number, i);
  }
}

TEST(IncastBound, NSendersTakeNTimesAsLongAsTheBottleneckNeedsForOne) {
  constexpr std::int64_t kMessage = 1 << 18;
  for (const std::uint32_t senders : {2U, 5U}) {
    SimOptions options = quiet(star(std::vector<Cable>(senders + 1, kCable)));
    for (std::uint32_t i = 0; i < senders; ++i) {
      options.flows.push_back(write(i, senders, Bytes(kMessage)));
    }
    SimWorld sim(std::move(options));
    (void)sim.run();
    ASSERT_EQ(sim.messages().size(), senders);
    EXPECT_TRUE(sim.all_succeeded());
    const std::int64_t packets = kMessage / 4096;
    const Duration one = wire_time(wire::Operation::kWriteFirst, Bytes(4096)) +
                         wire_time(wire::Operation::kWriteMiddle, Bytes(4096)) * (packets - 2) +
                         wire_time(wire::Operation::kWriteLast, Bytes(4096));
    const Duration bound = one * senders;
    const Duration last = sim.messages().back().finished - Time::zero();
    EXPECT_GE(last, bound);
    // Beyond the bound: one packet and the acknowledgement's way.
    const Duration ends = path(wire_time(wire::Operation::kWriteFirst, Bytes(4096))) +
                          path(wire_time(wire::Operation::kAcknowledge, Bytes::zero()));
    EXPECT_LE(last, bound + ends + (bound / 1000));
  }
}

struct ClassTap final : fabric::Tap {
  void on_frame(fabric::PortIndex, Direction direction, const wire::Packet& packet, Time) override {
    if (direction != Direction::kSent || packet.common.kind != wire::PacketKind::kInfiniBandTransport) {
      return;
    }
    const auto acknowledge = wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge);
    auto& classes = packet.ib.opcode == acknowledge ? acks : packet.has(wire::kControl) ? notices : data;
    classes.emplace_back(packet.common.priority, packet.common.traffic_class);
  }
  std::vector<std::pair<int, int>> acks, notices, data;
};

TEST(Classes, AcknowledgementsAndNotificationsTravelInTheirOwn) {
  static const transport::DcqcnParameters kDcqcn = transport::dcqcn_paper(100_gbps);
  SimOptions options = roce(star({kCable, kCable, kCable}), &kDcqcn);
  options.nic.ack = host::TrafficClass{.priority = 5, .mark = 40};
  options.ethernet.ports[0].priorities[kDataLane].ecn =
      fabric::RedOptions{Bytes(5'000), Bytes(200'000), Probability::one()};
  options.flows = {write(0, 2, Bytes(1 << 20)), write(1, 2, Bytes(1 << 20))};
  SimWorld sim(std::move(options));
  ClassTap tap;
  const std::array<fabric::PortIndex, 3> ports{0, 1, 2};
  sim.fabric().set_tap(&tap, ports);
  (void)sim.run();
  EXPECT_TRUE(sim.all_succeeded());
  ASSERT_FALSE(tap.acks.empty());
  ASSERT_FALSE(tap.notices.empty());
  for (const auto& ack : tap.acks) {
    EXPECT_EQ(ack, std::pair(5, 40));
  }
  for (const auto& notice : tap.notices) {
    EXPECT_EQ(notice, std::pair(int{kNoticeLane}, 48));
  }
  for (const auto& one : tap.data) {
    EXPECT_EQ(one, std::pair(int{kDataLane}, int{kDataDscp}));
  }
}

// The answers' lane is paused, that of the data is not: an engine gives its answers first, so nothing may be taken.
TEST(Classes, DataWaitBehindAnswersWhoseLaneIsPaused) {
  SimOptions options = roce(star({kCable, kCable, {25_gbps, 500_ns}}));
  options.nic.ack = host::TrafficClass{.priority = 5, .mark = 40};
  options.nic.rc.ack_request_interval = 1;
  auto& acks = options.ethernet.ports[0].priorities[5];
  acks.lossless = true;
  acks.ingress_limit = Bytes(1);
  for (const auto& [from, to] : {std::pair{0U, 2U}, {2U, 0U}, {1U, 2U}}) {
    options.flows.push_back(write(from, to, Bytes(1 << 19)));
  }
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(), "");
  EXPECT_EQ(sim.messages().size(), 3U);
  EXPECT_TRUE(sim.all_succeeded());
  EXPECT_GT(sim.fabric().pauses(0).pauses_received[5], 0U);
}

TEST(Turns, AThousandQueuePairsSendOnePacketEachInTurn) {
  constexpr std::uint32_t kFlows = 1'000;
  SimOptions options = quiet(star({kCable, kCable}));
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    options.flows.push_back(write(0, 1, Bytes(3 * 4096)));
  }
  SimWorld sim(std::move(options));
  struct QpTap final : fabric::Tap {
    void on_frame(fabric::PortIndex, Direction direction, const wire::Packet& packet, Time) override {
      if (direction == Direction::kSent && !packet.has(wire::kControl)) {
        qps.push_back(packet.ib.destination_qp);
      }
    }
    std::vector<std::uint32_t> qps;
  } tap;
  const std::array<fabric::PortIndex, 1> ports{0};
  sim.fabric().set_tap(&tap, ports);
  (void)sim.run();
  ASSERT_EQ(tap.qps.size(), 3 * kFlows);
  // All are posted at one instant; the first one's first packet leaves before the others are there. Then come two
  // rounds of all.
  for (std::size_t i = 1; i <= kFlows; ++i) {
    ASSERT_EQ(tap.qps[i], tap.qps[i + kFlows]) << i;
  }
}

// What each queue pair costs a NIC when others are active too; in instructions: docs/performance.md.
TEST(Turns, AThousandQueuePairsTakeNoMoreEventsPerPacketThanOne) {
  const auto events_per_hop = [](std::uint32_t queue_pairs) {
    constexpr std::int64_t kPackets = 8'000;
    SimOptions options = quiet(star({kCable, kCable}));
    options.connection.timeout = 20;
    for (std::uint32_t i = 0; i < queue_pairs; ++i) {
      options.flows.push_back(write(0, 1, Bytes(4096 * (kPackets / queue_pairs))));
    }
    SimWorld sim(std::move(options));
    (void)sim.run(Time::zero() + 1_s);
    EXPECT_EQ(sim.messages().size(), queue_pairs);
    return static_cast<double>(sim.world().events()) / static_cast<double>(sim.world().packet_hops());
  };
  EXPECT_LE(events_per_hop(1'000), 1.1 * events_per_hop(1));
}

}  // namespace
}  // namespace weft::testing
