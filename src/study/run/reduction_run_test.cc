// Reducers of scale-up domains and of switches, in whole runs.
#include <gtest/gtest.h>

#include <string>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

/// An all-reduce of 16 MiB among four GPUs of each of four hosts, on rails of their own between these.
Duration all_reduce(const std::string& domain_reduction) {
  const results::RunResults results = results_of(
      from_text("[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 4\nhosts_per_leaf = 2\n"
                "nics_per_host = 4\ngpus_per_host = 4\n[scale_up]\nentry = \"nvlink4\"\nreduction = true\n"
                "[collectives]\ndomain_reduction = \"" +
                domain_reduction +
                "\"\n[[job]]\nname = \"job\"\ngpus = 16\n[[traffic]]\nkind = \"collective\"\njob = \"job\"\n"
                "algorithm = \"hierarchical\"\nsize = \"16 MiB\"\n"));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  EXPECT_EQ(results.collectives.size(), 16U);
  Time last;
  for (const workload::CollectiveRecord& of_rank : results.collectives) {
    last = later(last, of_rank.finished);
  }
  return last - Time::zero();
}

// Between hosts go chunks as long as without the reducer, which takes 16 KiB at a time: with pieces of that size, a
// rank had room for less than its rails need, and they had half of their rate.
TEST(HierarchicalAllReduce, HasTheRailsOfTheSameWithoutReducers) {
  const Duration without = all_reduce("direct");
  EXPECT_GT(without, 100_us);
  EXPECT_LE(all_reduce("in-network"), without + without / 20);
}

/// Two all-reduces side by side, each among all hosts of one switch with a reducer.
Result<scenario::Scenario> two_all_reduces(std::string_view algorithm, std::string_view reduction, int hosts = 4) {
  const std::string traffic = fmt::format(
      "[[traffic]]\nname = \"{{}}\"\nkind = \"collective\"\njob = \"job\"\nalgorithm = \"{}\"\nsize = \"4 KiB\"\n",
      algorithm);
  return from_text(fmt::format(
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = {0}\ngpus_per_host = 1\n"
      "[reduction]\nenabled = true\n{1}\n[[job]]\nname = \"job\"\ngpus = {0}\n{2}{3}",
      hosts, reduction, fmt::format(fmt::runtime(traffic), "a"), fmt::format(fmt::runtime(traffic), "b")));
}

struct NoMessages final : workload::MessageSink {
  void on_message(const workload::MessageRecord& /*message*/) override {}
};

std::vector<workload::CollectiveAlgorithm> algorithms_of(const Result<scenario::Scenario>& scenario) {
  NoMessages none;
  const auto simulation = Simulation::create(scenario.value(), none);
  EXPECT_TRUE(simulation) << simulation.error().message;
  return {(*simulation)->collective_algorithm(0), (*simulation)->collective_algorithm(1)};
}

std::string refusal_of(const Result<scenario::Scenario>& scenario) {
  NoMessages none;
  const auto simulation = Simulation::create(scenario.value(), none);
  return simulation ? std::string() : simulation.error().message;
}

// The second one took the reducer as well, and the run failed at once.
TEST(AutomaticChoice, TakesReducersWhereTheyHaveGroupsLeft) {
  using enum workload::CollectiveAlgorithm;
  const auto one = two_all_reduces("auto", "max_groups = 1");
  const auto chosen = algorithms_of(one);
  EXPECT_EQ(chosen[0], kInNetwork);
  EXPECT_NE(chosen[1], kInNetwork);
  const results::RunResults results = results_of(one);
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  EXPECT_EQ(results.collectives.size(), 8U);
  EXPECT_EQ(algorithms_of(two_all_reduces("auto", "max_groups = 2")), std::vector(2, kInNetwork));
}

TEST(AutomaticChoice, TakesNoReducerThatMayNotHaveAsManyChildren) {
  const auto few = two_all_reduces("auto", "max_children = 2");
  EXPECT_NE(algorithms_of(few)[0], workload::CollectiveAlgorithm::kInNetwork);
  EXPECT_EQ(results_of(few).run.end, results::RunEnd::kFinished);
}

// Up to the switch and down is one way between two hosts, which the model counted as two.
TEST(AutomaticChoice, TakesReducersForTwoRanks) {
  EXPECT_EQ(algorithms_of(two_all_reduces("auto", "", 2))[0], workload::CollectiveAlgorithm::kInNetwork);
}

TEST(InNetworkReduction, ThatReducersHaveNoRoomForIsRefusedBeforeTheRun) {
  const std::string groups = refusal_of(two_all_reduces("in-network", "max_groups = 1"));
  EXPECT_NE(groups.find("traffic 'b': all-reduce on 'world': in-network reduction: "), std::string::npos) << groups;
  EXPECT_NE(groups.find("/reducer already serves 1 group, its limit (reduction.max_groups); one more needs at least 2"),
            std::string::npos)
      << groups;
  const std::string children = refusal_of(two_all_reduces("in-network", "max_children = 2"));
  EXPECT_NE(
      children.find("/reducer would have 4 children in one group; the most is 2 (reduction.max_children), 4 would "
                    "fit"),
      std::string::npos)
      << children;
  EXPECT_EQ(refusal_of(two_all_reduces("in-network", "max_groups = 2")), "");
}

// "In-network reduction was asked for" was all that was said of what nvls-tree misses.
TEST(InNetworkReduction, SaysWhichSwitchesWouldHaveToReduce) {
  const auto refused = [](std::string_view algorithm, std::string_view keys) {
    return refusal_of(from_text(fmt::format(
        "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"rail-optimised\"\nhosts = 2\nhosts_per_leaf = "
        "2\nspines = "
        "1\nnics_per_host = 4\ngpus_per_host = 4\n[scale_up]\nentry = \"nvlink4\"\n{}[[job]]\nname = \"job\"\ngpus = "
        "8\n[[traffic]]\nkind = \"collective\"\njob = \"job\"\nsize = \"1 MiB\"\nalgorithm = \"{}\"\n",
        keys, algorithm)));
  };
  const std::string trees = refused("nvls-tree", "");
  EXPECT_NE(trees.find("nvls-tree needs scale-up switches that reduce, as those of NVLink 4 and 5 do; set "
                       "scale_up.reduction = true"),
            std::string::npos)
      << trees;
  EXPECT_EQ(refused("nvls-tree", "reduction = true\n"), "");
  const std::string network = refused("in-network", "reduction = true\n");
  EXPECT_NE(network.find("in-network needs switches of the network that reduce; set reduction.enabled = true"),
            std::string::npos)
      << network;
  EXPECT_EQ(refused("in-network", "[reduction]\nenabled = true\n"), "");
  const std::string domains = refused("hierarchical", "[collectives]\ndomain_reduction = \"in-network\"\n");
  EXPECT_NE(domains.find("hierarchical needs scale-up switches that reduce"), std::string::npos) << domains;
}

}  // namespace
}  // namespace weft::study::run
