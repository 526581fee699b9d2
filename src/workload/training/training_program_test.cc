#include "workload/training/training_program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "workload/training/listed_graph.h"
#include "workload/training/test_cluster.h"

namespace weft::workload {
namespace {

using test::TestCluster;

GraphNode compute(Duration time, std::uint32_t stream, std::vector<NodeId> after = {}) {
  return {.work = ComputeNode{.time = time}, .stream = StreamId(stream), .label = {}, .after = std::move(after)};
}

GraphNode all_reduce(Bytes size, std::uint32_t stream, std::vector<NodeId> after = {}) {
  return {.work = CommunicationNode{.request = {.communicator = CommunicatorId(0), .size = size}},
          .stream = StreamId(stream),
          .label = {.purpose = Purpose::kData},
          .after = std::move(after)};
}

// A byte takes a nanosecond.
Duration by_size(const CostedOperation& operation) { return Duration::nanoseconds(operation.request.size.count()); }

TestCluster::GraphOf same(const std::vector<GraphNode>& nodes) {
  return [nodes](RankId) {
    return std::make_unique<ListedGraph>(ListedGraph::Contents{
        .communicators = {{.name = "all", .members = {RankId(0), RankId(1)}}}, .streams = 3, .nodes = nodes});
  };
}

Time at(Duration time) { return Time::zero() + time; }

TEST(TrainingProgram, NodesOfOneStreamFollowOneAnother) {
  TestCluster cluster(2, by_size);
  EXPECT_EQ(*cluster.run(same({compute(10_ns, 0), compute(20_ns, 0), compute(5_ns, 0)})), 35_ns);
}

TEST(TrainingProgram, CommunicationOverlapsComputeOfAnotherStream) {
  TestCluster cluster(2, by_size);
  EXPECT_EQ(*cluster.run(same({compute(10_ns, 0), all_reduce(Bytes(50), 1, {NodeId(0)}), compute(30_ns, 0),
                               compute(7_ns, 0, {NodeId(1)})})),
            10_ns + 50_ns + 7_ns);
  const auto& records = cluster.log().of(RankId(0));
  EXPECT_EQ(records[1].begun, at(10_ns));
  EXPECT_EQ(records[1].enabling, NodeId(0));
  EXPECT_EQ(records[2].finished, at(40_ns));
  EXPECT_EQ(records[3].enabling, NodeId(1));
  EXPECT_EQ(records[3].begun, at(60_ns));
}

TEST(TrainingProgram, AGpuComputesOneNodeAtATimeWhateverItsStream) {
  TestCluster cluster(2, by_size);
  EXPECT_EQ(*cluster.run(same({compute(10_ns, 0), compute(20_ns, 1), compute(5_ns, 2)})), 35_ns);
  const auto& records = cluster.log().of(RankId(1));
  EXPECT_EQ(records[1].ready, at(0_ns));
  EXPECT_EQ(records[1].begun, at(10_ns));
  EXPECT_EQ(records[1].enabling, NodeId(0));
  EXPECT_EQ(records[2].begun, at(30_ns));
}

TEST(TrainingProgram, OperationsOfACommunicatorKeepTheirTurns) {
  TestCluster cluster(2, by_size);
  ASSERT_TRUE(cluster.run(same({all_reduce(Bytes(40), 0), all_reduce(Bytes(10), 1), compute(1_ns, 2)})));
  const auto& records = cluster.log().of(RankId(0));
  EXPECT_EQ(records[1].begun, at(0_ns));
  EXPECT_EQ(records[1].turn, at(40_ns));
  EXPECT_EQ(records[1].finished, at(50_ns));
  EXPECT_EQ(records[1].number, 1U);
}

TEST(TrainingProgram, AWindowOfOneRunsNodesInTheirOrder) {
  TestCluster cluster(2, by_size);
  const std::vector<GraphNode> nodes{compute(10_ns, 0), all_reduce(Bytes(50), 1, {NodeId(0)}), compute(30_ns, 0)};
  EXPECT_EQ(*cluster.run(same(nodes), {.window = 1}), 90_ns);
  EXPECT_EQ(cluster.log().of(RankId(0))[2].enabling, NodeId(1));
}

TEST(TrainingProgram, TotalsCountVolumesAndCompute) {
  TestCluster cluster(2, by_size);
  ASSERT_TRUE(cluster.run(same({compute(10_ns, 0), all_reduce(Bytes(50), 1), all_reduce(Bytes(30), 1)})));
  const RankTotals& totals = cluster.totals(0);
  EXPECT_EQ(totals.computing, 10_ns);
  EXPECT_EQ(totals.nodes, 3U);
  EXPECT_EQ(totals.sent[static_cast<std::size_t>(Purpose::kData)], Bytes(50 + 30));  // 2 S (2-1)/2
  EXPECT_EQ(totals.finished, at(80_ns));
}

TEST(TrainingProgram, ADependencyNamedTwiceCountsOnce) {
  TestCluster cluster(2, by_size);
  EXPECT_EQ(*cluster.run(same({compute(10_ns, 0), all_reduce(Bytes(5), 1, {NodeId(0), NodeId(0)})})), 15_ns);
}

TEST(TrainingProgram, AWindowOfNothingIsRefused) {
  TestCluster cluster(2, by_size);
  EXPECT_FALSE(cluster.run(same({compute(10_ns, 0)}), {.window = 0}));
}

TEST(TrainingProgram, StragglersStretchTheirOwnComputeAlone) {
  const JobOptions job{.id = JobId(0), .name = "job", .seed = 3, .ranks = 2};
  const SometimesSlow always{.probability = Probability::one(), .slowdown = {250'000}};
  EXPECT_EQ(Stragglers(always, job, RankId(0)).stretch(100_us, 0), 125_us);
  EXPECT_EQ(Stragglers(NoStragglers{}, job, RankId(0)).stretch(100_us, 0), 100_us);
  const UniformlySlow uniform{.most = {100'000}};
  Stragglers first(uniform, job, RankId(0));
  EXPECT_EQ(first.stretch(100_us, 1), Stragglers(uniform, job, RankId(0)).stretch(100_us, 1));
  EXPECT_NE(first.of_step(1), first.of_step(2));
  EXPECT_NE(first.of_step(1), Stragglers(uniform, job, RankId(1)).of_step(1));
  const std::array<RankId, 3> several = {RankId(4), RankId(0), RankId(2)};
  for (std::uint32_t step = 0; step < 20; ++step) {
    Slowdown most{};
    for (const RankId rank : several) {
      most = std::max(most, Stragglers(uniform, job, rank).of_step(step));
    }
    EXPECT_EQ(Stragglers(uniform, job, several).of_step(step), most);
  }
  EXPECT_FALSE(check_stragglers(UniformlySlow{.most = {-1}}));
  EXPECT_TRUE(check_stragglers(uniform));
}

}  // namespace
}  // namespace weft::workload
