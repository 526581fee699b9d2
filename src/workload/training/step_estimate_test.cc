#include "workload/training/step_estimate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workload/training/known_models.h"
#include "workload/training/test_cluster.h"
#include "workload/training/transformer_step.h"

namespace weft::workload {
namespace {

const ClusterLinks kLinks{.gpus_per_host = 4,
                          .scale_up = 1920_gbps,
                          .scale_up_latency = 2_us,
                          .scale_out = 200_gbps,
                          .scale_out_latency = 5_us};

GpuModel gpu() {
  return {.name = "test", .bf16_flops_per_second = 312'000'000'000'000, .memory = 80_gb, .memory_rate = 16'000_gbps};
}

ModelShape model() {
  ModelShape shape = test::gpt(16, 4096, 32);
  shape.vocabulary = 8192;
  return shape;
}

// The closed form beside the graph that it stands for.
void expect_close(const TrainingJob& job, double tolerance) {
  const auto plan = TrainingPlan::make(job, gpu(), job.parallelism.world());
  ASSERT_TRUE(plan) << plan.error().message;
  test::TestCluster cluster(static_cast<std::uint32_t>(job.parallelism.world()), closed_form_cost(kLinks));
  const auto time = cluster.run([&](RankId rank) { return std::make_unique<TransformerStep>(*plan, rank); });
  ASSERT_TRUE(time) << time.error().message;
  const auto estimate = estimate_step(*plan, kLinks);
  ASSERT_TRUE(estimate);
  EXPECT_NEAR(estimate->total().seconds(), time->seconds(), time->seconds() * tolerance)
      << "ZeRO " << static_cast<int>(job.parallelism.zero);
  EXPECT_LE(estimate->data_links, *time);
  EXPECT_EQ(estimate->data_links > Duration::zero(), job.parallelism.data > 1);
}

TEST(StepEstimate, IsTheGraphsTimeWithoutAPipeline) {
  expect_close({.model = model(), .batch = {.global = 4}, .recomputation = Recomputation::kFull}, 1e-9);
  expect_close(
      {.model = model(), .parallelism = {.tensor = 4}, .batch = {.global = 4}, .reduction = GradientReduction::kAtEnd},
      1e-3);
  expect_close({.model = model(),
                .parallelism = {.tensor = 2, .data = 4},
                .batch = {.global = 8},
                .recomputation = Recomputation::kFull,
                .reduction = GradientReduction::kAtEnd},
               1e-3);
  expect_close({.model = model(),
                .parallelism = {.tensor = 4, .data = 2, .sequence = SequenceParallel::kOn},
                .batch = {.global = 8},
                .recomputation = Recomputation::kSelective,
                .reduction = GradientReduction::kAtEnd},
               2e-3);
}

TEST(StepEstimate, IsNearTheGraphsTimeWithAPipeline) {
  for (const std::int64_t chunks : {1, 2}) {
    expect_close({.model = model(),
                  .parallelism = {.tensor = 4, .pipeline = 4, .data = 2, .virtual_stages = chunks},
                  .batch = {.global = 32},
                  .recomputation = Recomputation::kFull,
                  .reduction = GradientReduction::kAtEnd},
                 0.02);
  }
}

TEST(StepEstimate, IsNearTheGraphsTimeWhenTheEndsCountAsLayers) {
  ModelShape shape = model();
  shape.layers = 14;
  shape.vocabulary = 51200;
  expect_close({.model = shape,
                .parallelism = {.tensor = 4, .pipeline = 4, .split = LayerSplit::kEndsAreLayers},
                .batch = {.global = 32},
                .reduction = GradientReduction::kAtEnd},
               0.03);
}

TEST(StepEstimate, IsNearTheGraphsTimeWithOverlappedGradientsAndZero) {
  for (const auto zero : {ZeroStage::kNone, ZeroStage::kOptimizer, ZeroStage::kParameters}) {
    expect_close({.model = model(), .parallelism = {.data = 8, .zero = zero}, .batch = {.global = 16}}, 0.03);
  }
}

TEST(StepEstimate, IsNearTheGraphsTimeWithExpertsAndContext) {
  ModelShape moe = model();
  moe.style = BlockStyle::kLlama;
  moe.embeddings = Embeddings::kSeparate;
  moe.experts = Experts{.count = 8, .active = 2, .shared = 0, .hidden = 4096, .dense_first = 0};
  expect_close({.model = moe,
                .parallelism = {.data = 8, .expert = 8},
                .batch = {.global = 16},
                .reduction = GradientReduction::kAtEnd},
               0.01);
  expect_close({.model = model(),
                .parallelism = {.data = 2, .context = 4},
                .batch = {.global = 4},
                .reduction = GradientReduction::kAtEnd},
               0.01);
}

TEST(StepEstimate, NoBandwidthIsRefused) {
  ClusterLinks none = kLinks;
  none.scale_out = Rate::zero();
  EXPECT_FALSE(check_links(none));
  const auto plan = TrainingPlan::make({.model = model(), .batch = {.global = 1}}, gpu(), 1);
  EXPECT_FALSE(estimate_step(*plan, none));
}

}  // namespace
}  // namespace weft::workload
