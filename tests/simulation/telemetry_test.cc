// Swift and HPCC over the simulated Ethernet: incasts as their papers describe them, and what telemetry costs the wire.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/hpcc.h"
#include "transport/congestion/swift.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::ethernet_test::star;

constexpr Rate kLine = 100_gbps;
constexpr Cable kCable{kLine, 1_us};
constexpr Bytes kPayload = 1024_bytes;

const transport::HpccParameters& hpcc() {
  // Four propagations, and what two full packets and two acknowledgements take: 4.2 us, and a little more.
  static const transport::HpccParameters kParameters{
      .line_rate = kLine,
      .minimum_rate = 100_mbps,
      .base_round_trip = Duration::nanoseconds(4'500),
      .target = Probability::from_ratio({.numerator = 95, .denominator = 100}),
      .additive_increase = 80_bytes};
  return kParameters;
}

const transport::SwiftParameters& swift() {
  using transport::PacketCount;
  static const transport::SwiftParameters kParameters{
      .packet = kPayload,
      .base_target = 20_us,
      .hop_delay = 1_us,
      .flow_scaling_range = Duration::zero(),
      .flow_scaling_least = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 10})),
      .flow_scaling_most = PacketCount::packets(100),
      .additive_increase = PacketCount::packets(1),
      .decrease = Probability::from_ratio({.numerator = 4, .denominator = 5}),
      .maximum_decrease = Probability::from_ratio({.numerator = 1, .denominator = 2}),
      .initial_window = PacketCount::packets(kLine.bytes_in(20_us) / kPayload),
      .least_window = PacketCount::of(Probability::from_ratio({.numerator = 1, .denominator = 1000})),
      .largest_window = PacketCount::packets(kLine.bytes_in(21_us) / kPayload)};
  return kParameters;
}

template <class Control, class Parameters>
SimOptions incast(std::uint32_t senders, const Parameters& parameters, Time end) {
  SimOptions options = roce(star(std::vector<Cable>(senders + 1, kCable)));
  options.ethernet.telemetry = true;
  options.ethernet.ports[0].mtu_frame = Bytes(1128);
  options.nic.rc.ack_request_interval = 1;
  options.nic.congestion_control = [&parameters] { return std::make_unique<Control>(parameters); };
  options.connection.path_mtu = verbs::PathMtu::k1024;
  for (std::uint32_t i = 0; i < senders; ++i) {
    options.flows.push_back(stream(i, senders, Bytes(1 << 18), end));
  }
  return options;
}

struct Steady {
  double utilisation = 0;  // of the receiver's link, gaps included
  double jain = 0;
  double mean_queue = 0;  // bytes
};

/// From half of the time on.
Steady steady(SimOptions options, std::uint32_t senders, Time end) {
  SimWorld sim(std::move(options));
  const Time half = Time::zero() + (end - Time::zero()) / 2;
  (void)sim.run(half);
  const auto sent = [&] {
    std::vector<double> bytes(senders);
    for (std::uint32_t i = 0; i < senders; ++i) {
      bytes[i] = static_cast<double>(sim.bytes_from(i));
    }
    return bytes;
  };
  const fabric::PortIndex out = sim.fabric().port(senders).peer;
  const std::uint64_t packets = sim.fabric().queue(out, kDataLane).tx_packets;
  const std::uint64_t bytes = sim.fabric().queue(out, kDataLane).tx_bytes;
  const std::vector<double> before = sent();
  double queue = 0;
  int looks = 0;
  for (Time at = half; at < end; at += 5_us, ++looks) {
    (void)sim.run(at);
    queue += sim.fabric().queue(out, kDataLane).bytes;
  }
  const std::uint64_t gaps = 20 * (sim.fabric().queue(out, kDataLane).tx_packets - packets);
  Steady result;
  result.utilisation = static_cast<double>(sim.fabric().queue(out, kDataLane).tx_bytes - bytes + gaps) * 8 /
                       ((end - half).seconds() * static_cast<double>(kLine.bits_per_second()));
  std::vector<double> shares = sent();
  std::transform(shares.begin(), shares.end(), before.begin(), shares.begin(), std::minus<>());
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  result.jain = sum * sum / (senders * std::inner_product(shares.begin(), shares.end(), shares.begin(), 0.0));
  result.mean_queue = queue / looks;
  EXPECT_EQ(sim.fabric().drops().total(), 0U);
  return result;
}

TEST(HpccIncast, KeepsTheLinkAtItsTargetAndTheQueueEmpty) {
  constexpr std::uint32_t kSenders = 8;
  const Time end = Time::zero() + 8_ms;
  const Steady found = steady(incast<transport::Hpcc>(kSenders, hpcc(), end), kSenders, end);
  EXPECT_GT(found.utilisation, 0.90);
  EXPECT_LT(found.utilisation, 0.98);
  EXPECT_GT(found.jain, 0.95);
  // A few packets, where the bandwidth-delay product is 56 kB.
  EXPECT_LT(found.mean_queue, 0.1 * static_cast<double>(kLine.bytes_in(hpcc().base_round_trip).count()));
}

TEST(SwiftIncast, HoldsTheDelayAtItsTargetAndTheLinkFull) {
  constexpr std::uint32_t kSenders = 8;
  const Time end = Time::zero() + 8_ms;
  const Steady found = steady(incast<transport::Swift>(kSenders, swift(), end), kSenders, end);
  EXPECT_GT(found.utilisation, 0.97);
  EXPECT_GT(found.jain, 0.95);
  // The target, less the round trip of the idle network, is spent in the queue.
  const double target = static_cast<double>(kLine.bytes_in(21_us - Duration::nanoseconds(4'200)).count());
  EXPECT_NEAR(found.mean_queue / target, 0.9, 0.15);
}

TEST(SwiftIncast, PacesFlowsWhoseWindowsAreBelowOnePacket) {
  constexpr std::uint32_t kSenders = 64;
  transport::SwiftParameters slow = swift();
  slow.base_target = 5_us;  // eight packets of queue for 64 flows
  const Time end = Time::zero() + 16_ms;
  const Steady found = steady(incast<transport::Swift>(kSenders, slow, end), kSenders, end);
  EXPECT_GT(found.utilisation, 0.9);
  EXPECT_LT(found.mean_queue, 64.0 * 1'090);
}

TEST(Telemetry, TakesRoomOnTheWire) {
  const auto wire_bytes = [](bool with) {
    SimOptions options = roce(star({kCable, kCable}));
    options.ethernet.telemetry = with;
    options.nic.rc.ack_request_interval = 1;
    if (with) {
      options.nic.congestion_control = [] { return std::make_unique<transport::Hpcc>(hpcc()); };
    }
    options.flows = {write(0, 1, 64_kib)};
    SimWorld sim(std::move(options));
    (void)sim.run();
    EXPECT_TRUE(sim.all_succeeded());
    return std::pair(sim.bytes_from(0), sim.bytes_from(1));
  };
  const auto without = wire_bytes(false);
  const auto with = wire_bytes(true);
  constexpr std::uint64_t kPackets = 16;
  EXPECT_EQ(with.first - without.first, kPackets * 42);
  EXPECT_EQ(with.second - without.second, kPackets * 42);  // acknowledgements bring it back
}

// Its own transmissions keep host 0's data class paused; what comes in is marked.
std::uint64_t notices_under_pause(bool own_class) {
  static const transport::DcqcnParameters kDcqcn = transport::dcqcn_paper(kLine);
  SimOptions options = roce(star({kCable, kCable, kCable, {1_gbps, 1_us}}), &kDcqcn);
  fabric::PriorityOptions& data = options.ethernet.ports[0].priorities[kDataLane];
  data.ecn = fabric::RedOptions{Bytes(5'000), Bytes(20'000)};
  data.ingress_limit = Bytes(20'000);
  if (!own_class) {
    options.nic.cnp.reset();
  }
  const Time end = Time::zero() + 300_us;
  options.flows = {stream(0, 3, Bytes(1 << 18), end), stream(1, 0, Bytes(1 << 18), end),
                   stream(2, 0, Bytes(1 << 18), end)};
  SimWorld sim(std::move(options));
  std::uint64_t sent = 0;
  const auto notices = [&] {
    return sim.fabric().queue(0, kNoticeLane).tx_packets + sim.fabric().queue(0, kDataLane).tx_packets;
  };
  for (Time at = Time::zero() + 1_us; at < end; at += 200_ns) {
    const bool paused = ((sim.fabric().port(0).blocked >> kDataLane) & 1U) != 0;
    const std::uint64_t before = notices();
    (void)sim.run(at);
    const bool still = ((sim.fabric().port(0).blocked >> kDataLane) & 1U) != 0;
    sent += paused && still ? notices() - before : 0;
  }
  return sent;
}

TEST(Notifications, InAClassOfTheirOwnLeaveWhileTheDataIsPaused) { EXPECT_GT(notices_under_pause(true), 0U); }

TEST(Notifications, InTheClassOfTheDataWaitForThePauseToEnd) { EXPECT_EQ(notices_under_pause(false), 0U); }

}  // namespace
}  // namespace weft::testing
