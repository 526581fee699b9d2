// TCP and iWARP over IPv6 in a network of equal paths: PLB takes connections under DCTCP away from links that they
// share.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/random.h"
#include "fabric/topology/leaf_spine.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dctcp.h"
#include "transport/path/tcp_plb.h"

namespace weft::testing {
namespace {

using namespace literals;
using fabric::Cable;

constexpr std::uint32_t kHosts = 8;  // on each of two leaves, under as many spines
constexpr std::int64_t kMessage = 1 << 24;
constexpr Cable kCable{100_gbps, 500_ns};

struct Outcome {
  double slowest = 1;  // share of its host's line
  std::uint64_t path_changes = 0;
};

struct Case {
  host::Service service = host::Service::kTcp;
  std::uint64_t seed = 1;
  Bytes mark_above;  // of a queue
  bool plb = false;
};

/// Each host of the first leaf writes to one of the second, over the path that a hash of ports and flow label gives it.
Outcome halves(const Case& given) {
  SimOptions options =
      streams(*fabric::build_graph(fabric::LeafSpineOptions{
                  .leaves = 2, .spines = kHosts, .hosts_per_leaf = kHosts, .host_link = kCable, .fabric_link = kCable}),
              given.service);
  options.seed = given.seed;
  options.ethernet.ports[0].priorities[kDataLane].ecn =
      fabric::RedOptions{given.mark_above, given.mark_above + Bytes(1), Probability::one()};
  options.nic.header_hash = fabric::HeaderHash{.fields = fabric::kHashFiveTuple | fabric::kHashFlowLabel};
  options.nic.tcp_congestion_control = [] { return std::make_unique<transport::Dctcp>(); };
  for (transport::StreamOptions* stream : {static_cast<transport::StreamOptions*>(&options.nic.tcp),
                                           static_cast<transport::StreamOptions*>(&options.nic.iwarp)}) {
    stream->tcp.ecn = transport::TcpEcn::kPerPacket;
    stream->tcp.encapsulation = wire::Encapsulation::kTcpIpv6;
  }
  if (given.plb) {
    options.nic.tcp_plb = [](std::uint64_t seed) {
      return std::make_unique<transport::TcpPlb>(transport::PlbRule::Options{}, RandomStream(seed, "paths"));
    };
  }
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    options.flows.push_back(write(i, i + kHosts, Bytes(kMessage)));
  }
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run(Time::zero() + 1_s), study::world::World::Stop::kIdle);
  EXPECT_TRUE(sim.all_succeeded());
  EXPECT_EQ(sim.messages().size(), kHosts);
  Outcome outcome;
  for (const workload::MessageRecord& record : sim.messages()) {
    const double longest = (record.finished - record.posted).seconds();
    outcome.slowest = std::min(outcome.slowest, (100_gbps).transmit_time(Bytes(kMessage)).seconds() / longest);
  }
  for (std::uint32_t i = 0; i < 2 * kHosts; ++i) {
    outcome.path_changes += sim.world().nic(EndpointId(i)).path_changes();
  }
  return outcome;
}

// Eight connections draw from eight spines, so some meet and others are alone: the slowest of each draw has half of its
// line or less. Where every segment that waits is marked, those that meet draw again.
TEST(TcpPaths, PlbTakesConnectionsAwayFromLinksThatTheyShare) {
  for (const host::Service service : {host::Service::kTcp, host::Service::kIwarp}) {
    double stays = 0;
    double moves = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const Case given{.service = service, .seed = seed, .mark_above = Bytes(2'000)};
      const Outcome single = halves(given);
      EXPECT_EQ(single.path_changes, 0U);
      EXPECT_LT(single.slowest, 0.5) << seed;
      Case moving = given;
      moving.plb = true;
      const Outcome plb = halves(moving);
      EXPECT_GT(plb.path_changes, 0U) << seed;
      EXPECT_GT(plb.slowest, single.slowest) << seed;
      stays += single.slowest;
      moves += plb.slowest;
    }
    EXPECT_GT(moves, 1.4 * stays);
  }
}

// DCTCP keeps a queue at a usual threshold with few marks: no two or three connections come to half of a round for
// long.
TEST(TcpPaths, AtAUsualThresholdDctcpKeepsMarksTooRareForPlb) {
  const Case given{.mark_above = Bytes(50'000), .plb = true};
  const Outcome outcome = halves(given);
  EXPECT_EQ(outcome.path_changes, 0U);
  EXPECT_LT(outcome.slowest, 0.5);
}

}  // namespace
}  // namespace weft::testing
