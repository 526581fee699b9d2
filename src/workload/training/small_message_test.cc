#include <gtest/gtest.h>

#include "workload/training/decode_step.h"
#include "workload/training/halo_exchange.h"
#include "workload/training/known_models.h"
#include "workload/training/test_cluster.h"

namespace weft::workload {
namespace {

using test::TestCluster;

GpuModel gpu() {
  return {.name = "test",
          .bf16_flops_per_second = 989'000'000'000'000,
          .fp8_flops_per_second = 1'979'000'000'000'000,
          .memory = 80_gb,
          .memory_rate = 26'800_gbps};
}

CollectiveCost constant(Duration cost) {
  return [cost](const CostedOperation&) { return cost; };
}

TEST(DecodeStep, ATokenTakesItsComputeAndTwoAllReducesPerLayer) {
  const DecodeJob job{.model = test::llama3_70b(), .tensor = 8, .batch = 4, .context = 1024, .tokens = 3};
  const auto plan = DecodePlan::make(job, gpu(), 8);
  ASSERT_TRUE(plan) << plan.error().message;
  Duration compute{};
  for (std::int64_t token = 0; token < 3; ++token) {
    compute += 80 * (plan->attention_time(1024 + token) + plan->feed_forward_time(0)) + plan->output_time();
  }
  for (const Duration cost : {Duration::zero(), 5_us, 20_us}) {
    TestCluster cluster(8, constant(cost));
    const auto time = cluster.run([&](RankId rank) { return std::make_unique<DecodeStep>(*plan, rank); });
    ASSERT_TRUE(time) << time.error().message;
    EXPECT_EQ(*time, compute + 3 * (2 * 80 + 1) * cost);
    EXPECT_EQ(cluster.log().of(RankId(0))[1].size, Bytes(4 * 8192 * 2));  // 64 KiB
  }
}

TEST(DecodeStep, IsBoundByReadingTheWeights) {
  const DecodeJob job{.model = test::llama3_70b(), .tensor = 8, .batch = 1, .context = 1, .tokens = 1};
  const auto plan = DecodePlan::make(job, gpu(), 8);
  ASSERT_TRUE(plan);
  const Duration token = 80 * (plan->attention_time(1) + plan->feed_forward_time(0)) + plan->output_time();
  // Every weight but the embedding's once, at nine tenths of 3.35 TB/s.
  const auto weights = static_cast<double>(parameter_count(job.model) - embedding_parameters(job.model)) / 8 * 2;
  EXPECT_NEAR(token.seconds(), weights / (3.35e12 * 0.9), token.seconds() * 0.02);
  // A batch of 8 reads them once as well.
  DecodeJob eight = job;
  eight.batch = 8;
  EXPECT_LT(DecodePlan::make(eight, gpu(), 8)->feed_forward_time(0), plan->feed_forward_time(0) * 11 / 10);
}

TEST(DecodeStep, ExpertsAreReadOnlyIfATokenTakesThem) {
  DecodeJob job{.model = test::mixtral_8x7b(), .tensor = 2, .batch = 1, .context = 1, .tokens = 1};
  const Duration one = DecodePlan::make(job, gpu(), 2)->feed_forward_time(0);
  job.batch = 4;  // 8 copies: every expert
  const Duration all = DecodePlan::make(job, gpu(), 2)->feed_forward_time(0);
  EXPECT_NEAR(all.seconds() / one.seconds(), 8.0 / 2, 0.1);
}

TEST(DecodeStep, RatesAreThoseOfAllReplicas) {
  const DecodeJob job{.model = test::llama3_8b(), .tensor = 2, .replicas = 3, .batch = 4, .context = 100, .tokens = 2};
  const auto plan = DecodePlan::make(job, gpu(), 6);
  ASSERT_TRUE(plan);
  EXPECT_DOUBLE_EQ(tokens_per_second(*plan, 10_ms), 3 * 4 / 0.010);
  // Two operations per weight that a token meets, and attention over some 101 tokens.
  ModelShape model = job.model;
  const double weights = 2.0 * static_cast<double>(parameter_count(model) - embedding_parameters(model));
  const double attention = 4.0 * 101 * 4096 * 32;
  EXPECT_NEAR(model_flops_utilisation(*plan, 10_ms), 1200 * (weights + attention) / (6 * 989e12), 1e-4 * 1e-2);
}

TEST(DecodeStep, ReplicasDoNotWaitForOneAnother) {
  const DecodeJob job{.model = test::llama3_8b(), .tensor = 2, .replicas = 3, .batch = 1, .context = 1, .tokens = 2};
  const auto plan = DecodePlan::make(job, gpu(), 6);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->communicators().size(), 3U);
  TestCluster cluster(
      6, [](const CostedOperation& operation) { return operation.communicator.name == "tp2" ? 10_us : 1_us; });
  ASSERT_TRUE(cluster.run([&](RankId rank) { return std::make_unique<DecodeStep>(*plan, rank); }));
  EXPECT_EQ(cluster.totals(4).finished - cluster.totals(0).finished, 2 * (2 * 32 + 1) * 9_us);
}

TEST(DecodeStep, WhatDoesNotFitOrDivideIsRefusedWithTheNumbers) {
  DecodeJob job{.model = test::llama3_70b(), .tensor = 1, .batch = 1, .context = 1, .tokens = 1};
  EXPECT_NE(DecodePlan::make(job, gpu(), 1).error().message.find("weights 141.1"), std::string::npos);
  EXPECT_EQ(DecodePlan::make(job, gpu(), 2).error().message, "tp 1 x 1 replicas = 1 ranks, but the job has 2");
  job.tensor = 3;
  EXPECT_NE(DecodePlan::make(job, gpu(), 3).error().message.find("tp = 3"), std::string::npos);
  job.tensor = 8;
  job.batch = 0;
  EXPECT_NE(DecodePlan::make(job, gpu(), 8).error().message.find("a batch of 0"), std::string::npos);
}

TEST(HaloExchange, NeighboursAreNextInEachAxisAndPeriodic) {
  const auto plan = HaloPlan::make({.grid = {4, 3, 2}, .block = {8, 16, 32}}, gpu(), 24);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->neighbour(RankId(0), 0, 1), RankId(1));
  EXPECT_EQ(plan->neighbour(RankId(0), 0, -1), RankId(3));
  EXPECT_EQ(plan->neighbour(RankId(0), 1, -1), RankId(8));
  EXPECT_EQ(plan->neighbour(RankId(23), 2, 1), RankId(11));
  for (std::uint32_t rank = 0; rank < 24; ++rank) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      EXPECT_EQ(plan->neighbour(plan->neighbour(RankId(rank), axis, 1), axis, -1), RankId(rank));
    }
  }
  EXPECT_EQ(plan->face(0), Bytes(16 * 32 * 8));
  EXPECT_EQ(plan->face(2), Bytes(8 * 16 * 8));
}

TEST(HaloExchange, FacesHideBehindTheInsideAndTheSumDoesNot) {
  const HaloJob job{.grid = {2, 2, 2}, .block = {64, 64, 64}, .iterations = 5};
  const auto plan = HaloPlan::make(job, gpu(), 8);
  ASSERT_TRUE(plan);
  const Duration sum = 3_us;
  for (const Duration face : {Duration::zero(), plan->inner_time() / 2, plan->inner_time() + 10_us}) {
    TestCluster cluster(8, [&](const CostedOperation& operation) { return operation.sender.is_valid() ? face : sum; });
    const auto time = cluster.run([&](RankId rank) { return std::make_unique<HaloExchange>(*plan, rank); });
    ASSERT_TRUE(time) << time.error().message;
    // Two faces go to the same neighbour in a grid of two, one after the other.
    const Duration waits = std::max(plan->inner_time(), 2 * face);
    EXPECT_EQ(*time, 5 * (waits + plan->outer_time() + sum));
  }
}

TEST(HaloExchange, SendsSixFacesPerIteration) {
  const HaloJob job{.grid = {3, 3, 3}, .block = {4, 8, 16}, .iterations = 2};
  const auto plan = HaloPlan::make(job, gpu(), 27);
  ASSERT_TRUE(plan);
  TestCluster cluster(27, constant(1_us));
  ASSERT_TRUE(cluster.run([&](RankId rank) { return std::make_unique<HaloExchange>(*plan, rank); }));
  const Bytes faces = 2 * (plan->face(0) + plan->face(1) + plan->face(2));
  const Bytes sum = 2 * (Bytes(8) * 26 / 27);
  EXPECT_EQ(cluster.totals(5).sent[static_cast<std::size_t>(Purpose::kOtherCommunication)], 2 * (faces + sum));
}

TEST(HaloExchange, AGivenComputeTimeIsSharedOutByCells) {
  HaloJob job{.grid = {2, 1, 1}, .block = {10, 4, 4}, .compute = 10_us, .iterations = 2};
  const auto plan = HaloPlan::make(job, gpu(), 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->inner_time(), 8_us);
  EXPECT_EQ(plan->outer_time(), 2_us);
  job.compute = Duration::zero() - 1_us;
  EXPECT_NE(HaloPlan::make(job, gpu(), 2).error().message.find("of compute in an iteration"), std::string::npos);
}

TEST(HaloExchange, ALoneRankOnlyComputes) {
  const auto plan = HaloPlan::make({.iterations = 3}, gpu(), 1);
  ASSERT_TRUE(plan);
  TestCluster cluster(1, constant(1_s));
  const auto time = cluster.run([&](RankId rank) { return std::make_unique<HaloExchange>(*plan, rank); });
  ASSERT_TRUE(time) << time.error().message;
  EXPECT_EQ(*time, 3 * plan->inner_time());
}

TEST(HaloExchange, WrongGridsAreRefusedWithTheNumbers) {
  EXPECT_EQ(HaloPlan::make({.grid = {2, 3, 1}}, gpu(), 8).error().message,
            "a grid of 2 x 3 x 1 = 6 ranks, but the job has 8");
  EXPECT_NE(HaloPlan::make({.grid = {0, 1, 1}}, gpu(), 1).error().message.find("axis 0: 0 ranks"), std::string::npos);
}

}  // namespace
}  // namespace weft::workload
