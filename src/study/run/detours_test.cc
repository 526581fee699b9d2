// How many packets take a third group of a dragonfly.
#include <gtest/gtest.h>

#include "study/results/summary_text.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

/// Under Valiant every packet that leaves its group goes over a third one: data, acknowledgements and notifications.
/// Switches whose only cable leads there choose no port, so that these are more than the choices.
TEST(Detours, CountEachPacketOnceAndAreNoneOfTheChoices) {
  const results::RunResults results = results_of(from_text(
      "seed = 1\n[fabric]\nfamily = \"rocev2\"\ntuning = \"spray\"\nqos = \"ecn-only\"\n[topology]\n"
      "kind = \"dragonfly-plus\"\ngroups = 5\nleaves = 2\nspines = 2\nhosts_per_leaf = 2\nhosts = 20\n"
      "[routing]\npolicy = \"valiant\"\n[[traffic]]\nkind = \"permutation\"\nshift = 4\nsize = \"256 KiB\"\n"));
  ASSERT_EQ(results.run.end, results::RunEnd::kFinished) << results.run.error;
  const results::Summary summary = results::summarise(results);
  ASSERT_TRUE(summary.network.paths);
  std::uint64_t sent = 0;
  for (const results::NicRow& nic : results.nics) {
    sent += nic.data_sent + nic.answers_sent;
  }
  EXPECT_EQ(summary.network.paths->detours, sent);  // all of them go to the next group
  EXPECT_GT(summary.network.paths->detours, summary.network.paths->choices);
  const std::string text = results::summary_text(results, summary);
  EXPECT_NE(text.find(std::to_string(sent) + " packets of all, acknowledgements included, by a third group"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find(std::to_string(sent) + " detours"), std::string::npos) << text;  // not behind the choices
}

}  // namespace
}  // namespace weft::study::run
