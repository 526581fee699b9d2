// The DCQCN paper's experiments on its own switch: 40 Gb/s, 12 MB, marking from 5 kB to 200 kB with 1 %.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "fabric/ethernet/ethernet_test_world.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::ethernet_test::star;

constexpr Cable kCable{40_gbps, 1_us};

const transport::DcqcnParameters& paper() {
  static const transport::DcqcnParameters kParameters = transport::dcqcn_paper(40_gbps);
  return kParameters;
}

enum class Control : std::uint8_t { kPfcOnly, kDcqcn };

SimOptions trident(fabric::Graph graph, Control control) {
  SimOptions options = roce(std::move(graph), control == Control::kDcqcn ? &paper() : nullptr);
  options.ethernet.switches[0].buffer = Bytes(12'000'000);
  options.ethernet.switches[0].latency = 500_ns;
  fabric::EthernetPortOptions& port = options.ethernet.ports[0];
  port.mtu_frame = Bytes(1086);
  fabric::PriorityOptions& data = port.priorities[kDataLane];
  data.headroom = Bytes(22'400);
  if (control == Control::kDcqcn) {
    data.ecn = fabric::RedOptions{Bytes(5'000), Bytes(200'000), Probability::from_ratio({1, 100})};
    data.ingress_alpha_shift = 3;  // beta = 8
  } else {
    data.ingress_limit = Bytes(24'475);
  }
  options.connection.path_mtu = verbs::PathMtu::k1024;
  return options;
}

/// Bits per second that each endpoint sent between two instants, headers included.
std::vector<double> rates(SimWorld& sim, Time from, Time to, std::uint32_t endpoints) {
  (void)sim.run(from);
  std::vector<double> sent(endpoints);
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    sent[i] = -static_cast<double>(sim.bytes_from(i));
  }
  (void)sim.run(to);
  for (std::uint32_t i = 0; i < endpoints; ++i) {
    sent[i] = (sent[i] + static_cast<double>(sim.bytes_from(i))) * 8 / (to - from).seconds();
  }
  return sent;
}

double jain(const std::vector<double>& x) {
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  const double squares = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
  return sum * sum / (static_cast<double>(x.size()) * squares);
}

class PaperIncast : public ::testing::TestWithParam<std::uint32_t> {};

TEST_P(PaperIncast, IsFairAndLosesNothing) {
  const std::uint32_t senders = GetParam();
  const Time end = Time::zero() + 60_ms;
  SimOptions options = trident(star(std::vector<Cable>(senders + 1, kCable)), Control::kDcqcn);
  for (std::uint32_t i = 0; i < senders; ++i) {
    options.flows.push_back(stream(i, senders, Bytes(1 << 20), end));
  }
  SimWorld sim(std::move(options));
  const std::vector<double> sent = rates(sim, end - 20_ms, end, senders);
  EXPECT_GT(jain(sent), 0.95);
  EXPECT_EQ(sim.fabric().drops().total(), 0U);
  const double total = std::accumulate(sent.begin(), sent.end(), 0.0);
  RecordProperty("jain_ppm", static_cast<int>(jain(sent) * 1e6));
  EXPECT_LE(total, 40e9 * 1.001);
  EXPECT_GT(total, 40e9 * 0.8);
}

INSTANTIATE_TEST_SUITE_P(Senders, PaperIncast, ::testing::Values(2U, 20U));

// The paper's testbed: two pods of two ToRs and two leaves, two spines, one cable between any two that are neighbours.
class Clos {
 public:
  explicit Clos(const std::vector<std::uint32_t>& tor_of_host) {
    builder_.add_hosts({.hosts = static_cast<std::uint32_t>(tor_of_host.size())});
    const auto add = [&](const char* name, int count) {
      std::vector<NodeIndex> nodes;
      for (int i = 0; i < count; ++i) {
        nodes.push_back(builder_.add_switch({.name = name + std::to_string(i + 1)}));
      }
      return nodes;
    };
    const auto tors = add("T", 4);
    const auto leaves = add("L", 4);
    const auto spines = add("S", 2);
    for (std::uint32_t host = 0; host < tor_of_host.size(); ++host) {
      builder_.connect({.lower = NodeIndex(host), .upper = tors[tor_of_host[host] - 1]}, kCable);
    }
    for (std::size_t tor = 0; tor < 4; ++tor) {
      for (std::size_t leaf = tor / 2 * 2; leaf < tor / 2 * 2 + 2; ++leaf) {
        builder_.connect({.lower = tors[tor], .upper = leaves[leaf]}, kCable);
      }
    }
    for (const NodeIndex leaf : leaves) {
      for (const NodeIndex spine : spines) {
        builder_.connect({.lower = leaf, .upper = spine}, kCable);
      }
    }
  }
  [[nodiscard]] fabric::Graph graph() { return std::move(builder_).finish(); }

 private:
  using NodeIndex = fabric::NodeIndex;
  fabric::GraphBuilder builder_{fabric::Domains::kOne};
};

// H1 to H3 under T1, H4 beside the receiver under T4. With PFC alone a switch shares by ports: T4 has one for H4 and
// two for all the others.
std::vector<double> parking_lot(Control control, std::uint64_t seed, Time from, Time end) {
  SimOptions options = trident(Clos({1, 1, 1, 4, 4}).graph(), control);
  options.seed = seed;
  for (std::uint32_t i = 0; i < 4; ++i) {
    options.flows.push_back(stream(i, 4, Bytes(1 << 18), end));
  }
  SimWorld sim(std::move(options));
  std::vector<double> sent = rates(sim, from, end, 4);
  EXPECT_EQ(sim.fabric().drops().total(), 0U);
  return sent;
}

TEST(PaperParkingLot, WithPfcAloneTheNearSenderGetsMore) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const std::vector<double> sent = parking_lot(Control::kPfcOnly, seed, Time::zero() + 5_ms, Time::zero() + 10_ms);
    EXPECT_GE(sent[3], 1.5 * (sent[0] + sent[1] + sent[2]) / 3);
  }
}

// Over a tenth of a second. In 20 ms a flow sees a few tens of notifications, each of which cuts its rate, and its
// share of such a window strays by 7 % (one standard deviation), near or far.
TEST(PaperParkingLot, WithDcqcnAllGetTheSame) {
  const std::vector<double> sent = parking_lot(Control::kDcqcn, 1, Time::zero() + 20_ms, Time::zero() + 120_ms);
  const double mean = std::accumulate(sent.begin(), sent.end(), 0.0) / 4;
  for (const double rate : sent) {
    EXPECT_NEAR(rate / mean, 1.0, 0.1);
  }
  EXPECT_GT(mean, 0.9 * 40e9 / 4);
}

// VS (7) under T1 sends to VR (8) under T2, beside an incast of H11 to H14 (0 to 3, T1) and `extra` hosts under T3 to R
// (6) under T4.
SimOptions victim_scenario(Control control, std::uint64_t seed) {
  SimOptions options = trident(Clos({1, 1, 1, 1, 3, 3, 4, 1, 2}).graph(), control);
  options.seed = seed;
  return options;
}

double victim_rate(Control control, std::uint32_t extra, std::uint64_t seed) {
  const Time end = Time::zero() + (control == Control::kDcqcn ? 60_ms : 10_ms);
  SimOptions options = victim_scenario(control, seed);
  for (std::uint32_t i = 0; i < 4 + extra; ++i) {
    options.flows.push_back(stream(i, 6, Bytes(1 << 18), end));
  }
  options.flows.push_back(stream(7, 8, Bytes(1 << 18), end));
  SimWorld sim(std::move(options));
  const double sent = rates(sim, end - (control == Control::kDcqcn ? 20_ms : 5_ms), end, 8)[7];
  EXPECT_EQ(sim.fabric().drops().total(), 0U);
  return sent;
}

/// Which of its two uplinks T1 hashes the flow of a host to.
std::uint64_t uplink(std::uint32_t host, std::uint64_t seed) {
  SimOptions options = victim_scenario(Control::kPfcOnly, seed);
  options.flows = {write(host, host == 7 ? 8 : 6, Bytes(1'000))};
  SimWorld sim(std::move(options));
  (void)sim.run();
  return sim.fabric().port(sim.fabric().port(0).peer + 5).packets_sent > 0 ? 0 : 1;
}

/// A seed for which the victim shares its uplink with two of the incast's flows: 40 - 2 * 10 Gb/s are left for it.
constexpr std::uint64_t kSharedByTwo = 2;
constexpr double kExpected = 20e9;

TEST(PaperVictim, SharesItsUplinkWithTwoFlowsOfTheIncast) {
  int sharing = 0;
  for (std::uint32_t host = 0; host < 4; ++host) {
    sharing += uplink(host, kSharedByTwo) == uplink(7, kSharedByTwo) ? 1 : 0;
  }
  EXPECT_EQ(sharing, 2);
}

TEST(PaperVictim, SuffersUnderPfcAloneAndMoreWithSendersElsewhere) {
  const double with_none = victim_rate(Control::kPfcOnly, 0, kSharedByTwo);
  const double with_two = victim_rate(Control::kPfcOnly, 2, kSharedByTwo);
  EXPECT_LT(with_none, 0.6 * kExpected);
  EXPECT_LT(with_two, 0.75 * with_none);
}

TEST(PaperVictim, GetsWhatTheUplinkHasLeftWithDcqcn) {
  EXPECT_GT(victim_rate(Control::kDcqcn, 0, kSharedByTwo), 0.95 * kExpected);
  EXPECT_GT(victim_rate(Control::kDcqcn, 2, kSharedByTwo), 0.95 * kExpected);
}

}  // namespace
}  // namespace weft::testing
