#include "study/summary_comparison.h"

#include <gtest/gtest.h>

namespace weft::study {
namespace {

ComparedRun run_named(const std::string& name) {
  ComparedRun run{.name = name, .summary = {}};
  run.summary.jobs.emplace_back();
  return run;
}

TEST(SummaryComparison, HasAColumnPerRunAndADashForWhatARunDoesNotHave) {
  std::vector<ComparedRun> runs{run_named("ethernet"), run_named("infiniband")};
  runs[0].summary.network.pauses = 12;
  runs[0].summary.jobs[0].jain = 0.5;
  runs[1].summary.jobs[0].jain = 1.0;
  const std::string text = comparison_text(runs);
  EXPECT_NE(text.find("ethernet"), std::string::npos);
  EXPECT_NE(text.find("infiniband"), std::string::npos);
  EXPECT_NE(text.find("0.500"), std::string::npos);
  EXPECT_NE(text.find("1.000"), std::string::npos);
  const std::size_t pauses = text.find("pauses");
  ASSERT_NE(pauses, std::string::npos);
  const std::string line = text.substr(pauses, text.find('\n', pauses) - pauses);
  EXPECT_NE(line.find("12"), std::string::npos);
  EXPECT_EQ(line.back(), '-');
}

TEST(SummaryComparison, LeavesOutRowsThatNoRunHas) {
  const std::vector<ComparedRun> runs{run_named("one")};
  EXPECT_EQ(comparison_text(runs).find("collective"), std::string::npos);
}

}  // namespace
}  // namespace weft::study
