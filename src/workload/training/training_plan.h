// A training job made ready to run: checked, its communicators named, its compute times known. Shared by all ranks.
#pragma once

#include <memory>

#include "workload/training/layer_compute.h"
#include "workload/training/rank_groups.h"

namespace weft::workload {

class TrainingPlan {
 public:
  /// Errors: check_job for `ranks`, check_gpu, a precision that the GPU does not have.
  [[nodiscard]] static Result<TrainingPlan> make(const TrainingJob& job, const GpuModel& gpu, std::int64_t ranks);

  [[nodiscard]] const TrainingJob& job() const { return job_; }
  [[nodiscard]] const GpuModel& gpu() const { return gpu_; }
  [[nodiscard]] const GpuTimer& timer() const { return timer_; }
  [[nodiscard]] const RankGroups& groups() const { return groups_; }
  [[nodiscard]] const LayerTimes& times_of_layer(std::int64_t layer) const {
    return has_experts(job_.model, layer) ? with_experts_ : dense_;
  }
  [[nodiscard]] PartTime embedding() const { return embedding_; }
  [[nodiscard]] PartTime output() const { return output_; }

 private:
  TrainingPlan(const TrainingJob& job, const GpuModel& gpu, const GpuTimer& timer);

  TrainingJob job_;
  GpuModel gpu_;
  GpuTimer timer_;
  RankGroups groups_;
  LayerTimes dense_{};
  LayerTimes with_experts_{};
  PartTime embedding_{};
  PartTime output_{};
};

/// Share of the GPUs' peak that a step of this time makes of the model's operations ("MFU"); time above 0.
[[nodiscard]] double model_flops_utilisation(const TrainingPlan& plan, Duration step);
[[nodiscard]] double tokens_per_second(const TrainingPlan& plan, Duration step);

}  // namespace weft::workload
