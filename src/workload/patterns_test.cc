// What the traffic patterns generate, without a network.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "workload/all_to_all.h"
#include "workload/flow_list.h"
#include "workload/flow_sizes.h"
#include "workload/incast.h"
#include "workload/permutation.h"
#include "workload/poisson.h"

namespace weft::workload {
namespace {

JobOptions job_of(std::uint32_t ranks, std::uint64_t seed = 1) {
  return {.id = JobId(0), .name = "job", .seed = seed, .ranks = ranks};
}

std::vector<Flow> all_flows(const TrafficPattern& pattern, RankId rank) {
  std::vector<Flow> flows;
  const auto source = pattern.flows_of(rank);
  while (const auto flow = source->next())
    flows.push_back(*flow);
  return flows;
}

template <class T>
void expect_error(const Result<T>& result, std::string_view part) {
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

constexpr FlowShape kShape{.size = Bytes(1000)};

TEST(FlowName, IsMadeOfJobEndsAndIndex) {
  EXPECT_EQ(flow_name("job", {JobId(0), RankId(3), RankId(7), 2}), "job/3->7/2");
}

TEST(Permutation, IsADerangementThatTheSeedDecides) {
  std::set<std::vector<std::uint32_t>> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto permutation = Permutation::make(job_of(16, seed), {.flow = kShape}).value();
    const auto again = Permutation::make(job_of(16, seed), {.flow = kShape}).value();
    std::set<RankId> destinations;
    std::vector<std::uint32_t> order;
    for (std::uint32_t rank = 0; rank < 16; ++rank) {
      const RankId destination = permutation.destination_of(RankId(rank));
      EXPECT_NE(destination, RankId(rank));
      EXPECT_EQ(destination, again.destination_of(RankId(rank)));
      destinations.insert(destination);
      order.push_back(destination.value());
    }
    EXPECT_EQ(destinations.size(), 16U);
    seen.insert(order);
  }
  EXPECT_EQ(seen.size(), 20U);
}

TEST(Permutation, TwoRanksSendToEachOther) {
  const auto permutation = Permutation::make(job_of(2), {.flow = kShape}).value();
  EXPECT_EQ(permutation.destination_of(RankId(0)), RankId(1));
  EXPECT_EQ(permutation.destination_of(RankId(1)), RankId(0));
}

TEST(Permutation, WhatIsNoDerangementIsRefused) {
  expect_error(Permutation::make(job_of(1), {.flow = kShape}), "at least 2");
  expect_error(Permutation::make(job_of(4), {.flow = kShape, .kind = ShiftPermutation{8}}), "back to the sender");
  const auto given = [](std::vector<RankId> list) {
    return Permutation::make(job_of(3), {.flow = kShape, .kind = GivenPermutation{std::move(list)}});
  };
  EXPECT_TRUE(given({RankId(1), RankId(2), RankId(0)}).has_value());
  expect_error(given({RankId(1), RankId(2)}), "2 destinations for 3 ranks");
  expect_error(given({RankId(1), RankId(2), RankId(1)}), "two ranks");
  expect_error(given({RankId(0), RankId(2), RankId(1)}), "own destination");
  expect_error(given({RankId(1), RankId(3), RankId(0)}), "no rank 3");
}

TEST(Incast, JitterOfASenderDoesNotDependOnOtherSenders) {
  const IncastOptions all{.flow = kShape, .destination = RankId(0), .jitter = 10_us};
  IncastOptions some = all;
  some.senders = {RankId(3), RankId(5)};
  const auto every = Incast::make(job_of(8), all).value();
  const auto few = Incast::make(job_of(8), some).value();
  EXPECT_TRUE(all_flows(every, RankId(0)).empty());
  EXPECT_TRUE(all_flows(few, RankId(1)).empty());
  std::set<Time> starts;
  for (const std::uint32_t rank : {3U, 5U}) {
    const Time start = all_flows(few, RankId(rank)).at(0).shape.start;
    EXPECT_EQ(start, all_flows(every, RankId(rank)).at(0).shape.start);
    EXPECT_LE(start, Time::zero() + 10_us);
    starts.insert(start);
  }
  EXPECT_EQ(starts.size(), 2U);
}

TEST(Incast, WrongSendersAreRefused) {
  const auto make = [](std::vector<RankId> senders) {
    return Incast::make(job_of(4), {.flow = kShape, .destination = RankId(2), .senders = std::move(senders)});
  };
  expect_error(make({RankId(2)}), "both the destination");
  expect_error(make({RankId(1), RankId(1)}), "twice");
  expect_error(make({RankId(4)}), "no rank 4");
}

TEST(AllToAll, RanksBeginWithDifferentDestinations) {
  const auto pattern = AllToAll::make(job_of(5), {.flow = kShape}).value();
  for (std::size_t turn = 0; turn < 4; ++turn) {
    std::set<RankId> destinations;
    for (std::uint32_t rank = 0; rank < 5; ++rank)
      destinations.insert(all_flows(pattern, RankId(rank)).at(turn).id.destination);
    EXPECT_EQ(destinations.size(), 5U);
  }
}

TEST(FlowList, FlowsOfAPairAreNumberedAndStartInOrder) {
  FlowShape late = kShape;
  late.start = Time::zero() + 1_us;
  const auto list = FlowList::make(
      job_of(3), {{RankId(0), RankId(1), late}, {RankId(0), RankId(2), kShape}, {RankId(0), RankId(1), kShape}});
  const auto flows = all_flows(list.value(), RankId(0));
  ASSERT_EQ(flows.size(), 3U);
  EXPECT_EQ(flows[0].id.destination, RankId(2));
  EXPECT_EQ(flows[1].id.index, 1U);
  EXPECT_EQ(flows[2].id.index, 0U);
  EXPECT_EQ(flows[2].shape.start, late.start);
}

TEST(FlowList, AWrongFlowIsNamedByItsPlace) {
  const auto make = [](RankId destination, FlowShape shape) {
    return FlowList::make(job_of(3), {{RankId(0), RankId(1), kShape}, {RankId(2), destination, shape}});
  };
  expect_error(make(RankId(3), kShape), "flow 2: job 'job' has no rank 3; it has 3 ranks");
  expect_error(make(RankId(2), kShape), "flow 2: rank 2 sends to itself");
  expect_error(make(RankId(1), {}), "flow 2: a message of 0 B");
  expect_error(make(RankId(1), {.size = Bytes(1), .messages = FlowShape::kUntilStop}), "without a stop");
}

TEST(Poisson, OffersTheLoadAsked) {
  for (const std::string_view name : flow_size_names()) {
    const Time stop = Time::zero() + 2_s;
    const auto pattern =
        PoissonArrivals::make(job_of(4), {.sizes = Empirical<Bytes>(flow_sizes(name).value()),
                                          .load = Probability::from_ratio({.numerator = 6, .denominator = 10}),
                                          .rate = 100_gbps,
                                          .flow = {.stop = stop}});
    Bytes offered{};
    for (const Flow& flow : all_flows(pattern.value(), RankId(1)))
      offered += flow.shape.size;
    const Bytes expected = (60_gbps).bytes_in(stop - Time::zero());
    EXPECT_NEAR(static_cast<double>(offered.count()) / static_cast<double>(expected.count()), 1.0, 0.05) << name;
  }
}

TEST(Poisson, DestinationsAreTheOthersAllEqually) {
  constexpr std::uint64_t kEach = 20'000;
  const auto pattern = PoissonArrivals::make(
      job_of(5),
      {.sizes = Constant<Bytes>(Bytes(100)), .load = Probability::one(), .rate = 1_gbps, .messages = 5 * kEach});
  std::map<RankId, std::uint64_t> counts;
  const auto flows = all_flows(pattern.value(), RankId(2));
  EXPECT_EQ(flows.size(), kEach);
  for (const Flow& flow : flows)
    ++counts[flow.id.destination];
  EXPECT_EQ(counts.size(), 4U);
  EXPECT_FALSE(counts.contains(RankId(2)));
  for (const auto& [destination, count] : counts)
    EXPECT_NEAR(static_cast<double>(count), kEach / 4.0, kEach / 40.0);
}

TEST(Poisson, SendersSendToReceiversAlone) {
  const auto pattern = PoissonArrivals::make(job_of(5), {.sizes = Constant<Bytes>(Bytes(100)),
                                                         .load = Probability::one(),
                                                         .rate = 1_gbps,
                                                         .senders = {RankId(0), RankId(3)},
                                                         .receivers = {RankId(3), RankId(4), RankId(1)},
                                                         .messages = 2'001})
                           .value();
  std::map<RankId, std::uint64_t> counts;
  for (const Flow& flow : all_flows(pattern, RankId(3)))
    ++counts[flow.id.destination];
  EXPECT_EQ(counts.size(), 2U);  // never itself
  EXPECT_EQ(counts[RankId(1)] + counts[RankId(4)], 1'000U);
  EXPECT_NEAR(static_cast<double>(counts[RankId(1)]), 500, 75);
  EXPECT_EQ(all_flows(pattern, RankId(0)).size(), 1'001U);
  EXPECT_TRUE(all_flows(pattern, RankId(4)).empty());
}

/// All once had the rate of the first one's link.
TEST(Poisson, EachSenderOffersOfItsOwnLine) {
  const Time stop = Time::zero() + 20_ms;
  const auto pattern =
      PoissonArrivals::make(job_of(3), {.sizes = Constant<Bytes>(Bytes(1000)),
                                        .load = Probability::from_ratio({.numerator = 1, .denominator = 5}),
                                        .rates = {25_gbps, 100_gbps, 400_gbps},
                                        .flow = {.stop = stop}})
          .value();
  for (const auto& [rank, offered] : {std::pair(0U, 5_gbps), std::pair(1U, 20_gbps), std::pair(2U, 80_gbps)}) {
    const double expected = static_cast<double>(offered.bytes_in(stop - Time::zero()).count()) / 1000;
    EXPECT_NEAR(static_cast<double>(all_flows(pattern, RankId(rank)).size()) / expected, 1, 0.05) << rank;
  }
}

TEST(Poisson, AMessageCountIsSharedOutWhole) {
  const auto pattern = PoissonArrivals::make(
      job_of(3), {.sizes = Constant<Bytes>(Bytes(100)), .load = Probability::one(), .rate = 1_gbps, .messages = 11});
  EXPECT_EQ(all_flows(pattern.value(), RankId(0)).size(), 4U);
  EXPECT_EQ(all_flows(pattern.value(), RankId(1)).size(), 4U);
  EXPECT_EQ(all_flows(pattern.value(), RankId(2)).size(), 3U);
}

TEST(Poisson, WithoutLoadOrEndItIsRefused) {
  const Distribution<Bytes> sizes = Constant<Bytes>(Bytes(100));
  expect_error(PoissonArrivals::make(job_of(2), {.sizes = sizes, .rate = 1_gbps, .messages = 1}), "offers nothing");
  expect_error(PoissonArrivals::make(job_of(2), {.sizes = sizes, .load = Probability::one(), .rate = 1_gbps}),
               "neither");
}

TEST(Poisson, ARankThatCouldOnlySendToItselfIsRefused) {
  const PoissonOptions options{.sizes = Constant<Bytes>(Bytes(100)),
                               .load = Probability::one(),
                               .rate = 1_gbps,
                               .senders = {RankId(0), RankId(1)},
                               .receivers = {RankId(1)},
                               .messages = 1};
  expect_error(PoissonArrivals::make(job_of(2), options), "rank 1 sends, and is the only receiver");
}

TEST(FlowSizes, MeansAreThoseOfThePublishedTables) {
  // The mean of a piecewise linear distribution, from the tables in MB: sum of (p2 - p1) (v1 + v2) / 2.
  EXPECT_NEAR(static_cast<double>(flow_sizes("WebSearch").value().mean()), 1.71e6, 0.02e6);
  EXPECT_NEAR(static_cast<double>(flow_sizes("FB_Hadoop").value().mean()), 1.22e5, 0.02e5);
  EXPECT_EQ(flow_sizes("AliStorage").value().quantile(Probability::one()), 2'000'000);
  expect_error(flow_sizes("websearch"), "did you mean 'WebSearch'");
}

}  // namespace
}  // namespace weft::workload
