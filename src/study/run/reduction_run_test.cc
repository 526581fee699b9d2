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

}  // namespace
}  // namespace weft::study::run
