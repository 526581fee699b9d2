// The same scenario and seed give the same events; what is unrelated changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "base/stable_hash.h"
#include "fabric/topology/graph_builder.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"

namespace weft::testing {
namespace {

using fabric::Cable;
using fabric::NodeIndex;

constexpr Cable kCable{100_gbps, 500_ns};

const transport::DcqcnParameters& dcqcn() {
  static const transport::DcqcnParameters kParameters = transport::dcqcn_connectx(100_gbps);
  return kParameters;
}

/// Two leaves, two spines; four hosts that matter, and between and behind them others that do not, with their own leaf.
struct Extras {
  std::vector<std::string> hosts;
  std::string their_leaf = "leaf9";
  bool they_talk = false;
};

SimOptions scenario(const Extras& extras, std::uint64_t seed = 7) {
  fabric::GraphBuilder builder(fabric::Domains::kOne);
  for (const char* name : {"a/nic0", "b/nic0", "c/nic0", "d/nic0"}) {
    (void)builder.add_endpoint({.name = name});
  }
  for (const std::string& name : extras.hosts) {
    (void)builder.add_endpoint({.name = name});
  }
  std::vector<NodeIndex> leaves;
  if (!extras.hosts.empty()) {
    leaves.push_back(builder.add_switch({.name = extras.their_leaf}));
  }
  const NodeIndex left = builder.add_switch({.name = "leaf0"});
  const NodeIndex right = builder.add_switch({.name = "leaf1"});
  const NodeIndex spine0 = builder.add_switch({.name = "spine0", .tier = 2});
  const NodeIndex spine1 = builder.add_switch({.name = "spine1", .tier = 2});
  for (std::uint32_t i = 0; i < 4; ++i) {
    builder.connect({.lower = NodeIndex(i), .upper = i < 2 ? left : right}, kCable);
  }
  for (std::uint32_t i = 0; i < extras.hosts.size(); ++i) {
    builder.connect({.lower = NodeIndex(4 + i), .upper = leaves[0]}, kCable);
  }
  leaves.push_back(left);
  leaves.push_back(right);
  for (const NodeIndex leaf : leaves) {
    builder.connect({.lower = leaf, .upper = spine0}, kCable);
    builder.connect({.lower = leaf, .upper = spine1}, kCable);
  }
  SimOptions options = roce(std::move(builder).finish(), &dcqcn());
  options.seed = seed;
  fabric::PriorityOptions& data = options.ethernet.ports[0].priorities[kDataLane];
  data.ecn = fabric::RedOptions{Bytes(20'000), Bytes(80'000), Probability::from_ratio({1, 5})};
  data.ingress_limit = Bytes(100'000);
  options.nic.pipeline.service_time = Distribution<Duration>(*Uniform<Duration>::make({.low = 0_ns, .high = 500_ns}));
  options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, 20'000'000}));
  options.connection.timeout = 5;
  for (const auto& [from, to] : {std::pair{0U, 2U}, {1U, 2U}, {3U, 2U}, {2U, 0U}, {0U, 3U}}) {
    workload::ListedFlow flow = write(from, to, Bytes(50'000));
    flow.shape.messages = 8;
    options.flows.push_back(flow);
  }
  if (extras.they_talk) {
    workload::ListedFlow flow = write(4, 5, Bytes(300'000));
    options.flows.push_back(flow);
  }
  return options;
}

using Story = std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t, std::int64_t>>;

/// When each message of the four hosts ended.
Story story(SimOptions options) {
  SimWorld sim(std::move(options));
  (void)sim.run();
  EXPECT_TRUE(sim.all_succeeded());
  Story told;
  for (const workload::MessageRecord& record : sim.messages()) {
    if (record.flow.source.value() < 4) {
      told.emplace_back(record.flow.source.value(), record.flow.destination.value(), record.number,
                        record.finished.picoseconds());
    }
  }
  std::sort(told.begin(), told.end());
  EXPECT_EQ(told.size(), 40U);
  return told;
}

std::uint64_t event_hash(SimOptions options, Duration slice) {
  SimWorld sim(std::move(options));
  std::uint64_t hash = 0;
  const auto observe = [&](sim::ActorId actor, Time now) {
    hash = (hash ^ actor.value() ^ static_cast<std::uint64_t>(now.picoseconds()) << 20U) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29U;
  };
  for (Time limit = Time::zero() + slice;; limit += slice) {
    if (sim.world().run_observed(limit, ~std::uint64_t{0}, observe) == study::world::World::Stop::kIdle) {
      return hash;
    }
  }
}

TEST(Determinism, TheSameSeedGivesTheSameEvents) {
  EXPECT_EQ(event_hash(scenario({}), 1_s), event_hash(scenario({}), 1_s));
}

TEST(Determinism, SlicesOfARunChangeNothing) {
  EXPECT_EQ(event_hash(scenario({}), 1_s), event_hash(scenario({}), 1_us));
}

TEST(Determinism, AnotherSeedGivesAnotherRun) { EXPECT_NE(story(scenario({}, 7)), story(scenario({}, 8))); }

TEST(Determinism, UnrelatedHostsChangeNothing) {
  EXPECT_EQ(story(scenario({})), story(scenario({.hosts = {"x/nic0"}})));
  EXPECT_EQ(story(scenario({})), story(scenario({.hosts = {"x/nic0", "y/nic0", "z/nic0"}})));
}

TEST(Determinism, TheNamesOfUnrelatedHostsAndSwitchesChangeNothing) {
  EXPECT_EQ(story(scenario({.hosts = {"x/nic0", "y/nic0"}})),
            story(scenario({.hosts = {"0/nic0", "zz/nic0"}, .their_leaf = "other"})));
}

TEST(Determinism, TrafficElsewhereChangesNothing) {
  EXPECT_EQ(story(scenario({})), story(scenario({.hosts = {"x/nic0", "y/nic0"}, .they_talk = true})));
}

}  // namespace
}  // namespace weft::testing
