// RoCEv2 whose senders choose the path of each packet: over eight spines, one of which is joined by a link of a quarter
// of the rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/random.h"
#include "fabric/topology/leaf_spine.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/marked_paths.h"
#include "transport/path/bitmap_path.h"
#include "transport/path/hashed_path.h"
#include "transport/path/message_path.h"
#include "transport/path/mixed_path.h"
#include "transport/path/oblivious_path.h"
#include "transport/path/plb_path.h"
#include "transport/path/reps_path.h"

namespace weft::testing {
namespace {

using namespace literals;
using fabric::Cable;

constexpr std::uint32_t kHosts = 4;  // on each of two leaves
constexpr std::int64_t kMessage = 1 << 24;
constexpr Cable kCable{100_gbps, 500_ns};
constexpr transport::EntropyRange kRange{.base = 0xC000, .paths = 64};
constexpr transport::EntropyRange kWide{.base = 0x8000, .paths = 4'096};

/// Of the first leaf's links to the spines, the first is slow.
fabric::Graph one_slow_path() {
  fabric::Graph graph = *fabric::build_graph(fabric::LeafSpineOptions{
      .leaves = 2, .spines = 8, .hosts_per_leaf = kHosts, .host_link = kCable, .fabric_link = kCable});
  const auto is_uplink = [&](const fabric::Link& link) {
    return graph.nodes[link.a.node.value()].tier + graph.nodes[link.b.node.value()].tier == 3;
  };
  const auto uplink = std::ranges::find_if(graph.links, is_uplink);
  uplink->rate = 25_gbps;
  return graph;
}

/// The slowest WRITE's share of its host's line.
double slowest_share(host::MakePathSelector selector, std::uint32_t flight = 512) {
  SimOptions options = roce(one_slow_path());
  options.ethernet.ports[0].priorities[kDataLane].ecn =
      fabric::RedOptions{Bytes(50'000), Bytes(200'000), Probability::one()};
  options.nic.rc.loss_recovery = transport::LossRecovery::kSelectiveRepeat;
  options.nic.rc.out_of_order_placement = true;
  options.nic.rc.ack_request_interval = 8;
  options.nic.selective_repeat = transport::SelectiveRepeatOptions{.loss_detection = transport::LossDetection::kByTime,
                                                                   .round_trip = 10_us,
                                                                   .flight_packets = flight,
                                                                   .tracked_packets = flight};
  options.nic.path_selector = std::move(selector);
  options.nic.congestion_receiver = [] { return std::make_unique<transport::MarkedPaths>(); };
  for (std::uint32_t i = 0; i < kHosts; ++i) {
    options.flows.push_back(write(i, i + kHosts, Bytes(kMessage)));
  }
  SimWorld sim(std::move(options));
  EXPECT_EQ(sim.run_checked(Time::zero() + 1_s), "");
  EXPECT_EQ(sim.messages().size(), kHosts);
  EXPECT_TRUE(sim.all_succeeded());
  Duration longest;
  for (const workload::MessageRecord& record : sim.messages()) {
    longest = std::max(longest, record.finished - record.posted);
  }
  return (100_gbps).transmit_time(Bytes(kMessage)).seconds() / longest.seconds();
}

// An eighth of the packets goes over a quarter of a line: 4 lines of demand / 8 = half a line. Many values, so that the
// hash gives each spine nearly as many.
TEST(RocePaths, ObliviousSprayingIsHeldToHalfOfTheLineByOneSlowLink) {
  const double share = slowest_share([](std::uint64_t seed) {
    return std::make_unique<transport::ObliviousPath>(kWide, RandomStream(seed, "paths"));
  });
  EXPECT_GT(share, 0.40);
  EXPECT_LT(share, 0.52);
}

TEST(RocePaths, PacketsAtRandomAreHeldToHalfOfTheLineAsWell) {
  const double share = slowest_share([](std::uint64_t seed) {
    return std::make_unique<transport::HashedPath>(transport::HashedPath::Options{.range = kWide, .seed = seed});
  });
  EXPECT_GT(share, 0.40);
  EXPECT_LT(share, 0.52);
}

// Some seed puts a flow onto the slow link, which gives it a quarter of the line at most. PLB leaves it after twelve
// rounds of 64 packets that are nearly all marked, a fifth of the 4,096 packets of a message.
TEST(RocePaths, PlbLeavesTheSlowLinkWhereOnePathStays) {
  double worst_of_one_path = 1;
  for (std::uint64_t salt = 0; salt < 4; ++salt) {
    const auto selector = [salt](const transport::PlbRule::Options& rule) {
      return [salt, rule](std::uint64_t seed) {
        return std::make_unique<transport::PlbPath>(transport::PlbPath::Options{.range = kRange, .rule = rule},
                                                    RandomStream(seed ^ salt << 40, "plb"));
      };
    };
    constexpr std::uint32_t kFlight = 64;
    const double never = slowest_share(selector({.rehash_rounds = 60'000, .idle_rounds = 0}), kFlight);
    const double moving = slowest_share(selector({}), kFlight);
    worst_of_one_path = std::min(worst_of_one_path, never);
    EXPECT_GT(moving, never - 0.1) << salt;
    if (never < 0.26) {
      EXPECT_GT(moving, 1.2 * never) << salt;
    }
  }
  EXPECT_LT(worst_of_one_path, 0.26);
}

TEST(RocePaths, RecycledEntropiesLeaveTheSlowLink) {
  EXPECT_GT(slowest_share([](std::uint64_t seed) {
              return std::make_unique<transport::RepsPath>(transport::RepsPath::Options{.range = kRange},
                                                           RandomStream(seed, "paths"));
            }),
            0.75);
}

TEST(RocePaths, PenaltiesLeaveTheSlowLink) {
  EXPECT_GT(slowest_share([](std::uint64_t seed) {
              return std::make_unique<transport::BitmapPath>(
                  transport::BitmapPath::Options{.range = kRange, .penalties = {}}, RandomStream(seed, "paths"));
            }),
            0.6);
}

TEST(RocePaths, MixedSelectionLeavesTheSlowLink) {
  EXPECT_GT(slowest_share([](std::uint64_t seed) {
              return std::make_unique<transport::MixedPath>(
                  transport::BitmapPath::Options{.range = kRange, .penalties = {}}, RandomStream(seed, "paths"));
            }),
            0.75);
}

}  // namespace
}  // namespace weft::testing
