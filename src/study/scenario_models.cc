#include "study/scenario_models.h"

#include <algorithm>

#include "study/fail_at.h"
#include "study/model_catalogue.h"
#include "study/training_report.h"
#include "workload/training/memory_estimate.h"

namespace weft::study {
namespace {

double value_of(Probability probability) {
  return static_cast<double>(probability.raw()) / static_cast<double>(Probability::kOne);
}

Result<void> fill_in(Scenario& scenario, std::size_t index, const ModelCatalogue& models) {
  JobSettings& job = scenario.jobs[index];
  TrainingSettings& training = job.training;
  const auto path = fmt::format("job[{}].", index);
  const auto model = models.find_model(training.model);
  if (!model) {
    return fail_at(scenario, path + "model", "{}", model.error().message);
  }
  const auto gpu = models.find_gpu(training.gpu);
  if (!gpu) {
    return fail_at(scenario, path + "gpu", "{}", gpu.error().message);
  }
  training.shape = (*model)->shape;
  training.gpu_model = (*gpu)->gpu;
  if (training.efficiency) {
    training.gpu_model.gemm_peak_share = value_of(*training.efficiency);
  }
  if (const auto peak = workload::peak_flops_per_second(training.gpu_model, training.precision); !peak) {
    return fail_at(scenario, path + "precision", "{}", peak.error().message);
  }
  if (Result<void> right = workload::check_job(training_job_of(training), job.ranks); !right) {
    return fail_at(scenario, path + "model", "{}", right.error().message);
  }
  if (const auto fits = workload::check_memory(training_job_of(training), training.gpu_model); !fits) {
    return fail_at(scenario, path + "model", "{}", fits.error().message);
  }
  return {};
}

}  // namespace

Result<void> fill_in_models(Scenario& scenario, const Catalogue& catalogue) {
  if (std::ranges::none_of(scenario.jobs, [](const JobSettings& job) { return job.training.trains(); })) {
    return {};
  }
  Result<ModelCatalogue> models = ModelCatalogue::load(catalogue.directory());
  if (!models) {
    return pass_on(models);
  }
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    if (scenario.jobs[i].training.trains()) {
      if (Result<void> filled = fill_in(scenario, i, *models); !filled) {
        return filled;
      }
    }
  }
  return {};
}

}  // namespace weft::study
