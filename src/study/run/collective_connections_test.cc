// Ranks that keep few connections open do what ranks that keep all do, at the same instants.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "study/run/collective_run.h"
#include "study/run/collector.h"

namespace weft::study::run {
namespace {

const scenario::Catalogue& catalogue() {
  static const scenario::Catalogue kBuiltIn = scenario::Catalogue::load(std::nullopt).value();
  return kBuiltIn;
}

struct Outcome {
  std::vector<workload::MessageRecord> messages;
  std::vector<workload::CollectiveRecord> collectives;
  std::uint64_t packets = 0;
  std::uint64_t retransmissions = 0;
  std::uint64_t queue_pairs = 0;  // at the end
  Simulation::ConnectionCounts connections;
  bool divided = false;
};

Outcome simulate(const CollectiveRun& run, Bytes size, world::Division division) {
  Outcome outcome;
  const auto scenario = read_collective_scenario(run, usable_size(run, size), catalogue());
  EXPECT_TRUE(scenario) << (scenario ? "" : scenario.error().message);
  if (!scenario) {
    return outcome;
  }
  Collector collector;
  auto simulation = Simulation::create(*scenario, collector, Payload::kLengths, division);
  EXPECT_TRUE(simulation) << (simulation ? "" : simulation.error().message);
  if (!simulation) {
    return outcome;
  }
  outcome.divided = (*simulation)->world().runs_in_windows();
  collector.watch(**simulation);
  const auto end = (*simulation)->run([](const Progress&) { return true; });
  EXPECT_EQ(end, Simulation::End::kFinished) << (*simulation)->error();
  EXPECT_EQ((*simulation)->world().check_invariants(), "");
  const results::RunResults results = collector.finish(end, {.key = "key", .version = "1"});
  for (const results::MessageRow& row : results.messages) {
    outcome.messages.push_back(row.record);
  }
  outcome.collectives = results.collectives;
  for (const results::NicRow& nic : results.nics) {
    outcome.packets += nic.data_sent;
    outcome.retransmissions += nic.retransmitted;
    outcome.queue_pairs += nic.connections;
  }
  outcome.connections = (*simulation)->connection_counts(0);
  return outcome;
}

/// Several chunks of each pair, so that credits are returned, and several operations, so that connections are opened
/// again. The queue pairs of a connection are one for data and one for credits, at each end.
constexpr std::int64_t kRanks = 32;
constexpr std::int64_t kOpen = 4;
constexpr std::uint64_t kPairs = kRanks * (kRanks - 1) / 2;

CollectiveRun exchange(std::int64_t connections) {
  return {.kind = workload::CollectiveKind::kAllToAll,
          .ranks = kRanks,
          .gpus_per_host = 1,
          .rails = 1,
          .scale_up = "none",
          .iterations = 3,
          .connections = connections,
          .settings = {"traffic[0].chunk=4KiB"}};
}

auto instants(const workload::MessageRecord& message) {
  return std::tuple(message.flow, message.number, message.posted, message.finished, message.delivered);
}

void expect_same(const Outcome& few, const Outcome& all) {
  ASSERT_EQ(few.messages.size(), all.messages.size());
  for (std::size_t i = 0; i < all.messages.size(); ++i) {
    ASSERT_EQ(instants(few.messages[i]), instants(all.messages[i])) << i;
  }
  ASSERT_EQ(few.collectives.size(), all.collectives.size());
  for (std::size_t i = 0; i < all.collectives.size(); ++i) {
    EXPECT_EQ(few.collectives[i].finished, all.collectives[i].finished) << i;
  }
  EXPECT_EQ(few.packets, all.packets);
}

class FewConnections : public ::testing::TestWithParam<world::Division> {};

TEST_P(FewConnections, ChangeNoInstantOfAnAllToAll) {
  const Bytes size(kRanks * (22 << 10));
  const Outcome all = simulate(exchange(0), size, GetParam());
  const Outcome few = simulate(exchange(kOpen), size, GetParam());
  EXPECT_EQ(few.divided, GetParam() != world::Division::kNever);
  expect_same(few, all);
  EXPECT_EQ(all.connections.opened, kPairs);
  EXPECT_EQ(all.connections.most_open, kPairs);
  // A connection counts at both of its ends; one more may have been opened by a peer.
  EXPECT_LE(few.connections.most_open, kRanks * (kOpen + 1));
  EXPECT_LE(few.queue_pairs, 4 * few.connections.most_open);
  EXPECT_EQ(all.queue_pairs, 4 * kPairs);
  // Each pair is needed twice in an operation, for what goes one way and for what comes back.
  EXPECT_GT(few.connections.opened, 3 * kPairs);
}

TEST_P(FewConnections, CarryOnAfterLosses) {
  CollectiveRun run = exchange(2);
  run.settings.emplace_back("link.bit_error_rate=1e-7");
  run.settings.emplace_back("transport.ack_timeout=3");
  const Outcome few = simulate(run, Bytes(kRanks * (22 << 10)), GetParam());
  EXPECT_GT(few.retransmissions, 0U);
  EXPECT_EQ(few.collectives.size(), 3U * kRanks);
}

TEST_P(FewConnections, ServeRoceWithCongestionControl) {
  CollectiveRun run = exchange(2);
  run.fabric = "rocev2";
  const Outcome few = simulate(run, Bytes(kRanks * (22 << 10)), GetParam());
  EXPECT_EQ(few.collectives.size(), 3U * kRanks);
  EXPECT_LT(few.connections.most_open, kPairs / 2);
}

INSTANTIATE_TEST_SUITE_P(Worlds, FewConnections,
                         ::testing::Values(world::Division::kNever, world::Division::kWhereverPossible),
                         [](const auto& info) {
                           return info.param == world::Division::kNever ? "whole" : "in_windows";
                         });

TEST(FewConnections, AreOfFamiliesWhoseConnectionsCanBeClosed) {
  for (const std::string fabric : {"tcp", "iwarp", "uet"}) {
    CollectiveRun run = exchange(kOpen);
    run.fabric = fabric;
    const auto refused = read_collective_scenario(run, usable_size(run, 1_mib), catalogue());
    ASSERT_FALSE(refused) << fabric;
    EXPECT_NE(refused.error().message.find("connections: those of " + fabric), std::string::npos)
        << refused.error().message;
  }
  CollectiveRun many = exchange(0);
  many.connections.reset();
  many.ranks = 512;
  const auto scenario = read_collective_scenario(many, usable_size(many, 1_mib), catalogue());
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->collectives.connections, kManyRanksConnections);
}

}  // namespace
}  // namespace weft::study::run
