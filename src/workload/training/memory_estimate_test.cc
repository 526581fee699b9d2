#include "workload/training/memory_estimate.h"

#include <gtest/gtest.h>

#include "workload/training/known_models.h"

namespace weft::workload {
namespace {

const GpuModel kGpu{.name = "a100",
                    .bf16_flops_per_second = 312'000'000'000'000,
                    .memory = 80_gb,
                    .memory_rate = 16'000_gbps,
                    .reserved = 2_gb};

// Korthikanti et al. 2022, equations 2 and 4: per layer s b h (10 + 24/t + 5 a s/(h t)), and with sequence parallelism
// s b h / t (34 + 5 a s/h).
TEST(MemoryEstimate, ActivationsOfAGptAreTheClosedForms) {
  const ModelShape model = test::gpt(80, 12288, 96);
  for (const std::int64_t t : {1, 8}) {
    TrainingJob job{.model = model,
                    .parallelism = {.tensor = t},
                    .batch = {.global = 4, .micro = 2},
                    .attention = AttentionKernel::kUnfused};
    const std::int64_t sbh = 2048 * 2 * 12288;
    const std::int64_t scores = 5 * 96 * 2048 / 12288;
    EXPECT_EQ(layer_activations(job, 0).kept(Recomputation::kNone).count(), sbh * 10 + sbh * (24 + scores) / t);
    job.parallelism.sequence = SequenceParallel::kOn;
    EXPECT_EQ(layer_activations(job, 0).kept(Recomputation::kNone).count(), sbh * (34 + scores) / t);
    EXPECT_EQ(layer_activations(job, 0).kept(Recomputation::kSelective).count(), sbh * 34 / t);
    EXPECT_EQ(layer_activations(job, 0).kept(Recomputation::kFull).count(), sbh * 2 / t);
  }
}

TEST(MemoryEstimate, FusedAttentionKeepsNoScores) {
  TrainingJob job{.model = test::llama3_8b()};
  EXPECT_EQ(layer_activations(job, 0).scores, Bytes::zero());
  EXPECT_EQ(layer_activations(job, 0).kept(Recomputation::kNone),
            layer_activations(job, 0).kept(Recomputation::kSelective));
}

TEST(MemoryEstimate, StateIsEighteenBytesPerParameterAndZeroSharesIt) {
  constexpr std::int64_t n = 8;
  TrainingJob job{.model = test::llama3_8b(), .parallelism = {.data = n}, .batch = {.global = n}};
  const std::int64_t parameters = parameter_count(job.model);
  const MemoryEstimate plain = estimate_memory(job, kGpu);
  EXPECT_EQ((plain.parameters + plain.gradients + plain.optimizer).count(), 18 * parameters);
  job.parallelism.zero = ZeroStage::kOptimizer;
  EXPECT_EQ(estimate_memory(job, kGpu).optimizer.count(), 12 * parameters / n);
  EXPECT_EQ(estimate_memory(job, kGpu).parameters, plain.parameters);
  job.parallelism.zero = ZeroStage::kParameters;
  const MemoryEstimate shared = estimate_memory(job, kGpu);
  EXPECT_EQ(shared.parameters.count(), 2 * parameters / n);
  EXPECT_EQ(shared.gradients.count(), 4 * parameters / n);
  const std::int64_t layer = layer_parameters(job.model, 0).total();
  const std::int64_t ends = parameters - 32 * layer;
  EXPECT_EQ(shared.working.count(), 2 * 2 * layer + 4 * layer + 2 * ends);
}

TEST(MemoryEstimate, TheFirstStageKeepsAsManyMicroBatchesAsThereAreStages) {
  TrainingJob job{
      .model = test::gpt(80, 12288, 96), .parallelism = {.tensor = 8, .pipeline = 8}, .batch = {.global = 64}};
  const Bytes layer = layer_activations(job, 0).kept(Recomputation::kNone);
  EXPECT_EQ(estimate_memory(job, kGpu).activations, 8 * 10 * layer);
  EXPECT_EQ(estimate_memory(job, kGpu).stage, 0);
  // Interleaving adds (p-1)/(p v) of that: Korthikanti et al. 2022, section 4.2.3.
  job.parallelism.virtual_stages = 2;
  const double ratio = static_cast<double>(estimate_memory(job, kGpu).activations.count()) /
                       static_cast<double>((8 * 10 * layer).count());
  EXPECT_DOUBLE_EQ(ratio, 1 + 7.0 / (8 * 2));
}

TEST(MemoryEstimate, ExpertsAreSpreadOverExpertParallelRanks) {
  TrainingJob job{.model = test::mixtral_8x7b(), .parallelism = {.data = 8}, .batch = {.global = 8}};
  const std::int64_t experts = 32 * layer_parameters(job.model, 0).experts;
  const Bytes alone = estimate_memory(job, kGpu).parameters;
  job.parallelism.expert = 8;
  EXPECT_EQ((alone - estimate_memory(job, kGpu).parameters).count(), 2 * (experts - experts / 8));
}

TEST(MemoryEstimate, RowsOfTheSc21TableFitInEightyGigabytes) {
  TrainingJob job{.model = test::gpt(128, 25600, 160),
                  .parallelism = {.tensor = 8, .pipeline = 64, .data = 6, .virtual_stages = 2},
                  .batch = {.global = 3072},
                  .recomputation = Recomputation::kFull,
                  .attention = AttentionKernel::kUnfused};
  const auto fits = check_memory(job, kGpu);
  EXPECT_TRUE(fits) << fits.error().message;
}

TEST(MemoryEstimate, WhatDoesNotFitIsRefusedWithTheNumbers) {
  const TrainingJob job{.model = test::llama3_70b(), .parallelism = {.tensor = 8}, .batch = {.global = 1}};
  const auto refused = check_memory(job, kGpu);
  ASSERT_FALSE(refused);
  // 70.6 billion parameters of 18 bytes over 8 GPUs.
  EXPECT_NE(refused.error().message.find("optimizer 105.8"), std::string::npos) << refused.error().message;
  EXPECT_NE(refused.error().message.find("but a100 has 80.0 GB"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace weft::workload
