// All-to-alls over scale-up links, against what the links need.
#include <gtest/gtest.h>

#include <string>

#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

/// Over the first hosts of two.
Duration all_to_all(const std::string& scale_up, int hosts, int gpus, const std::string& size) {
  const results::RunResults results = results_of(from_text(fmt::format(
      "[fabric]\nfamily = \"infiniband\"\n[topology]\nkind = \"single-switch\"\nhosts = 2\nnics_per_host = {}\n"
      "gpus_per_host = {}\n[scale_up]\nentry = \"{}\"\n[[job]]\nname = \"job\"\ngpus = {}\n[[traffic]]\n"
      "kind = \"collective\"\njob = \"job\"\ncollective = \"all-to-all\"\nsize = \"{}\"\n",
      gpus, gpus, scale_up, hosts * gpus, size)));
  EXPECT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  return results.run.ended_at - Time::zero();
}

// Each of three links carries a quarter of 16 MiB at 50 GB/s, of which headers and efficiency leave some 80 %. One peer
// after the other took three times that.
TEST(AllToAllRun, UsesAllLinksOfAMeshAtOnce) {
  const double needed = (16 << 20) / 4 / (50e9 * 0.8);
  const double took = all_to_all("nvlink2-mesh", 1, 4, "16 MiB").seconds();
  EXPECT_GT(took, needed);
  EXPECT_LT(took, 1.3 * needed);
}

// What goes to GPUs of the own host goes over its links while the network carries the rest: no more than a hundredth
// longer than the network alone needs.
TEST(AllToAllRun, ScaleUpLinksWorkBesideTheNetwork) {
  const double took = all_to_all("nvlink4", 2, 4, "64 MiB").seconds();
  const double needed = (64 << 20) / 8.0 * 4 / 50e9;
  EXPECT_GT(took, needed);
  EXPECT_LT(took, 1.06 * needed);
}

}  // namespace
}  // namespace weft::study::run
