#include "study/scenario/megatron_rows.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <vector>

#include "workload/training/memory_estimate.h"
#include "workload/training/model_flops.h"
#include "workload/training/step_estimate.h"

namespace weft::study::scenario {
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

double mean_of_fitted_rows() {
  double sum = 0;
  for (const MegatronRow& row : megatron_rows().first(kFittedMegatronRows)) {
    sum += row.teraflops;
  }
  return sum / kFittedMegatronRows;
}

Result<std::string> megatron_table(const ModelCatalogue& catalogue, const workload::GpuModel& gpu) {
  const double constant = mean_of_fitted_rows();
  std::string table = fmt::format(
      "| row | model | TP x PP x DP | micro-batch, chunks | published | weft | error | constant {:.0f} |\n"
      "|---|---|---|---|---|---|---|---|\n",
      constant);
  std::vector<double> ours;
  std::vector<double> theirs;
  for (const MegatronRow& row : megatron_rows()) {
    const auto job = job_of_row(row, catalogue, gpu);
    auto predicted = predicted_teraflops(row, catalogue, gpu);
    if (!job || !predicted) {
      return pass_on(predicted);
    }
    ours.push_back(*predicted / row.teraflops - 1);
    theirs.push_back(constant / row.teraflops - 1);
    const workload::Parallelism& p = job->parallelism;
    table += fmt::format("| {} | {} | {} x {} x {} | {}, {} | {:.0f} | {:.1f} | {:+.1f} % | {:+.1f} % |\n", ours.size(),
                         row.model, p.tensor, p.pipeline, p.data, job->batch.micro, p.virtual_stages, row.teraflops,
                         *predicted, 100 * ours.back(), 100 * theirs.back());
  }
  const auto error = [](std::span<const double> errors) {
    double sum = 0;
    for (const double each : errors) {
      sum += each * each;
    }
    return 100 * std::sqrt(sum / static_cast<double>(errors.size()));
  };
  const auto rest = [](const std::vector<double>& errors) { return std::span(errors).subspan(kFittedMegatronRows); };
  return table +
         fmt::format(
             "\nWith `gemm_peak_share` {:.3f} and `gemm_half_length` {:.0f} the errors' root mean square is "
             "{:.2f} % in rows 1 to 5\nand {:.1f} % in rows 6 to 10, where a constant {:.0f} is off by {:.1f} %.\n",
             gpu.gemm_peak_share, gpu.gemm_half_length, error(std::span(ours).first(kFittedMegatronRows)),
             error(rest(ours)), constant, error(rest(theirs)));
}

}  // namespace weft::study::scenario
