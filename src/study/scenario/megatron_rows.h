// Ten published training runs on A100 GPUs: what the compute model is fitted on and checked against.
//
// Source: Narayanan et al. 2021 (SC'21), table 1: hosts of 8 A100 with NVLink 3 and 8 x 200 Gb/s HDR InfiniBand, full
// recomputation, fp16. The table has no micro-batch and no number of chunks; `job_of_row` states what is assumed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "study/scenario/model_catalogue.h"
#include "workload/training/link_costs.h"
#include "workload/training/training_job.h"

namespace weft::study::scenario {

struct MegatronRow {
  std::string_view model;
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t gpus = 1;
  std::int64_t batch = 1;
  double teraflops = 0;  // per GPU, published
};

/// The first five are those that a fit may see.
[[nodiscard]] std::span<const MegatronRow> megatron_rows();
inline constexpr std::size_t kFittedMegatronRows = 5;

/// Assumed: with a pipeline a micro-batch of 1 and the fewest chunks that interleaving allows and the layers divide
/// into; without one the largest power of two that divides the rank's batch and fits. Known: interleaving with
/// scatter-gather, gradients summed at the end, in fp16, and attention whose scores go through memory. Errors: an
/// unknown model.
[[nodiscard]] Result<workload::TrainingJob> job_of_row(const MegatronRow& row, const ModelCatalogue& catalogue,
                                                       const workload::GpuModel& gpu);

/// Its cluster: 240 GB/s inside a host, what collectives reach over NVLink 3; 200 Gb/s of InfiniBand at its share of
/// payload outside.
[[nodiscard]] workload::ClusterLinks megatron_cluster();

/// Tflop/s per GPU that the closed form of a step gives, counted as the table counts. Errors: job_of_row, a job that
/// does not run on this GPU.
[[nodiscard]] Result<double> predicted_teraflops(const MegatronRow& row, const ModelCatalogue& catalogue,
                                                 const workload::GpuModel& gpu);

/// The mean of the rows that a fit may see: the constant rate per GPU to be better than.
[[nodiscard]] double mean_of_fitted_rows();

/// All rows beside what weft and the constant rate say, in Markdown, with a sentence that sums up the errors. Errors: a
/// row's.
[[nodiscard]] Result<std::string> megatron_table(const ModelCatalogue& catalogue, const workload::GpuModel& gpu);

}  // namespace weft::study::scenario
