#include "study/results/summary_comparison.h"

#include <gtest/gtest.h>

namespace weft::study::results {
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

TEST(SummaryComparison, SeveralJobsHaveRowsOfTheirOwn) {
  std::vector<ComparedRun> runs{run_named("alone"), run_named("together")};
  runs[0].summary.jobs[0].name = runs[1].summary.jobs[0].name = "rdma";
  runs[1].summary.jobs.emplace_back().name = "tcp";
  runs[0].summary.jobs[0].jain = 0.25;
  runs[1].summary.jobs[1].jain = 0.75;
  const std::string text = comparison_text(runs);
  const std::size_t rdma = text.find("\nrdma\n");
  const std::size_t tcp = text.find("\ntcp\n");
  ASSERT_NE(rdma, std::string::npos);
  ASSERT_NE(tcp, std::string::npos);
  EXPECT_LT(rdma, text.find("0.250"));
  EXPECT_LT(text.find("0.250"), tcp);
  EXPECT_LT(tcp, text.find("0.750"));
}

TEST(SummaryComparison, ManyRunsAreBrokenIntoTablesThatFitALine) {
  std::vector<ComparedRun> runs;
  for (int i = 0; i < 12; ++i) {
    runs.push_back(run_named("run" + std::to_string(i)));
  }
  const std::string text = comparison_text(runs);
  EXPECT_NE(text.find("run11"), std::string::npos);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 100U);
    begin = end + 1;
  }
}

TEST(SummaryComparison, SaysHowEachRunEndedWhereOneDidNotFinish) {
  std::vector<ComparedRun> runs{run_named("whole"), run_named("failing")};
  EXPECT_EQ(comparison_text(runs).find("end"), std::string::npos);
  runs[1].end = RunEnd::kJobLost;
  runs[1].ended_at = Time::zero() + Duration::microseconds(8'889);
  const std::string text = comparison_text(runs);
  const std::size_t end = text.find("\n  end ");
  ASSERT_NE(end, std::string::npos);
  EXPECT_LT(end, text.find("drops"));
  EXPECT_NE(text.find("finished"), std::string::npos);
  EXPECT_NE(text.find("JOB LOST"), std::string::npos);
  EXPECT_NE(text.find("8.889 ms"), std::string::npos);
}

TEST(SummaryComparison, RunsThatAllReachedTheirTimeLimitNeedNoRowOfTheirEnds) {
  std::vector<ComparedRun> runs{run_named("one"), run_named("other")};
  runs[0].end = runs[1].end = RunEnd::kTimeLimit;
  EXPECT_EQ(comparison_text(runs).find("stopped"), std::string::npos);
  runs[0].end = RunEnd::kFinished;
  EXPECT_NE(comparison_text(runs).find("stopped at"), std::string::npos);
}

TEST(SummaryComparison, LeavesOutRowsThatNoRunHas) {
  const std::vector<ComparedRun> runs{run_named("one")};
  EXPECT_EQ(comparison_text(runs).find("collective"), std::string::npos);
}

}  // namespace
}  // namespace weft::study::results
