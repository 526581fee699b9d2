#include "study/assembly/resize.h"

#include "study/assembly/topology_table.h"

#include <algorithm>
#include <numeric>

namespace weft::study::assembly {
namespace {

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t copy_of(const scenario::TrainingSettings& training) {
  return training.tensor * training.context * training.pipeline;
}

Result<void> check_one_model(const scenario::Scenario& scenario) {
  if (scenario.jobs.size() != 1 || !scenario.jobs.front().trains()) {
    return fail(
        "scaling needs a scenario with one [[job]] that trains a model (job.model); found {} jobs, of which {} train "
        "one",
        scenario.jobs.size(), std::ranges::count_if(scenario.jobs, &scenario::JobSettings::trains));
  }
  if (scenario.jobs.front().placement == scenario::Placement::kListed) {
    return fail("scaling does not work with listed placement; set placement to packed, spread or random");
  }
  return {};
}

Result<void> resize_job(scenario::JobSettings& job, const Resize& resize) {
  scenario::TrainingSettings& training = job.training;
  const std::int64_t copy = copy_of(training);
  if (resize.gpus <= 0 || resize.gpus % copy != 0) {
    return fail("{} GPUs is not a multiple of one model copy: tp {} x cp {} x pp {} = {} GPUs", resize.gpus,
                training.tensor, training.context, training.pipeline, copy);
  }
  const std::int64_t data = resize.gpus / copy;
  if (resize.scaling == Scaling::kWeak) {
    training.global_batch = training.global_batch / training.data * data;
  } else if (training.global_batch % (data * training.micro_batch) != 0) {
    return fail("{} GPUs: a global batch of {} is not a multiple of dp {} x micro_batch {}", resize.gpus,
                training.global_batch, data, training.micro_batch);
  }
  training.expert = std::gcd(training.expert, data);
  training.data = data;
  job.ranks = resize.gpus;
  return {};
}

}  // namespace

Result<std::int64_t> smallest_size(const scenario::Scenario& scenario) {
  if (Result<void> right = check_one_model(scenario); !right) {
    return pass_on(right);
  }
  return copy_of(scenario.jobs.front().training);
}

Result<scenario::Scenario> resized(const scenario::Scenario& scenario, const Resize& resize) {
  if (Result<void> right = check_one_model(scenario); !right) {
    return pass_on(right);
  }
  scenario::Scenario made = scenario;
  if (Result<void> right = resize_job(made.jobs.front(), resize); !right) {
    return pass_on(right);
  }
  const std::int64_t per_host = std::max<std::int64_t>(scenario.topology.gpus_per_host, 1);
  if (Result<void> right = resize_topology(made.topology, ceil_div(resize.gpus, per_host)); !right) {
    return pass_on(right);
  }
  return made;
}

}  // namespace weft::study::assembly
