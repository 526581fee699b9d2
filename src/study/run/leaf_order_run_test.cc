// Leaves that restore the order where paths differ by more than they wait: the run says so, and for how long they
// should.
#include <gmock/gmock.h>

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "study/results/summary.h"
#include "study/run/run_test_support.h"

namespace weft::study::run {
namespace {

using ::testing::HasSubstr;

/// A permutation over two leaves and four spines at 400 Gb/s; one of the cables has 25.
results::RunResults slow_cable(Duration wait) {
  return results_of(from_text(fmt::format(
      "seed = 1\n[fabric]\nfamily = \"rocev2\"\n[topology]\nkind = \"leaf-spine\"\nhosts = 8\nhosts_per_leaf = 4\n"
      "spines = 4\n[link]\nrate = \"400 Gbps\"\n[routing]\npolicy = \"spray\"\nreorder = \"leaf\"\nreorder_wait = "
      "\"{} ns\"\n[[override]]\nselect = \"leaf0/port4\"\nlink.rate = \"25 Gbps\"\n[[traffic]]\nname = \"p\"\n"
      "kind = \"permutation\"\nshift = 4\nsize = \"1 MiB\"\n",
      wait.picoseconds() / 1000)));
}

std::string said(const results::RunResults& results) {
  const auto event = std::ranges::find(results.events, "leaf order", &results::EventRow::kind);
  return event == results.events.end() ? "" : event->text;
}

TEST(LeafOrderRun, ARunSaysThatLeavesDidNotWaitLongEnoughAndForHowLongTheyShould) {
  const results::RunResults brief = slow_cable(100_us);
  EXPECT_THAT(said(brief), HasSubstr("set routing.reorder_wait above that"));
  EXPECT_GT(results::summarise(brief).network.retransmitted, 0U);
  double latest = 0;
  ASSERT_EQ(std::sscanf(said(brief).substr(said(brief).find("up to ")).c_str(), "up to %lf us", &latest), 1)
      << said(brief);
  EXPECT_GT(latest, 100);

  const results::RunResults patient =
      slow_cable(Duration::nanoseconds(static_cast<std::int64_t>(latest * 1000) + 1000));
  EXPECT_EQ(said(patient), "");
  EXPECT_EQ(results::summarise(patient).network.retransmitted, 0U);
  EXPECT_LT(lasted(patient) * 2, lasted(brief));
}

}  // namespace
}  // namespace weft::study::run
