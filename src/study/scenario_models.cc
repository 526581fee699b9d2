#include "study/scenario_models.h"

#include <algorithm>

#include "study/fail_at.h"
#include "study/model_catalogue.h"
#include "study/step_work.h"
#include "study/training_report.h"
#include "workload/training/memory_estimate.h"

namespace weft::study {
namespace {

double value_of(Probability probability) {
  return static_cast<double>(probability.raw()) / static_cast<double>(Probability::kOne);
}

Result<void> fill_in_model(Scenario& scenario, std::size_t index, const ModelCatalogue& models) {
  TrainingSettings& training = scenario.jobs[index].training;
  const auto model = models.find_model(training.model);
  if (!model) {
    return fail_at(scenario, fmt::format("job[{}].model", index), "{}", model.error().message);
  }
  training.shape = (*model)->shape;
  return {};
}

Result<void> fill_in_gpu(Scenario& scenario, std::size_t index, const ModelCatalogue& models) {
  TrainingSettings& training = scenario.jobs[index].training;
  const auto path = fmt::format("job[{}].", index);
  const auto gpu = models.find_gpu(training.gpu);
  if (!gpu) {
    return fail_at(scenario, path + "gpu", "{}", gpu.error().message);
  }
  training.gpu_model = (*gpu)->gpu;
  if (training.efficiency) {
    training.gpu_model.gemm_peak_share = value_of(*training.efficiency);
  }
  if (const auto peak = workload::peak_flops_per_second(training.gpu_model, training.precision); !peak) {
    return fail_at(scenario, path + "precision", "{}", peak.error().message);
  }
  return {};
}

// What the model, the GPU and the number of ranks must have in common.
Result<void> check_work(const Scenario& scenario, std::size_t index) {
  const JobSettings& job = scenario.jobs[index];
  const TrainingSettings& training = job.training;
  const auto path = fmt::format("job[{}].", index);
  if (const auto work = make_step_work(job); !work) {
    return fail_at(scenario, path + (job.workload == JobWorkload::kHalo ? "grid" : "model"), "{}",
                   work.error().message);
  }
  if (!job.trains()) {
    return {};
  }
  if (const auto fits = workload::check_memory(training_job_of(training), training.gpu_model); !fits) {
    return fail_at(scenario, path + "model", "{}", fits.error().message);
  }
  return {};
}

}  // namespace

Result<void> fill_in_models(Scenario& scenario, const Catalogue& catalogue) {
  if (std::ranges::none_of(scenario.jobs, [](const JobSettings& job) { return job.runs_steps(); })) {
    return {};
  }
  Result<ModelCatalogue> models = ModelCatalogue::load(catalogue.directory());
  if (!models) {
    return pass_on(models);
  }
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSettings& job = scenario.jobs[i];
    if (!job.runs_steps()) {
      continue;
    }
    if (job.workload != JobWorkload::kHalo) {
      if (Result<void> filled = fill_in_model(scenario, i, *models); !filled) {
        return filled;
      }
    }
    if (Result<void> filled = fill_in_gpu(scenario, i, *models); !filled) {
      return filled;
    }
    if (Result<void> right = check_work(scenario, i); !right) {
      return right;
    }
  }
  return {};
}

}  // namespace weft::study
