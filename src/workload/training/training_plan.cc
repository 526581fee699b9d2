#include "workload/training/training_plan.h"

#include "workload/training/model_flops.h"

namespace weft::workload {

Result<TrainingPlan> TrainingPlan::make(const TrainingJob& job, const GpuModel& gpu, std::int64_t ranks) {
  if (auto checked = check_job(job, ranks); !checked) {
    return pass_on(checked);
  }
  auto timer = GpuTimer::make(gpu, job.precision);
  if (!timer) {
    return pass_on(timer);
  }
  return TrainingPlan(job, gpu, *timer);
}

TrainingPlan::TrainingPlan(const TrainingJob& job, const GpuModel& gpu, const GpuTimer& timer)
    : job_(job),
      gpu_(gpu),
      timer_(timer),
      groups_(job.parallelism, job.model.embeddings),
      dense_(layer_times(job, -1, timer)),
      embedding_(embedding_time(job, timer)),
      output_(output_time(job, timer)) {
  if (job.model.experts) {
    with_experts_ = layer_times(job, job.model.layers, timer);
  }
}

double model_flops_utilisation(const TrainingPlan& plan, Duration step) {
  WEFT_ASSERT(step > Duration::zero());
  const TrainingJob& job = plan.job();
  const auto peak = peak_flops_per_second(plan.gpu(), job.precision);
  WEFT_ASSERT(peak);
  const double available = static_cast<double>(*peak) * static_cast<double>(job.parallelism.world()) * step.seconds();
  return model_flops(job.model, tokens_per_step(job)).count / available;
}

double tokens_per_second(const TrainingPlan& plan, Duration step) {
  WEFT_ASSERT(step > Duration::zero());
  return static_cast<double>(tokens_per_step(plan.job())) / step.seconds();
}

}  // namespace weft::workload
