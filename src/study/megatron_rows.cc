#include "study/megatron_rows.h"

#include <array>

#include "workload/training/memory_estimate.h"
#include "workload/training/model_flops.h"
#include "workload/training/step_estimate.h"

namespace weft::study {
namespace {

using workload::TrainingJob;

constexpr std::array<MegatronRow, 10> kRows{{
    {.model = "megatron-1_7b", .gpus = 32, .batch = 512, .teraflops = 137},
    {.model = "megatron-3_6b", .tensor = 2, .gpus = 64, .batch = 512, .teraflops = 138},
    {.model = "megatron-7_5b", .tensor = 4, .gpus = 128, .batch = 512, .teraflops = 142},
    {.model = "megatron-18_4b", .tensor = 8, .gpus = 256, .batch = 1024, .teraflops = 135},
    {.model = "megatron-39_1b", .tensor = 8, .pipeline = 2, .gpus = 512, .batch = 1536, .teraflops = 138},
    {.model = "megatron-76_1b", .tensor = 8, .pipeline = 4, .gpus = 1024, .batch = 1792, .teraflops = 140},
    {.model = "megatron-145_6b", .tensor = 8, .pipeline = 8, .gpus = 1536, .batch = 2304, .teraflops = 148},
    {.model = "megatron-310_1b", .tensor = 8, .pipeline = 16, .gpus = 1920, .batch = 2160, .teraflops = 155},
    {.model = "megatron-529_6b", .tensor = 8, .pipeline = 35, .gpus = 2520, .batch = 2520, .teraflops = 163},
    {.model = "megatron-1008b", .tensor = 8, .pipeline = 64, .gpus = 3072, .batch = 3072, .teraflops = 163},
}};

std::int64_t fewest_chunks(std::int64_t layers) {
  std::int64_t chunks = 2;
  while (layers % chunks != 0) {
    ++chunks;
  }
  return chunks;
}

void use_largest_micro_batch(TrainingJob& job, const workload::GpuModel& gpu) {
  const std::int64_t batch = job.batch.global / job.parallelism.data;
  TrainingJob larger = job;
  for (std::int64_t micro = 1; batch % micro == 0; micro *= 2) {
    larger.batch.micro = micro;
    if (!workload::check_memory(larger, gpu)) {
      return;
    }
    job.batch.micro = micro;
  }
}

}  // namespace

std::span<const MegatronRow> megatron_rows() { return kRows; }

Result<TrainingJob> job_of_row(const MegatronRow& row, const ModelCatalogue& catalogue, const workload::GpuModel& gpu) {
  auto model = catalogue.find_model(row.model);
  if (!model) {
    return pass_on(model);
  }
  TrainingJob job{
      .model = (*model)->shape,
      .parallelism = {.tensor = row.tensor, .pipeline = row.pipeline, .data = row.gpus / (row.tensor * row.pipeline)},
      .batch = {.global = row.batch, .micro = 1},
      .precision = workload::Precision::kFp16,
      .gradients = workload::GradientType::kBf16,
      .recomputation = workload::Recomputation::kFull,
      .attention = workload::AttentionKernel::kUnfused,
      .reduction = workload::GradientReduction::kAtEnd};
  if (row.pipeline > 1) {
    job.parallelism.virtual_stages = fewest_chunks(job.model.layers / row.pipeline);
  } else {
    use_largest_micro_batch(job, gpu);
  }
  return job;
}

workload::ClusterLinks megatron_cluster() {
  constexpr std::int64_t kPayloadPerMillion = 993'700;  // of InfiniBand with an MTU of 4096
  return {.gpus_per_host = 8,
          .scale_up = 1'920_gbps,
          .scale_up_latency = 2_us,
          .scale_out = Rate::bits_per_second(200'000 * kPayloadPerMillion),
          .scale_out_latency = 5_us};
}

Result<double> predicted_teraflops(const MegatronRow& row, const ModelCatalogue& catalogue,
                                   const workload::GpuModel& gpu) {
  const auto job = job_of_row(row, catalogue, gpu);
  if (!job) {
    return tl::unexpected<Error>(job.error());
  }
  auto plan = workload::TrainingPlan::make(*job, gpu, row.gpus);
  if (!plan) {
    return pass_on(plan);
  }
  auto estimate = workload::estimate_step(*plan, megatron_cluster());
  if (!estimate) {
    return pass_on(estimate);
  }
  const double flops = workload::recomputed_flops(job->model, workload::tokens_per_step(*job)).count;
  return flops / static_cast<double>(row.gpus) / estimate->total().seconds() * 1e-12;
}

}  // namespace weft::study
