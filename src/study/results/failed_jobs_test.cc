#include "study/results/failed_jobs.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "study/results/results_test_run.h"
#include "study/results/summary_text.h"

namespace weft::study::results {
namespace {

using testing::small_run;

TEST(FailedJobs, AreThoseOfWhichNothingCameThrough) {
  RunResults results = small_run();
  results.messages[1].record.status = verbs::WcStatus::kWrFlushErr;
  EXPECT_TRUE(failed_jobs(results).empty()) << "one of two messages came through";
  EXPECT_NE(summary_text(results, summarise(results)).find("1 completed, 1 MiB; 1 FAILED"), std::string::npos);

  for (MessageRow& row : results.messages) {
    row.record.status = verbs::WcStatus::kWrFlushErr;
  }
  results.messages[1].record.status = verbs::WcStatus::kRetryExcErr;
  results.messages[1].record.finished = results.messages[0].record.finished - 1_us;
  const std::vector<FailedJob> failed = failed_jobs(results);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(text_of(failed[0]),
            fmt::format("all 2 messages of '{}' FAILED: transport retry counter exceeded", results.jobs[0].name));
  results.jobs[0].unfinished = 1;
  EXPECT_TRUE(failed_jobs(results).empty()) << "one may come through yet";
  results.jobs[0].unfinished = 0;
  EXPECT_NE(
      summary_text(results, summarise(results)).find("none completed: all 2 FAILED (transport retry counter exceeded)"),
      std::string::npos);
}

// What the scenario makes fail may fail, but a run of which nothing at all came through is none.
TEST(FailedJobs, AreWhatWasAskedForBesideOthersWhereTheScenarioMakesSomethingFail) {
  RunResults results = small_run();
  results.events.clear();
  for (MessageRow& row : results.messages) {
    row.record.status = verbs::WcStatus::kRetryExcErr;
  }
  const auto was_asked_for = [&results] { return failed_jobs(results).at(0).was_asked_for; };
  EXPECT_FALSE(was_asked_for());
  results.events.push_back({.kind = "fail", .place = "leaf0:0"});
  EXPECT_FALSE(was_asked_for());
  results.jobs.push_back(results.jobs[0]);
  results.messages.push_back(results.messages[0]);
  results.messages.back().record.flow.job = workload::JobId(1);
  results.messages.back().record.status = verbs::WcStatus::kSuccess;
  EXPECT_TRUE(was_asked_for());
  results.events.clear();
  EXPECT_FALSE(was_asked_for());
  results.events.push_back({.kind = "leaf order", .place = "leaves"});  // which nobody asked for
  EXPECT_FALSE(was_asked_for());
}

}  // namespace
}  // namespace weft::study::results
