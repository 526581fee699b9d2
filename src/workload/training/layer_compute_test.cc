#include "workload/training/layer_compute.h"

#include <gtest/gtest.h>

#include "workload/training/known_models.h"

namespace weft::workload {
namespace {

// Memory without limit and no loss of efficiency: time is operations over the peak.
GpuModel arithmetic_only() {
  return {.name = "test",
          .bf16_flops_per_second = 100'000'000'000'000,
          .fp8_flops_per_second = 200'000'000'000'000,
          .memory = 80_gb,
          .memory_rate = Rate::max(),
          .gemm_peak_share = 1.0,
          .gemm_half_length = 0.0,
          .memory_share = 1.0};
}

TEST(LayerCompute, ForwardIsTheModelsOperationsAndBackwardTwiceThat) {
  const GpuTimer timer = *GpuTimer::make(arithmetic_only(), Precision::kBf16);
  for (const ModelShape& model :
       {test::gpt(24, 2304, 24), test::llama3_70b(), test::mixtral_8x7b(), test::deepseek_v3()}) {
    const TrainingJob job{.model = model, .batch = {.global = 1}, .attention = AttentionKernel::kUnfused};
    const std::int64_t layer = model.layers - 1;
    const double flops = layer_flops_per_token(model, layer).count * static_cast<double>(model.sequence);
    const PartTime total = layer_times(job, layer, timer).total();
    EXPECT_NEAR(total.forward.seconds(), flops / 100e12, flops / 100e12 * 1e-3) << model.name;
    EXPECT_NEAR(total.backward.seconds(), 2 * flops / 100e12, 2 * flops / 100e12 * 1e-3) << model.name;
  }
}

TEST(LayerCompute, TensorAndContextRanksShareTheWork) {
  const GpuTimer timer = *GpuTimer::make(arithmetic_only(), Precision::kBf16);
  const ModelShape model = test::llama3_70b();
  const Duration alone = layer_times({.model = model}, 0, timer).total().forward;
  const Duration shared = layer_times({.model = model, .parallelism = {.tensor = 8}}, 0, timer).total().forward;
  EXPECT_NEAR(shared.seconds() * 8, alone.seconds(), alone.seconds() * 1e-3);
  const Duration split = layer_times({.model = model, .parallelism = {.context = 4}}, 0, timer).total().forward;
  EXPECT_NEAR(split.seconds() * 4, alone.seconds(), alone.seconds() * 1e-3);
}

TEST(LayerCompute, FusedAttentionSkipsTheMaskedHalfAndMakesScoresAgain) {
  const GpuTimer timer = *GpuTimer::make(arithmetic_only(), Precision::kBf16);
  TrainingJob job{.model = test::llama3_8b(), .attention = AttentionKernel::kUnfused};
  const PartTime whole = layer_times(job, 0, timer).attention_core;
  job.attention = AttentionKernel::kFused;
  const PartTime fused = layer_times(job, 0, timer).attention_core;
  EXPECT_NEAR(fused.forward.seconds(), whole.forward.seconds() / 2, whole.forward.seconds() * 1e-6);
  EXPECT_NEAR(fused.backward.seconds(), fused.forward.seconds() * 2.5, fused.forward.seconds() * 1e-6);
}

TEST(LayerCompute, AProductTakesTheLongerOfArithmeticAndMemory) {
  GpuModel gpu = arithmetic_only();
  gpu.memory_rate = 8'000_gbps;  // 1 TB/s
  const GpuTimer timer = *GpuTimer::make(gpu, Precision::kBf16);
  const Gemm square{.m = 4096, .n = 4096, .k = 4096};
  EXPECT_NEAR(timer.gemm(square).seconds(), 2.0 * 4096 * 4096 * 4096 / 100e12, 1e-9);
  const Gemm thin{.m = 1, .n = 4096, .k = 4096};  // a decoded token reads the whole matrix
  EXPECT_NEAR(timer.gemm(thin).seconds(), (4096.0 * 4096 + 2 * 4096) * 2 / 1e12, 1e-9);
  EXPECT_EQ(timer.memory_bound(1_gb), 1_ms);
}

TEST(LayerCompute, ShortSidesAreLessEfficientAndKernelsTakeTheirTime) {
  GpuModel gpu = arithmetic_only();
  gpu.gemm_peak_share = 0.8;
  gpu.gemm_half_length = 64;
  gpu.kernel_time = 3_us;
  const GpuTimer timer = *GpuTimer::make(gpu, Precision::kBf16);
  EXPECT_DOUBLE_EQ(timer.gemm_efficiency({.m = 192, .n = 192, .k = 192}), 0.8 / 2);
  EXPECT_GT(timer.gemm_efficiency({.m = 8192, .n = 8192, .k = 8192}),
            timer.gemm_efficiency({.m = 8192, .n = 8192, .k = 128}));
  const double work = 2.0 * 192 * 192 * 192 / (100e12 * 0.4);
  EXPECT_NEAR(timer.gemm({.m = 192, .n = 192, .k = 192}).seconds(), 3e-6 + work, 1e-11);
  EXPECT_EQ(timer.gemm({.m = 0, .n = 192, .k = 192}), Duration::zero());
}

TEST(LayerCompute, Fp8IsTwiceAsFastWhereTheGpuHasIt) {
  const Gemm square{.m = 4096, .n = 4096, .k = 4096};
  const Duration bf16 = GpuTimer::make(arithmetic_only(), Precision::kBf16)->gemm(square);
  EXPECT_EQ(GpuTimer::make(arithmetic_only(), Precision::kFp8)->gemm(square), (bf16 + 1_ps) / 2);
  GpuModel old = arithmetic_only();
  old.fp8_flops_per_second = 0;
  EXPECT_EQ(GpuTimer::make(old, Precision::kFp8).error().message, "GPU test has no fp8");
}

TEST(LayerCompute, SequenceParallelismSharesWhatTensorParallelismRepeats) {
  GpuModel gpu = arithmetic_only();
  gpu.memory_rate = 16'000_gbps;
  const GpuTimer timer = *GpuTimer::make(gpu, Precision::kBf16);
  TrainingJob job{.model = test::llama3_8b(), .parallelism = {.tensor = 8}};
  const PartTime repeated = layer_times(job, 0, timer).total();
  job.parallelism.sequence = SequenceParallel::kOn;
  const PartTime shared = layer_times(job, 0, timer).total();
  // Two norms (2 forward) and two residual sums (3 forward) of s h elements of 2 bytes, seven eighths of them saved.
  const double saved = 2.0 * (2 + 3) * 8192 * 4096 * 2 * 7 / 8 / 2e12;
  EXPECT_NEAR((repeated.forward - shared.forward).seconds(), saved, saved * 1e-6);
}

TEST(LayerCompute, WrongGpusAreRefused) {
  GpuModel gpu = arithmetic_only();
  gpu.gemm_peak_share = 1.5;
  EXPECT_FALSE(check_gpu(gpu));
  gpu = arithmetic_only();
  gpu.memory_rate = Rate::zero();
  EXPECT_FALSE(check_gpu(gpu));
  gpu = arithmetic_only();
  gpu.bf16_flops_per_second = 0;
  EXPECT_FALSE(check_gpu(gpu));
}

}  // namespace
}  // namespace weft::workload
