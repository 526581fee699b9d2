// Swift and HPCC over the simulated Ethernet: incasts as their papers describe them, and what telemetry costs the wire.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/graph_builder.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"
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

/// Where acknowledgements travel: with the data, or in a strict priority above it.
enum class AckClass : std::uint8_t { kData, kOwn };

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

/// Switches s0, s1 and s2 in a row with two hosts each.
fabric::Graph row_of_switches() {
  fabric::GraphBuilder builder(fabric::Domains::kOne);
  builder.add_hosts({.hosts = 6});
  std::vector<fabric::NodeIndex> nodes;
  for (std::uint32_t i = 0; i < 3; ++i) {
    nodes.push_back(builder.add_switch({.name = "s" + std::to_string(i)}));
    builder.connect({.lower = fabric::NodeIndex(2 * i), .upper = nodes[i]}, kCable);
    builder.connect({.lower = fabric::NodeIndex(2 * i + 1), .upper = nodes[i]}, kCable);
  }
  builder.connect({.lower = nodes[0], .upper = nodes[1]}, kCable);
  builder.connect({.lower = nodes[1], .upper = nodes[2]}, kCable);
  return std::move(builder).finish();
}

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
/// Over s0, s1, s2 and over s1, s2.
const Pairs kOneLink = {{0, 4}, {3, 5}};
/// Over both links between switches, and one over each.
const Pairs kParkingLot = {{0, 4}, {1, 2}, {3, 5}};

/// What a switch more adds to the round trip: a microsecond of cable and a packet or an acknowledgement, each way.
constexpr Duration kHop = Duration::nanoseconds(2'100);
/// Over two switches: three cables each way, full packets and acknowledgements.
constexpr Duration kIdleOfTwo = Duration::nanoseconds(6'300);

transport::HpccParameters row_hpcc(Bytes increase) {
  transport::HpccParameters made = hpcc();
  made.base_round_trip = 9'500_ns;
  made.additive_increase = increase;
  return made;
}

transport::SwiftParameters row_swift(Duration hop) {
  transport::SwiftParameters made = swift();
  made.hop_delay = hop;
  made.flow_scaling_range = 50_us;
  made.largest_window = transport::PacketCount::packets(kLine.bytes_in(75_us) / kPayload);
  return made;
}

double microseconds(Duration of) { return of.seconds() * 1e6; }

/// The window, in packets, to which flow scaling adds so many microseconds.
double window_at(double added) {
  const double least = 1 / std::sqrt(0.1);
  const double most = 1 / std::sqrt(100.0);
  const double alpha = microseconds(50_us) / (least - most);
  return std::pow(alpha / (added + alpha * most), 2);
}

/// What each flow sends in the second half of the time, as a share of the line.
template <class Control, class Parameters>
std::vector<double> shares(const Pairs& flows, const Parameters& parameters, Time end, AckClass acks = AckClass::kOwn) {
  SimOptions options = roce(row_of_switches());
  options.ethernet.telemetry = true;
  options.ethernet.ports[0].mtu_frame = Bytes(1128);
  options.nic.rc.ack_request_interval = 1;
  options.nic.congestion_control = [&parameters] { return std::make_unique<Control>(parameters); };
  options.connection.path_mtu = verbs::PathMtu::k1024;
  if (acks == AckClass::kOwn) {
    options.nic.ack = host::TrafficClass{kNoticeLane, 48};
  }
  for (const auto& [from, to] : flows) {
    options.flows.push_back(stream(from, to, Bytes(1 << 18), end));
  }
  SimWorld sim(std::move(options));
  const Time half = Time::zero() + (end - Time::zero()) / 2;
  (void)sim.run(half);
  std::vector<double> sent;
  for (const auto& flow : flows) {
    sent.push_back(-static_cast<double>(sim.bytes_from(flow.first)));
  }
  (void)sim.run(end);
  const double line = (end - half).seconds() * static_cast<double>(kLine.bits_per_second()) / 8;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    sent[i] = (sent[i] + static_cast<double>(sim.bytes_from(flows[i].first))) / line;
  }
  EXPECT_EQ(sim.fabric().drops().total(), 0U);
  return sent;
}

TEST(HpccShares, AreEqualOnOneLinkWhateverTheLengthOfThePaths) {
  const std::vector<double> found = shares<transport::Hpcc>({{0, 4}, {3, 5}}, row_hpcc(80_bytes), Time::zero() + 8_ms);
  EXPECT_NEAR(found[0] / found[1], 1, 0.05);
  EXPECT_NEAR(found[0] + found[1], 0.95, 0.05);
}

// The busiest port counts, so that no sum over links punishes the long flow. What does is the noise of two loads, of
// which the higher one counts, beside steps that are small: max-min sharing would give each half.
TEST(HpccShares, OfAFlowOverTwoFullLinksGrowWithTheIncrease) {
  const Time end = Time::zero() + 8_ms;
  const double small = shares<transport::Hpcc>(kParkingLot, row_hpcc(80_bytes), end)[0];
  const double large = shares<transport::Hpcc>(kParkingLot, row_hpcc(1600_bytes), end)[0];
  EXPECT_GT(small, 0.15);
  EXPECT_LT(small, 0.35);
  EXPECT_GT(large, small + 0.08);
  EXPECT_LT(large, 0.5);
}

// Where a switch more adds as much to the target as to the round trip of the idle network, both flows ask for the same
// queue. Where it adds less, the near flow asks for a longer one, and the far flow shrinks until flow scaling makes up
// for the difference: from a / sqrt(w) - a / sqrt(most) = difference, its window.
TEST(SwiftShares, AreEqualOnOneLinkIfTheTargetFollowsTheLengthOfThePath) {
  const Time end = Time::zero() + 12_ms;
  const std::vector<double> scaled = shares<transport::Swift>(kOneLink, row_swift(kHop), end);
  EXPECT_NEAR(scaled[0] / (scaled[0] + scaled[1]), 0.5, 0.1);
  const std::vector<double> short_target = shares<transport::Swift>(kOneLink, row_swift(1_us), end);
  const double far = window_at(microseconds(kHop - 1_us));
  const double all = microseconds(22_us) * 1e-6 * static_cast<double>(kLine.bits_per_second()) / (1'130 * 8);
  EXPECT_NEAR(short_target[0], far / all, 0.3 * far / all);
}

// Each link's own flow keeps a queue of its target less its idle round trip; the long flow sees both. Its window is the
// one for which flow scaling adds what is missing, and less than a packet.
TEST(SwiftShares, OfAFlowOverTwoFullLinksAreThoseOfTheSumOfTheirDelays) {
  const std::vector<double> found = shares<transport::Swift>(kParkingLot, row_swift(kHop), Time::zero() + 12_ms);
  EXPECT_GT(found[1], 0.95);
  EXPECT_GT(found[2], 0.95);
  const double queue = microseconds(20_us + 2 * kHop - kIdleOfTwo);
  const double delay = microseconds(kIdleOfTwo + kHop) + 2 * queue;
  const double window = window_at(queue);
  EXPECT_LT(window, 1);
  const double rate = window * 1'130 * 8 / (delay * 1e-6) / static_cast<double>(kLine.bits_per_second());
  EXPECT_NEAR(found[0], rate, 0.5 * rate);
}

// What waits before acknowledgements on their way back counts for the target as well.
TEST(SwiftShares, DoNotDependOnTheWayBackIfAcknowledgementsHaveAClassOfTheirOwn) {
  const Time end = Time::zero() + 12_ms;
  const Pairs flows = {{0, 2}, {3, 1}, {2, 1}};  // one to the right; two to the left, on one link
  const double own = shares<transport::Swift>(flows, row_swift(kHop), end)[0];
  const double with_data = shares<transport::Swift>(flows, row_swift(kHop), end, AckClass::kData)[0];
  EXPECT_GT(own, 0.88);              // acknowledgements of the others take 8 %
  EXPECT_NEAR(with_data, 0.5, 0.1);  // all see the same delay, so that all have the same window
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
