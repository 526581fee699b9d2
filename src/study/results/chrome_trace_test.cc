#include "study/results/chrome_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "workload/training/known_models.h"
#include "workload/training/test_cluster.h"
#include "workload/training/transformer_step.h"
#include "workload/training/transformer_streams.h"

namespace weft::study::results {
namespace {

using workload::RankId;

class ChromeTrace : public testing::Test {
 protected:
  void SetUp() override {
    workload::ModelShape model = workload::test::gpt(4, 1024, 16);
    model.sequence = 512;
    const workload::TrainingJob job{
        .model = model, .parallelism = {.tensor = 2, .pipeline = 2}, .batch = {.global = 4}};
    const workload::GpuModel gpu{
        .name = "test", .bf16_flops_per_second = 312'000'000'000'000, .memory = 80_gb, .memory_rate = 16'000_gbps};
    auto plan = workload::TrainingPlan::make(job, gpu, 4);
    ASSERT_TRUE(plan);
    plan_ = std::make_unique<workload::TrainingPlan>(*std::move(plan));
    ASSERT_TRUE(cluster_.run([&](RankId rank) { return std::make_unique<workload::TransformerStep>(*plan_, rank); }));
    path_ = find_critical_path(cluster_.log(), plan_->groups().communicators());
    const auto text = chrome_trace(cluster_.log(), {.job = "train",
                                                    .communicators = plan_->groups().communicators(),
                                                    .streams = workload::transformer::kStreamNames,
                                                    .path = &path_});
    document_ = nlohmann::json::parse(text);
  }

  workload::test::TestCluster cluster_{4, [](const workload::CostedOperation&) { return 7_us; }};
  std::unique_ptr<workload::TrainingPlan> plan_;
  workload::CriticalPath path_;
  nlohmann::json document_;
};

TEST_F(ChromeTrace, HasEveryNodeOfEveryRankOnce) {
  std::map<std::uint32_t, std::size_t> events;
  for (const auto& event : document_["traceEvents"]) {
    if (event["ph"] == "X") {
      ++events[event["pid"].get<std::uint32_t>()];
    }
  }
  ASSERT_EQ(events.size(), 4U);
  for (const auto& [rank, count] : events) {
    EXPECT_EQ(count, cluster_.log().of(RankId(rank)).size());
  }
}

TEST_F(ChromeTrace, TimesAreMicrosecondsAndNodesOfAStreamDoNotOverlap) {
  std::map<std::pair<int, int>, double> busy_until;
  double end = 0;
  for (const auto& event : document_["traceEvents"]) {
    if (event["ph"] != "X") {
      continue;
    }
    double& until = busy_until[{event["pid"].get<int>(), event["tid"].get<int>()}];
    EXPECT_GE(event["ts"].get<double>(), until - 1e-6);
    until = event["ts"].get<double>() + event["dur"].get<double>();
    end = std::max(end, until);
  }
  EXPECT_NEAR(end, path_.total().seconds() * 1e6, 1e-5);
}

TEST_F(ChromeTrace, MarksTheCriticalPath) {
  std::size_t marked = 0;
  for (const auto& event : document_["traceEvents"]) {
    marked += event["ph"] == "X" && event["args"].contains("critical_path") ? 1 : 0;
  }
  EXPECT_EQ(marked, path_.parts.size());
}

TEST_F(ChromeTrace, NamesRanksStreamsAndCommunicators) {
  const std::string text = document_.dump();
  EXPECT_NE(text.find("train rank 3"), std::string::npos);
  EXPECT_NE(text.find("tensor parallel"), std::string::npos);
  EXPECT_NE(text.find("\"communicator\":\"pp-fwd0\""), std::string::npos);
}

TEST_F(ChromeTrace, CanBeLimitedToTheFirstRanks) {
  const auto document = nlohmann::json::parse(chrome_trace(cluster_.log(), {.ranks = 1}));
  for (const auto& event : document["traceEvents"]) {
    EXPECT_EQ(event["pid"], 0);
  }
}

}  // namespace
}  // namespace weft::study::results
