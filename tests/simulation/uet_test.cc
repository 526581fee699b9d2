// Ultra Ethernet on a simulated fabric: packets spread over all paths, losses cost time and never a message, contexts
// come and go.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/random.h"
#include "fabric/ethernet/ethernet_test_world.h"
#include "fabric/topology/leaf_spine.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/nscc.h"
#include "transport/path/oblivious_path.h"

namespace weft::testing {
namespace {

using namespace literals;
using fabric::Cable;
using fabric::ethernet_test::star;

constexpr Cable kCable{100_gbps, 500_ns};

fabric::Graph four_paths(std::uint32_t hosts_per_leaf) {
  return *fabric::build_graph(fabric::LeafSpineOptions{
      .leaves = 2, .spines = 4, .hosts_per_leaf = hosts_per_leaf, .host_link = kCable, .fabric_link = kCable});
}

/// Spraying over 64 entropies, in a lane that drops.
SimOptions ultra_ethernet(fabric::Graph graph) {
  SimOptions options = roce(std::move(graph));
  options.ethernet.ports[0].priorities[kDataLane].lossless = false;
  options.service = host::Service::kUet;
  options.nic.device.encapsulation = wire::Encapsulation::kUetUdpIpv4;
  options.nic.device.uet.timeout = 100_us;
  options.nic.uet.path_selector = [](std::uint64_t seed) {
    return std::make_unique<transport::ObliviousPath>(transport::EntropyRange{.base = 0xC000, .paths = 64},
                                                      RandomStream(seed, "paths"));
  };
  return options;
}

std::uint64_t sum_over_nics(SimWorld& sim, std::uint32_t endpoints, std::uint64_t host::Nic::Connections::*member) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < endpoints; ++i)
    sum += sim.world().nic(EndpointId(i)).connections().*member;
  return sum;
}

TEST(UltraEthernet, TwoFlowsSpreadOverAllPathsArriveOutOfOrderAndRepeatNothing) {
  SimOptions options = ultra_ethernet(four_paths(4));
  options.flows = {write(0, 4, Bytes(1 << 22)), write(1, 5, Bytes(1 << 22))};
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
  ASSERT_EQ(sim.messages().size(), 2U);
  EXPECT_TRUE(sim.all_succeeded());
  EXPECT_EQ(sum_over_nics(sim, 8, &host::Nic::Connections::retransmissions), 0U);
  EXPECT_GT(sum_over_nics(sim, 8, &host::Nic::Connections::out_of_order), 0U);
}

TEST(UltraEthernet, ReorderingIsMeasuredAndThereIsNoneOnOnePath) {
  for (const bool one_path : {false, true}) {
    SimOptions options = ultra_ethernet(four_paths(4));
    options.nic.measures_order = true;
    options.flows = {write(0, 4, Bytes(1 << 22))};
    if (one_path) {
      options.nic.uet.path_selector = {};
    } else {
      options.flows.push_back(write(1, 5, Bytes(1 << 22)));
    }
    const std::size_t flows = options.flows.size();
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
    EXPECT_TRUE(sim.all_succeeded());
    std::uint64_t packets = 0;
    std::uint64_t late = 0;
    for (const std::uint32_t receiver : {4U, 5U}) {
      const host::ReorderMeter& meter = *sim.world().nic(EndpointId(receiver)).reordering();
      packets += meter.packets();
      for (const host::ReorderMeter::Late& some : meter.late())
        late += some.packets;
    }
    EXPECT_EQ(packets, flows * (1 << 22) / 4'096);
    EXPECT_EQ(late > 0, !one_path) << late;
  }
}

// Each packet is longer; with nothing else on the wire that is all.
TEST(UltraEthernet, TssTakesItsBytesOnTheWire) {
  constexpr std::int64_t kPackets = 256;
  constexpr std::uint16_t kTss = 24;
  Duration took[2];
  for (const bool encrypted : {false, true}) {
    SimOptions options = ultra_ethernet(star({kCable, kCable}));
    options.nic.device.uet.sizes.security = encrypted ? kTss : std::uint16_t{0};
    options.flows = {write(0, 1, Bytes(kPackets * 4'096))};
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
    ASSERT_EQ(sim.messages().size(), 1U);
    took[encrypted ? 1 : 0] = sim.messages().front().finished - sim.messages().front().posted;
  }
  const Duration more = took[1] - took[0];
  EXPECT_GE(more, (100_gbps).transmit_time(Bytes(kPackets * kTss)));
  // The last packet and its acknowledgement are longer at each of two hops.
  EXPECT_LE(more, (100_gbps).transmit_time(Bytes((kPackets + 4) * kTss)));
}

// 64 entropies fall on four paths unevenly, so the fullest path is the limit; flows of one path each collide for
// certain in all but 9 % of the cases, and take twice their time on the line.
TEST(UltraEthernet, APermutationEndsSoonerThanTwoFlowsThatShareAPath) {
  constexpr std::uint32_t kHosts = 8;
  constexpr std::int64_t kMessage = 1 << 21;
  SimOptions options = ultra_ethernet(four_paths(kHosts / 2));
  for (std::uint32_t i = 0; i < kHosts; ++i)
    options.flows.push_back(write(i, (i + kHosts / 2) % kHosts, Bytes(kMessage)));
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
  ASSERT_EQ(sim.messages().size(), kHosts);
  EXPECT_TRUE(sim.all_succeeded());
  const Duration on_the_line = (100_gbps).transmit_time(Bytes(kMessage));
  for (const workload::MessageRecord& record : sim.messages())
    EXPECT_LT(record.finished - record.posted, on_the_line * 3 / 2);
}

TEST(UltraEthernet, BitErrorsCauseRetransmissionsAndLoseNoMessage) {
  for (const std::uint64_t one_in : {300'000ULL, 3'000'000ULL}) {
    SimOptions options = ultra_ethernet(four_paths(2));
    options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, one_in}));
    options.connection.path_mtu = verbs::PathMtu::k1024;
    for (std::uint32_t i = 0; i < 4; ++i)
      options.flows.push_back(write(i, 3 - i, Bytes(1 << 18)));
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 2_s), "");
    ASSERT_EQ(sim.messages().size(), 4U) << one_in;
    EXPECT_TRUE(sim.all_succeeded());
    EXPECT_GT(sim.fabric().drops().damaged, 0U);
    EXPECT_GT(sum_over_nics(sim, 4, &host::Nic::Connections::retransmissions), 0U);
  }
}

TEST(UltraEthernet, AnIncastUnderNsccSharesTheLineAndLosesNoMessage) {
  constexpr std::uint32_t kSenders = 6;
  constexpr std::int64_t kMessage = 1 << 20;
  SimOptions options = ultra_ethernet(star(std::vector<Cable>(kSenders + 1, kCable)));
  options.ethernet.switches[0].buffer = Bytes(400'000);
  static const transport::NsccParameters parameters =
      transport::nscc_parameters({.round_trip = 3_us,
                                  .line = 100_gbps,
                                  .packet = Bytes(4202),
                                  .payload = Bytes(4096),
                                  .trimming = transport::Trimming::kOff});
  options.nic.uet.congestion_control = [] {
    return std::make_unique<transport::Nscc>(parameters, transport::Nscc::Flow{.round_trip = 3_us});
  };
  for (std::uint32_t i = 0; i < kSenders; ++i)
    options.flows.push_back(write(i, kSenders, Bytes(kMessage)));
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
  ASSERT_EQ(sim.messages().size(), kSenders);
  EXPECT_TRUE(sim.all_succeeded());
  Time last;
  for (const workload::MessageRecord& record : sim.messages())
    last = later(last, record.finished);
  const Duration least = (100_gbps).transmit_time(Bytes(kSenders * kMessage));
  EXPECT_GT(last - Time::zero(), least);
  EXPECT_LT(last - Time::zero(), least + least / 2);
}

// Senders speculate for a window each; from then on the receiver's NIC shares out its line, and nothing finds the
// buffer full. Without credit it is full for as long as the incast lasts.
TEST(UltraEthernet, AnIncastOnCreditDropsItsFirstWindowsAlone) {
  constexpr std::uint32_t kSenders = 6;
  constexpr std::int64_t kMessage = 1 << 20;
  constexpr Bytes kBuffer = 200'000_bytes;
  constexpr Bytes kWindow = 65'536_bytes;
  const auto sent_again = [&](bool credit) {
    SimOptions options = ultra_ethernet(star(std::vector<Cable>(kSenders + 1, kCable)));
    options.ethernet.switches[0].buffer = kBuffer;
    if (credit) {
      options.nic.uet.credits =
          transport::UetCredits{.receiver = {.line = 100_gbps, .payload = 4'096_bytes, .window = kWindow},
                                .sender = {.packet = 4'206_bytes, .window = kWindow, .round_trip = 3_us}};
    }
    for (std::uint32_t i = 0; i < kSenders; ++i)
      options.flows.push_back(write(i, kSenders, Bytes(kMessage)));
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
    EXPECT_EQ(sim.messages().size(), kSenders);
    EXPECT_TRUE(sim.all_succeeded());
    return sum_over_nics(sim, kSenders, &host::Nic::Connections::retransmissions);
  };
  const std::uint64_t windows = kSenders * (static_cast<std::uint64_t>(kWindow / 4'096_bytes) + 1);
  EXPECT_LE(sent_again(true), windows);
  EXPECT_GT(sent_again(false), windows * 2);
}

// One host receives from two and sends to a third: its credit is for its own line, in its own direction. Where control
// packets share the lane of data, credit and acknowledgements for what it sends wait in the queue of the switch to it:
// data on 0.99 of the line, gaps, and these are 1 % more than the line carries, so that it grows until credit is late.
TEST(UltraEthernet, CreditOfManyContextsFillsTheLineOfEachReceiverWhereControlHasItsOwnLane) {
  constexpr std::int64_t kMessage = 1 << 22;
  const auto times = [](bool own_lane) {
    SimOptions options = ultra_ethernet(star(std::vector<Cable>(4, kCable)));
    if (own_lane)
      options.nic.ack = host::TrafficClass{.priority = kNoticeLane, .mark = 48};
    options.nic.uet.credits =
        transport::UetCredits{.receiver = {.line = 100_gbps, .payload = 4'096_bytes, .window = 65'536_bytes},
                              .sender = {.packet = 4'206_bytes, .window = 65'536_bytes, .round_trip = 3_us}};
    options.flows = {write(0, 2, Bytes(kMessage)), write(1, 2, Bytes(kMessage)), write(2, 3, Bytes(2 * kMessage))};
    SimWorld sim(std::move(options));
    EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
    EXPECT_EQ(sim.messages().size(), 3U);
    EXPECT_TRUE(sim.all_succeeded());
    Duration both = Duration::zero();
    Duration own = Duration::zero();
    for (const workload::MessageRecord& record : sim.messages()) {
      Duration& longest = record.flow.source.value() == 2 ? own : both;
      longest = std::max(longest, record.finished - record.posted);
    }
    return std::pair(both, own);
  };
  const Duration line = (100_gbps).transmit_time(Bytes(2 * kMessage));
  const auto [received, sent] = times(true);
  EXPECT_LT(received, line * 106 / 100);
  EXPECT_LT(sent, line * 106 / 100);
  const auto [received_beside, sent_beside] = times(false);
  EXPECT_LT(received_beside, line * 106 / 100);
  EXPECT_GT(sent_beside, line * 110 / 100);
}

TEST(UltraEthernet, ContextsAreMadeByTheFirstPacketAndAllClosedInTheEnd) {
  SimOptions options = ultra_ethernet(four_paths(2));
  for (std::uint32_t i = 1; i < 4; ++i)
    options.flows.push_back(write(0, i, Bytes(1 << 16)));
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
  EXPECT_TRUE(sim.all_succeeded());
  for (std::uint32_t i = 0; i < 4; ++i) {
    const host::Nic::Connections connections = sim.world().nic(EndpointId(i)).connections();
    EXPECT_EQ(connections.contexts, 0U) << i;
    EXPECT_EQ(connections.uet.closed, connections.uet.opened) << i;
    EXPECT_EQ(connections.uet.opened, i == 0 ? 3U : 1U);
  }
}

}  // namespace
}  // namespace weft::testing
