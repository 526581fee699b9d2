#include "study/claims/flow_goodput.h"

#include <gtest/gtest.h>

#include "study/claims/hash_bound.h"
#include "study/claims/message_times.h"

namespace weft::study::claims {
namespace {

using workload::JobId;
using workload::RankId;

constexpr std::int64_t kLineBits = 8'000'000'000;  // a byte each nanosecond
constexpr double kClose = 1e-9;

Time at_us(std::int64_t us) { return Time::zero() + Duration::picoseconds(us * 1'000'000); }

/// Two jobs over the same three hosts.
results::RunResults three_hosts() {
  results::RunResults results;
  for (const char* const name : {"first", "second"}) {
    results::JobRow& job = results.jobs.emplace_back();
    job.name = name;
    for (const char* const host : {"host0", "host1", "host2"}) {
      job.ranks.push_back({.name = host, .endpoint = host, .rate = Rate::bits_per_second(kLineBits)});
    }
  }
  return results;
}

struct Sent {
  std::uint32_t job = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 1;
  std::int64_t posted_us = 0;
  std::int64_t finished_us = 0;
  std::int64_t bytes = 1000;
};

void add(results::RunResults& results, const Sent& sent) {
  workload::MessageRecord record;
  record.flow = {.job = JobId(sent.job), .source = RankId(sent.from), .destination = RankId(sent.to)};
  record.size = Bytes(sent.bytes);
  record.posted = at_us(sent.posted_us);
  record.finished = at_us(sent.finished_us);
  results.messages.push_back({.record = record, .ideal = Duration::picoseconds(1'000'000)});
}

std::vector<double> shares(const results::RunResults& results, const FlowChoice& choice = {}) {
  return flow_shares(results, choice, {.from = at_us(10), .to = at_us(20)});
}

TEST(FlowGoodput, AMessageCountsWithThePartOfItsServiceInsideTheWindow) {
  results::RunResults results = three_hosts();
  add(results, {.posted_us = 5, .finished_us = 15, .bytes = 10'000});  // half of it
  add(results, {.posted_us = 6, .finished_us = 25, .bytes = 10'000});  // served from 15 on, half of it
  add(results, {.posted_us = 7, .finished_us = 30, .bytes = 50'000});  // none
  ASSERT_EQ(shares(results).size(), 1U);
  EXPECT_NEAR(shares(results).front(), 1.0, kClose);
}

TEST(FlowGoodput, MessagesThatEndAtTheSameInstantAllCount) {
  results::RunResults results = three_hosts();
  add(results, {.posted_us = 10, .finished_us = 20, .bytes = 5'000});
  add(results, {.posted_us = 10, .finished_us = 20, .bytes = 5'000});
  EXPECT_NEAR(shares(results).front(), 1.0, kClose);
}

TEST(FlowGoodput, FlowsOfOnePairAreOneUnlessAJobIsNamed) {
  results::RunResults results = three_hosts();
  add(results, {.job = 0, .posted_us = 10, .finished_us = 20, .bytes = 2'000});
  add(results, {.job = 1, .posted_us = 10, .finished_us = 20, .bytes = 3'000});
  add(results, {.job = 1, .from = 2, .posted_us = 10, .finished_us = 20, .bytes = 1'000});
  const std::vector<double> all = shares(results);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_NEAR(all[0], 0.1, kClose);
  EXPECT_NEAR(all[1], 0.5, kClose);
  EXPECT_NEAR(shares(results, {.job = "first"}).front(), 0.2, kClose);
}

TEST(FlowGoodput, FlowsThatEndedNoMessageCountWithNothing) {
  results::RunResults results = three_hosts();
  add(results, {.posted_us = 10, .finished_us = 20, .bytes = 2'000});
  const std::vector<double> all = shares(results, {.flows = 3});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], 0);
  EXPECT_NEAR(all[2], 0.2, kClose);
}

TEST(FlowGoodput, FailedMessagesCarryNothing) {
  results::RunResults results = three_hosts();
  add(results, {.posted_us = 10, .finished_us = 20});
  results.messages.back().record.status = verbs::WcStatus::kRetryExcErr;
  EXPECT_TRUE(shares(results).empty());
}

TEST(FlowGoodput, TheWindowLeavesOutTheStartAndTheEndOfARun) {
  results::RunResults results;
  results.run.ended_at = at_us(60);
  EXPECT_EQ(steady_window(results).from, at_us(20));
  EXPECT_EQ(steady_window(results).to, at_us(54));
}

TEST(FlowGoodput, TheTenthPercentileIsTheNearestRank) {
  std::vector<double> values;
  for (int i = 1; i <= 32; ++i) {
    values.push_back(i);
  }
  const FlowSpread spread = spread_of_flows(values);
  EXPECT_EQ(spread.slowest, 1);
  EXPECT_EQ(spread.p10, 4);
  EXPECT_DOUBLE_EQ(spread.mean, 16.5);
  EXPECT_EQ(spread_of_flows({}).mean, 0);
}

/// shared links of independent random hashes: 62 % in the mean and 34 % for the slowest flow, by 200 draws elsewhere.
TEST(HashBound, IsThatOfAnIndependentComputation) {
  const FlowSpread bound = hash_bound({.leaves = 8, .hosts_per_leaf = 4, .spines = 4});
  EXPECT_NEAR(bound.mean, 0.62, 0.02);
  EXPECT_NEAR(bound.slowest, 0.34, 0.02);
}

TEST(HashBound, IsTheLineWhereNothingIsSharedAndFallsWhereAllCrossASpine) {
  EXPECT_DOUBLE_EQ(hash_bound({.leaves = 1, .hosts_per_leaf = 8, .spines = 1}).slowest, 1);
  const HashedTree tree{.leaves = 8, .hosts_per_leaf = 4, .spines = 4};
  HashedTree shifted = tree;
  shifted.shift = 9;
  EXPECT_LT(hash_bound(shifted).mean, hash_bound(tree).mean);
  // One spine for four hosts of a leaf: a quarter each, whatever the hash.
  EXPECT_NEAR(hash_bound({.leaves = 8, .hosts_per_leaf = 4, .spines = 1, .shift = 4}).mean, 0.25, kClose);
}

TEST(MessageTimes, TheTailIsThatOfTimesAndOfSlowdowns) {
  results::RunResults results = three_hosts();
  for (std::int64_t i = 1; i <= 100; ++i) {
    add(results, {.posted_us = 0, .finished_us = i});  // ideal 1 us
  }
  EXPECT_DOUBLE_EQ(message_times(results).median_us, 50);
  EXPECT_DOUBLE_EQ(message_times(results).p99_us, 99);
  EXPECT_DOUBLE_EQ(message_times(results).p99_slowdown, 99);
  EXPECT_EQ(message_times(results::RunResults{}).p99_us, 0);
}

}  // namespace
}  // namespace weft::study::claims
