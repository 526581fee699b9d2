// What `auto` takes, held against the simulated times of the algorithms that it could have taken.
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

/// Until the run had ended; none: the algorithm is not for these ranks.
std::optional<Duration> time_of(const scenario::Scenario& scenario) {
  if (Collector none; !Simulation::create(scenario, none)) {
    return std::nullopt;
  }
  const results::RunResults results = results_of(scenario);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results.run.ended_at - Time::zero();
}

/// `time` of an algorithm, by its name. What `auto` takes has at most 1.15 times the time of the fastest.
void expect_near_best(std::initializer_list<std::string_view> algorithms,
                      const std::function<std::optional<Duration>(std::string_view)>& time, const std::string& what) {
  std::optional<Duration> best;
  std::string_view fastest;
  for (const std::string_view algorithm : algorithms) {
    const std::optional<Duration> own = time(algorithm);
    if (own && (!best || *own < *best)) {
      best = own;
      fastest = algorithm;
    }
  }
  const std::optional<Duration> chosen = time("auto");
  ASSERT_TRUE(best && chosen);
  EXPECT_LE(chosen->seconds(), 1.15 * best->seconds()) << what << ": " << fastest;
}

struct Ranks {
  const char* what;
  int hosts = 2;
  int gpus = 8;
  const char* size;
};

/// Of an all-reduce over hosts of four GPUs with a rail each.
std::optional<Duration> all_reduce(const Ranks& ranks, std::string_view algorithm) {
  const auto scenario = from_text(fmt::format(
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"rail-optimised\"\nhosts = {0}\nhosts_per_leaf = {0}\n"
      "spines = {0}\nnics_per_host = 4\ngpus_per_host = 4\n[scale_up]\nentry = \"nvlink4\"\n"
      "[[job]]\nname = \"job\"\ngpus = {1}\n[[traffic]]\nkind = \"collective\"\njob = \"job\"\nalgorithm = \"{2}\"\n"
      "size = \"{3}\"\n",
      ranks.hosts, ranks.gpus, algorithm, ranks.size));
  return time_of(scenario);
}

// The tree's model had what goes up and what comes down in one direction of the links, and the ring's model no NIC
// that two of its channels share: `auto` took 1.4 times as long as the best at 8 MiB, 1.3 at 256 KiB.
TEST(AutomaticChoice, IsNotMuchSlowerThanTheBest) {
  for (const Ranks& ranks :
       {Ranks{"4 and 3", 2, 7, "64 KiB"}, Ranks{"4 and 3", 2, 7, "1 MiB"}, Ranks{"4 and 3", 2, 7, "8 MiB"},
        Ranks{"4 and 4", 2, 8, "1 MiB"}, Ranks{"three of 4", 3, 12, "256 KiB"}, Ranks{"three of 4", 3, 12, "4 MiB"}}) {
    expect_near_best(
        {"ring", "tree", "halving-doubling", "direct", "hierarchical"},
        [&](std::string_view algorithm) { return all_reduce(ranks, algorithm); },
        fmt::format("{}, {}", ranks.what, ranks.size));
  }
}

/// Of hosts with one GPU each, `per_leaf` to a leaf whose uplinks have so much of their rate.
std::optional<Duration> over_leaves(std::string_view collective, std::string_view algorithm, int per_leaf,
                                    std::string_view oversubscription) {
  const auto scenario =
      from_text(fmt::format("[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 16\n"
                            "hosts_per_leaf = {}\noversubscription = \"{}\"\n[[traffic]]\nkind = \"collective\"\n"
                            "collective = \"{}\"\nalgorithm = \"{}\"\nsize = \"8 MiB\"\n",
                            per_leaf, oversubscription, collective, algorithm));
  return time_of(scenario);
}

// The model knew the rails alone: over uplinks of a quarter of the hosts' lines `auto` exchanged with all peers, in
// twice the time of a ring.
TEST(AutomaticChoice, KnowsUplinksThatRanksShare) {
  for (const std::string_view collective : {"all-reduce", "reduce-scatter", "all-gather"}) {
    for (const auto& leaf : {std::pair{8, "4:1"}, {4, "2:1"}, {2, "2:1"}, {8, "1:1"}}) {
      const auto time = [&](std::string_view algorithm) {
        return over_leaves(collective, algorithm, leaf.first, leaf.second);
      };
      expect_near_best({"ring", "tree", "halving-doubling", "direct"}, time,
                       fmt::format("{}, {} to a leaf, {}", collective, leaf.first, leaf.second));
    }
  }
}

// As NCCL_ALGO does.
TEST(AutomaticChoice, TheScenarioMayNameWhatAutoStandsFor) {
  const auto algorithm_of = [](std::string_view collective, std::string_view named) {
    const auto scenario =
        from_text(fmt::format("[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = "
                              "6\n[collectives]\nalgorithm = \"{}\"\n"
                              "[[traffic]]\nkind = \"collective\"\ncollective = \"{}\"\nsize = \"1 MiB\"\n",
                              named, collective));
    Collector collector;
    auto simulation = Simulation::create(scenario, collector);
    require(simulation.has_value(), simulation ? "" : simulation.error().message);
    EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
    return (*simulation)->collective_algorithm(0);
  };
  using enum workload::CollectiveAlgorithm;
  EXPECT_EQ(algorithm_of("all-reduce", "ring"), kRing);
  EXPECT_EQ(algorithm_of("all-reduce", "tree"), kTree);
  EXPECT_NE(algorithm_of("all-gather", "tree"), kTree) << "there is none";
  EXPECT_EQ(algorithm_of("all-reduce", "halving-doubling"), algorithm_of("all-reduce", "auto"))
      << "six are no power of two";
}

}  // namespace
}  // namespace weft::study::run
