#include "study/scenario/fitting_parallelism.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "study/scenario/scenario_derive.h"
#include "study/scenario/step_work.h"
#include "workload/training/memory_estimate.h"

namespace weft::study::scenario {
namespace {

/// No model has more layers, heads or experts that could be divided.
constexpr std::int64_t kMostParts = 4096;

/// Divisors of a number up to kMostParts, ascending.
std::vector<std::int64_t> small_divisors(std::int64_t number) {
  std::vector<std::int64_t> divisors;
  for (std::int64_t divisor = 1; divisor <= std::min(number, kMostParts); ++divisor) {
    if (number % divisor == 0) {
      divisors.push_back(divisor);
    }
  }
  return divisors;
}

double doublings(std::int64_t from, std::int64_t to) {
  return std::abs(std::log2(static_cast<double>(to) / static_cast<double>(from)));
}

double distance(const TrainingSettings& asked, const TrainingSettings& other) {
  return doublings(asked.tensor, other.tensor) + doublings(asked.pipeline, other.pipeline) +
         doublings(asked.expert, other.expert);
}

bool is_legal(const TrainingSettings& training, std::int64_t ranks) {
  const workload::TrainingJob job = training_job_of(training);
  return training.global_batch % (training.data * training.micro_batch) == 0 && workload::check_job(job, ranks);
}

/// The legal divisions with this tp and pp.
void add_divisions(const JobSettings& job, BatchOrigin batch, TrainingSettings training,
                   std::vector<TrainingSettings>& divisions) {
  const std::int64_t copy = training.tensor * training.pipeline * training.context;
  if (job.ranks % copy != 0) {
    return;
  }
  training.data = job.ranks / copy;
  if (batch == BatchOrigin::kDerived) {
    training.global_batch = derived_global_batch(training);
  }
  training.expert = 1;
  // Whatever is wrong with one expert-parallel rank is wrong with several, so most are ruled out at once.
  if (!is_legal(training, job.ranks)) {
    return;
  }
  const std::int64_t experts = training.shape.experts ? training.shape.experts->count : 1;
  for (const std::int64_t expert : small_divisors(experts)) {
    training.expert = expert;
    if (training.data % expert == 0 && is_legal(training, job.ranks)) {
      divisions.push_back(training);
    }
  }
}

}  // namespace

std::optional<TrainingSettings> nearest_that_fits(const JobSettings& job, BatchOrigin batch) {
  const std::int64_t layers = training_job_of(job.training).model.layers;
  std::vector<TrainingSettings> divisions;
  for (const std::int64_t tensor : small_divisors(job.training.shape.heads)) {
    // Embedding and output layer may count as layers.
    for (std::int64_t pipeline = 1; pipeline <= std::min(layers + 2, kMostParts); ++pipeline) {
      TrainingSettings training = job.training;
      training.tensor = tensor;
      training.pipeline = pipeline;
      add_divisions(job, batch, training, divisions);
    }
  }
  const auto rank = [&job](const TrainingSettings& division) {
    return std::tuple(distance(job.training, division), division.tensor, division.pipeline, division.expert);
  };
  std::ranges::sort(divisions, {}, rank);
  const auto found = std::ranges::find_if(divisions, [](const TrainingSettings& division) {
    return workload::check_memory(training_job_of(division), division.gpu_model).has_value();
  });
  return found == divisions.end() ? std::nullopt : std::optional(*found);
}

std::string fitting_text(const JobSettings& job, BatchOrigin batch) {
  const std::optional<TrainingSettings> found = nearest_that_fits(job, batch);
  if (!found) {
    return fmt::format("no other division of the {} GPUs into tp, pp, dp and ep fits", job.ranks);
  }
  std::string text = fmt::format("tp = {}, pp = {}, dp = {}", found->tensor, found->pipeline, found->data);
  if (found->shape.experts) {
    text += fmt::format(", ep = {}", found->expert);
  }
  return fmt::format("{} on the same {} GPUs would fit", text, job.ranks);
}

}  // namespace weft::study::scenario
