// Path pinning and a traffic controller as scenarios have them: what results say, jobs that come and go, fragments,
// failures, tables without room.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "study/results/summary.h"
#include "study/run/path_study.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using scenario::message_of;

/// 16 hosts below four leaves, as many uplinks as hosts: no leaf is oversubscribed.
constexpr std::string_view kNetwork =
    "hardware = \"equal\"\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = "
    "16\nhosts_per_leaf = 4\nspines = 4\n[link]\nrate = \"100 Gbps\"\n[routing]\nreroute_delay = \"5 us\"\n";
constexpr std::string_view kPermutation = "[[traffic]]\nkind = \"permutation\"\nsize = \"4 MB\"\n";

Result<scenario::Scenario> network_with(std::string_view rest, std::vector<std::string> settings) {
  scenario::ScenarioRequest request;
  request.file = "test.toml";
  request.settings = std::move(settings);
  return scenario::parse_scenario(std::string(kNetwork) + std::string(rest), request, scenario::test_catalogue());
}

results::RunResults finished(const Result<scenario::Scenario>& scenario,
                             world::Division division = world::Division::kWhereItPays) {
  results::RunResults results = results_of(scenario, division);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results;
}

const std::vector<std::string> kEcmp{"routing.policy=ecmp"};
const std::vector<std::string> kPinned{"routing.policy=pinned"};

std::vector<std::string> central(std::string_view algorithm, std::vector<std::string> more = {}) {
  std::vector<std::string> settings{"routing.policy=central", "routing.controller_algorithm=" + std::string(algorithm),
                                    "routing.controller_period=20us", "routing.controller_delay=5us"};
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

Time end_of(const results::RunResults& results) { return results.run.ended_at; }

TEST(CentralRun, KnownFlowsTakeTheTimeThatOneSwitchTakes) {
  const results::RunResults known = finished(network_with(kPermutation, central("communicators")));
  const results::RunResults one =
      finished(network_with(kPermutation, {"routing.policy=ecmp", "topology.hosts_per_leaf=16"}));
  ASSERT_TRUE(known.controller);
  EXPECT_EQ(known.controller->conflicts, 0U);
  EXPECT_EQ(known.controller->rounds, 1U);
  EXPECT_EQ(known.controller->hashed_packets, 0U) << "acknowledgements go back over the cables of their flows";
  // The round trip over a spine is some microseconds longer; with acknowledgements by hash it would be 7 %.
  EXPECT_LT((end_of(known) - Time::zero()).seconds(), 1.03 * (end_of(one) - Time::zero()).seconds());
}

TEST(CentralRun, MeasuredFlowsEndEarlierThanHashedOnesAndLaterThanKnownOnes) {
  const Time hashed = end_of(finished(network_with(kPermutation, kEcmp)));
  const Time known = end_of(finished(network_with(kPermutation, central("communicators"))));
  for (const std::string_view algorithm : {"cspf", "min-max"}) {
    const results::RunResults results =
        finished(network_with(kPermutation, central(algorithm, {"routing.controller_demand=host-limited"})));
    EXPECT_LT(end_of(results), hashed) << algorithm;
    EXPECT_GT(end_of(results), known) << algorithm << " knows nothing during the first period";
    ASSERT_TRUE(results.controller);
    EXPECT_EQ(results.controller->algorithm, algorithm);
    EXPECT_GT(results.controller->rounds, 3U);
    EXPECT_GT(results.controller->pinned_packets, results.controller->hashed_packets);
    EXPECT_EQ(results.controller->overflows, 0U);
    EXPECT_GT(results.controller->planned_load, 0U);
    EXPECT_LT(results.controller->planned_load, 2'000'000U) << "no two lines on one link";
  }
}

TEST(CentralRun, OtherPoliciesHaveNoController) {
  EXPECT_FALSE(finished(network_with(kPermutation, kEcmp)).controller);
  EXPECT_FALSE(finished(network_with(kPermutation, kPinned)).controller);
}

TEST(CentralRun, IsTheSameHoweverTheWorldMayBeDivided) {
  for (const std::string_view algorithm : {"cspf", "communicators"}) {
    const auto scenario = network_with(kPermutation, central(algorithm));
    const results::RunResults whole = finished(scenario, world::Division::kNever);
    const results::RunResults parts = finished(scenario, world::Division::kWhereverPossible);
    EXPECT_EQ(whole.messages, parts.messages);
    EXPECT_EQ(whole.controller, parts.controller);
    EXPECT_EQ(whole.run.events, parts.run.events);
  }
  const auto pinned = network_with(kPermutation, kPinned);
  EXPECT_EQ(finished(pinned, world::Division::kNever).messages,
            finished(pinned, world::Division::kWhereverPossible).messages);
}

TEST(CentralRun, ALongerDelayAndAFullTableCostTime) {
  const Time soon = end_of(finished(network_with(kPermutation, central("cspf"))));
  const Time late = end_of(finished(network_with(kPermutation, central("cspf", {"routing.controller_delay=150us"}))));
  EXPECT_LT(soon, late);
  const results::RunResults full =
      finished(network_with(kPermutation, central("communicators", {"routing.controller_table=2"})));
  EXPECT_EQ(full.controller->peak_entries, 2U);
  EXPECT_GT(full.controller->overflows, 0U);
  EXPECT_GT(full.controller->hashed_packets, 0U);
}

TEST(CentralRun, AFailureBetweenRoundsIsMendedByTheNext) {
  constexpr std::string_view kFailure = "[[event]]\nat = \"110 us\"\naction = \"fail\"\nselect = \"leaf0/port5\"\n";
  const std::string traffic = std::string(kPermutation) + std::string(kFailure);
  const results::RunResults slow =
      finished(network_with(traffic, central("communicators", {"routing.controller_period=10ms"})));
  const results::RunResults quick = finished(network_with(traffic, central("communicators")));
  EXPECT_GT(slow.controller->fallback_packets, 2 * quick.controller->fallback_packets);
  EXPECT_EQ(slow.controller->rounds, 1U);
  EXPECT_GE(quick.controller->rounds, 2U);
  EXPECT_GT(quick.controller->fallback_packets, 0U);
}

// Two jobs that share leaves; the second comes while the first runs, and the first ends before it.
constexpr std::string_view kTwoJobs = R"(
[[traffic]]
name = "first"
kind = "flows"
sources = ["host0", "host1"]
destinations = ["host4", "host5"]
size = "4 MB"

[[traffic]]
name = "second"
kind = "flows"
sources = ["host2", "host3"]
destinations = ["host6", "host7"]
size = "8 MB"
start = "100 us"
)";

TEST(CentralRun, JobsThatComeAndGoShareNoLink) {
  const results::RunResults results = finished(network_with(kTwoJobs, central("communicators")));
  EXPECT_EQ(results.controller->conflicts, 0U);
  EXPECT_EQ(results.controller->moved, 0U);
  EXPECT_EQ(results.controller->rounds, 3U) << "each job that comes, and the first that goes";
}

TEST(PathsOfPolicies, PinnedAndCentralFlowsHaveOnePathEach) {
  const auto worst = [](const std::vector<std::string>& settings) {
    const Result<results::PathReport> report = study_paths(*network_with(kPermutation, settings), {.seeds = 1});
    EXPECT_TRUE(report);
    double most = 0;
    for (const results::PathTier& tier : report->sets.at(0).tiers) {
      most = std::max(most, tier.worst);
    }
    return most;
  };
  EXPECT_DOUBLE_EQ(worst(central("communicators")), 1.0);
  EXPECT_DOUBLE_EQ(worst(central("min-max")), 1.0);
  EXPECT_GT(worst(kEcmp), 1.5);
  EXPECT_GE(worst(kPinned), 1.0);
  EXPECT_DOUBLE_EQ(worst(kPinned), std::floor(worst(kPinned))) << "whole flows";
}

}  // namespace
}  // namespace weft::study::run
