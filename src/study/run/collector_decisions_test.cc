// What schemes of load balancing decide, over time: the counters that switches, NICs and controllers have at the end
// anyway, told apart by sample interval.
#include <gmock/gmock.h>

#include <map>
#include <string>
#include <vector>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using results::Decision;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// 16 hosts below four leaves, as many uplinks as hosts; every host sends to another.
constexpr std::string_view kPermutation =
    "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = "
    "16\nhosts_per_leaf = 4\nspines = 4\n[link]\nrate = \"100 Gbps\"\n[[traffic]]\nkind = \"permutation\"\nsize = "
    "\"2 MB\"\n";

results::RunResults run_with(std::vector<std::string> settings) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return results_of(scenario::parse_scenario(std::string(kPermutation), request, scenario::test_catalogue()));
}

results::RunResults sampled(const std::string& scheme, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"routing.scheme=" + scheme, "output.sample_interval=1us"});
  results::RunResults results = run_with(std::move(more));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results;
}

std::map<Decision, std::uint64_t> sums(const results::RunResults& results) {
  std::map<Decision, std::uint64_t> sums;
  Time last;
  for (const results::DecisionRow& row : results.decisions) {
    EXPECT_GE(row.at, last);
    EXPECT_GT(row.count, 0U);
    last = row.at;
    sums[row.decision] += row.count;
  }
  return sums;
}

std::vector<Decision> kinds(const results::RunResults& results) {
  std::vector<Decision> kinds;
  for (const auto& [decision, count] : sums(results)) {
    kinds.push_back(decision);
  }
  return kinds;
}

/// Over all ports of switches, when the run had ended.
struct Totals {
  std::uint64_t flowlets = 0;
  std::uint64_t moved = 0;
  std::uint64_t chosen = 0;
};
Totals totals(const results::RunResults& results) {
  Totals totals;
  for (const results::PortRow& port : results.ports) {
    totals.flowlets += port.choices.flowlets;
    totals.moved += port.choices.moved;
    for (const fabric::GradeCounters& grade : port.choices.grades) {
      totals.chosen += grade.chosen;
    }
  }
  return totals;
}

/// All but what happened behind the last sample, less than a microsecond before the end.
void expect_nearly_all(std::uint64_t counted, std::uint64_t all) {
  EXPECT_LE(counted, all);
  EXPECT_GE(counted, all - all / 20);
}

TEST(Decisions, FlowletsThatMovedAndThatStayedAreAllOfThem) {
  for (const std::string scheme : {"letflow", "conga"}) {
    SCOPED_TRACE(scheme);
    const results::RunResults results = sampled(scheme, {"routing.flowlet_gap=2us"});
    const Totals all = totals(results);
    ASSERT_GT(all.moved, 0U);
    expect_nearly_all(sums(results)[Decision::kFlowletMoved], all.moved);
    expect_nearly_all(sums(results)[Decision::kFlowletKept], all.flowlets - all.moved);
    EXPECT_THAT(kinds(results), UnorderedElementsAre(Decision::kFlowletKept, Decision::kFlowletMoved));
  }
}

TEST(Decisions, SwitchesThatLookAtQueuesDecideForEveryPacket) {
  for (const std::string scheme : {"drill", "adaptive"}) {
    SCOPED_TRACE(scheme);
    const results::RunResults results = sampled(scheme);
    expect_nearly_all(sums(results)[Decision::kPortChoice], totals(results).chosen);
    EXPECT_THAT(kinds(results), ElementsAre(Decision::kPortChoice));
  }
}

TEST(Decisions, ConWeaveCountsFlowsThatItMovedAndNoneThatBegan) {
  const results::RunResults results = sampled("conweave", {"traffic[0].size=8MB"});
  const Totals all = totals(results);
  ASSERT_GT(all.moved, 0U);
  ASSERT_GT(all.flowlets, all.moved);
  expect_nearly_all(sums(results)[Decision::kReroute], all.moved);
  EXPECT_THAT(kinds(results), ElementsAre(Decision::kReroute));
}

TEST(Decisions, SendersTellOfThePathsThatTheyLeft) {
  // Marks come early, so that every rule has something to answer to.
  const std::vector<std::string> common{"traffic[0].size=8MB", "ethernet.priority.3.kmin=8kB",
                                        "ethernet.priority.3.kmax=16kB", "output.sample_interval=1us"};
  const std::vector<std::vector<std::string>> rules{
      {"routing.scheme=reps"},
      {"routing.scheme=bitmap"},
      {"transport.path_selector=plb", "transport.loss_recovery=selective-repeat", "transport.plb_rounds=2"},
      {"fabric.family=uet"}};
  for (std::vector<std::string> settings : rules) {
    SCOPED_TRACE(settings.front());
    settings.insert(settings.end(), common.begin(), common.end());
    const results::RunResults results = run_with(settings);
    std::uint64_t all = 0;
    for (const results::NicRow& nic : results.nics) {
      all += nic.path_changes;
    }
    EXPECT_GT(all, 0U);
    expect_nearly_all(sums(results)[Decision::kPathChange], all);
    EXPECT_THAT(kinds(results), ElementsAre(Decision::kPathChange));
  }
}

TEST(Decisions, AControllersEntriesStandAtTheTimesOfItsPlans) {
  const results::RunResults results =
      sampled("traffic-engineering", {"routing.controller_period=20us", "routing.controller_delay=5us"});
  ASSERT_TRUE(results.controller);
  EXPECT_GT(results.controller->entries, 0U);
  EXPECT_EQ(sums(results)[Decision::kEntries], results.controller->entries);
  for (const results::DecisionRow& row : results.decisions) {
    EXPECT_EQ((row.at - (Time::zero() + 5_us)) % 20_us, Duration::zero()) << row.at.picoseconds();
  }
}

TEST(Decisions, WhatHashesDecidesNothingWhilePacketsFlow) {
  for (const std::string scheme : {"ecmp", "e-ecmp", "path-pinning", "spray"}) {
    EXPECT_THAT(sampled(scheme).decisions, IsEmpty()) << scheme;
  }
}

TEST(Decisions, WithoutSamplesNoneAreKept) {
  const results::RunResults results = run_with({"routing.scheme=adaptive"});
  EXPECT_GT(totals(results).chosen, 0U);
  EXPECT_THAT(results.decisions, IsEmpty());
}

}  // namespace
}  // namespace weft::study::run
