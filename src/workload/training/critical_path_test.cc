#include "workload/training/critical_path.h"

#include <gtest/gtest.h>

#include "workload/training/known_models.h"
#include "workload/training/listed_graph.h"
#include "workload/training/step_report.h"
#include "workload/training/test_cluster.h"
#include "workload/training/transformer_step.h"

namespace weft::workload {
namespace {

using test::TestCluster;

constexpr std::size_t kDataIndex = static_cast<std::size_t>(Purpose::kData);

GraphNode compute(Duration time, std::vector<NodeId> after = {}) {
  return {.work = ComputeNode{.time = time},
          .stream = StreamId(0),
          .label = {.purpose = Purpose::kForward},
          .after = std::move(after)};
}

GraphNode all_reduce(Bytes size, std::vector<NodeId> after = {}) {
  return {.work = CommunicationNode{.request = {.communicator = CommunicatorId(0), .size = size}},
          .stream = StreamId(1),
          .label = {.purpose = Purpose::kData},
          .after = std::move(after)};
}

Duration by_size(const CostedOperation& operation) { return Duration::nanoseconds(operation.request.size.count()); }

const std::vector<Communicator> kAll{{.name = "all", .members = {RankId(0), RankId(1)}}};

Time at(Duration time) { return Time::zero() + time; }

// Rank 0 computes 10 ns, rank 1 25 ns; they sum 40 B, and compute 5 ns more.
class TwoRanks : public testing::Test {
 protected:
  void SetUp() override {
    const auto time = cluster_.run([](RankId rank) {
      return std::make_unique<ListedGraph>(
          ListedGraph::Contents{.communicators = kAll,
                                .streams = 2,
                                .nodes = {compute(rank == RankId(0) ? 10_ns : 25_ns),
                                          all_reduce(Bytes(40), {NodeId(0)}), compute(5_ns, {NodeId(1)})}});
    });
    ASSERT_TRUE(time);
    ASSERT_EQ(*time, 70_ns);
  }
  TestCluster cluster_{2, by_size};
};

TEST_F(TwoRanks, PathLeadsThroughTheMemberThatCameLast) {
  const CriticalPath path = find_critical_path(cluster_.log(), kAll);
  ASSERT_EQ(path.parts.size(), 3U);
  EXPECT_EQ(path.parts[0].rank, RankId(1));
  EXPECT_EQ(path.parts[0].time(), 25_ns);
  EXPECT_EQ(path.parts[1].purpose, Purpose::kData);
  EXPECT_EQ(path.parts[1].time(), 40_ns);
  EXPECT_EQ(path.parts[2].time(), 5_ns);
  EXPECT_EQ(path.total(), 70_ns);
  EXPECT_EQ(path.by_purpose()[kDataIndex], 40_ns);
}

TEST_F(TwoRanks, ReportTellsWaitingForARankFromTransfer) {
  const StepReport report = make_report(cluster_.log(), kAll);
  EXPECT_EQ(report.step_time(0), 70_ns);
  EXPECT_EQ(report.ranks[0].exposed[kDataIndex].waiting, 15_ns);
  EXPECT_EQ(report.ranks[0].exposed[kDataIndex].transfer, 40_ns);
  EXPECT_EQ(report.ranks[1].exposed[kDataIndex].waiting, 0_ns);
  EXPECT_EQ(report.ranks[1].exposed[kDataIndex].transfer, 40_ns);
  EXPECT_EQ(report.exposed(Purpose::kData).total(), (55_ns + 40_ns) / 2);
  EXPECT_EQ(report.sent(Purpose::kData), Bytes(80));
}

TEST_F(TwoRanks, TheMessageBehindAPartIsTheLastToEndWithinIt) {
  const CriticalPath path = find_critical_path(cluster_.log(), kAll);
  const auto message = [](Duration finished, std::uint32_t from, std::uint32_t to) {
    return MessageRecord{.flow = {.job = JobId(0), .source = RankId(from), .destination = RankId(to)},
                         .finished = at(finished)};
  };
  const std::vector<MessageRecord> messages{message(20_ns, 0, 1), message(60_ns, 1, 0), message(64_ns, 0, 1),
                                            message(65_ns, 0, 2), message(66_ns, 0, 1)};
  EXPECT_EQ(message_behind(path.parts[1], cluster_.log(), kAll, messages), &messages[2]);
  EXPECT_EQ(message_behind(path.parts[0], cluster_.log(), kAll, messages), nullptr);
}

TEST(CriticalPath, LeadsThroughTheOperationThatKeptTheCommunicatorBusy) {
  TestCluster cluster(2, by_size);
  const auto second = [] {
    GraphNode node = all_reduce(Bytes(10));
    node.stream = StreamId(2);
    return node;
  };
  ASSERT_TRUE(cluster.run([&](RankId) {
    return std::make_unique<ListedGraph>(ListedGraph::Contents{
        .communicators = kAll, .streams = 3, .nodes = {all_reduce(Bytes(40)), second(), compute(5_ns, {NodeId(1)})}});
  }));
  const CriticalPath path = find_critical_path(cluster.log(), kAll);
  ASSERT_EQ(path.parts.size(), 3U);
  EXPECT_EQ(path.parts[0].node, NodeId(0));
  EXPECT_EQ(path.parts[0].time(), 40_ns);
  EXPECT_EQ(path.parts[1].time(), 10_ns);
}

TEST(CriticalPath, PartsOfATrainingStepTouchAndAddUp) {
  ModelShape model = test::gpt(8, 1024, 16);
  model.vocabulary = 1024;
  model.sequence = 512;
  const GpuModel gpu{
      .name = "test", .bf16_flops_per_second = 312'000'000'000'000, .memory = 80_gb, .memory_rate = 16'000_gbps};
  for (const std::int64_t chunks : {1, 2}) {
    for (const auto zero : {ZeroStage::kNone, ZeroStage::kParameters}) {
      const TrainingJob job{
          .model = model,
          .parallelism = {.tensor = 2, .pipeline = 2, .data = 2, .virtual_stages = chunks, .zero = zero},
          .batch = {.global = 8},
          .bucket = 4_mb,
          .steps = 2};
      const auto plan = TrainingPlan::make(job, gpu, 8);
      ASSERT_TRUE(plan);
      TestCluster cluster(
          8, [](const CostedOperation& operation) { return 2_us + (200_gbps).transmit_time(operation.request.size); });
      const auto time = cluster.run([&](RankId rank) { return std::make_unique<TransformerStep>(*plan, rank); },
                                    {.stragglers = ExponentiallySlow{.mean = {50'000}}});
      ASSERT_TRUE(time);
      const auto& communicators = plan->groups().communicators();
      const CriticalPath path = find_critical_path(cluster.log(), communicators);
      EXPECT_EQ(path.total(), *time);
      EXPECT_EQ(path.parts.front().from, Time::zero());
      for (std::size_t i = 1; i < path.parts.size(); ++i) {
        EXPECT_EQ(path.parts[i].from, path.parts[i - 1].to);
      }
      const StepReport report = make_report(cluster.log(), communicators);
      EXPECT_EQ(report.step_time(0) + report.step_time(1), *time);
      for (std::uint32_t rank = 0; rank < 8; ++rank) {
        const RankReport& account = report.ranks[rank];
        Duration sum = account.after;
        for (std::size_t purpose = 0; purpose < kPurposes; ++purpose) {
          sum += account.computing[purpose] + account.exposed[purpose].total();
        }
        EXPECT_EQ(sum, *time);
        EXPECT_EQ(account.sent, cluster.totals(rank).sent);
        EXPECT_EQ(account.exposed[static_cast<std::size_t>(Purpose::kOtherCommunication)].total(), Duration::zero());
      }
    }
  }
}

TEST(CriticalPath, OfAnEmptyRunIsEmpty) { EXPECT_TRUE(find_critical_path(NodeLog(2), kAll).parts.empty()); }

}  // namespace
}  // namespace weft::workload
