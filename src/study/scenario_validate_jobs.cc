#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "study/fail_at.h"
#include "study/key_table.h"
#include "study/scenario_derive.h"

namespace weft::study {
namespace {

/// Ranks of one copy of the model.
std::int64_t ranks_of_a_copy(const TrainingSettings& training) {
  return training.tensor * training.context * training.pipeline;
}

// A key that does nothing is refused.
Result<void> validate_no_training(const Scenario& scenario, const std::string& path) {
  constexpr std::array<std::string_view, 5> kOfEveryJob = {"name", "gpus", "placement", "places", "model"};
  for (const Key& key : find_section("job")->keys) {
    const auto source = scenario.sources.find(path + std::string(key.name));
    const bool given = source != scenario.sources.end() &&
                       (source->second.origin == Origin::kFile || source->second.origin == Origin::kCase ||
                        source->second.origin == Origin::kSet);
    if (given && std::ranges::find(kOfEveryJob, key.name) == kOfEveryJob.end()) {
      return fail_at(scenario, path + std::string(key.name), "means nothing for a job without a model");
    }
  }
  return {};
}

Result<void> validate_parallelism(const Scenario& scenario, const JobSettings& job, const std::string& path) {
  const TrainingSettings& training = job.training;
  const std::int64_t copy = ranks_of_a_copy(training);
  if (copy * training.data != job.ranks) {
    return fail_at(scenario, path + "gpus",
                   "{} GPUs, but tp {} x cp {} x pp {} x dp {} = {}; the product must be the number of GPUs", job.ranks,
                   training.tensor, training.context, training.pipeline, training.data, copy * training.data);
  }
  if (training.data % training.expert != 0) {
    return fail_at(scenario, path + "ep", "{} does not divide dp, {}", training.expert, training.data);
  }
  if (training.zero == 2) {
    return fail_at(scenario, path + "zero", "2 is not modelled; one of 0, 1, 3");
  }
  const std::int64_t per_pass = training.data * training.micro_batch;
  if (training.global_batch % per_pass != 0) {
    return fail_at(scenario, path + "global_batch", "{} sequences, but dp {} x micro_batch {} = {} does not divide it",
                   training.global_batch, training.data, training.micro_batch, per_pass);
  }
  if (training.efficiency && *training.efficiency == Probability::zero()) {
    return fail_at(scenario, path + "efficiency", "a GPU of no efficiency never ends; above 0%");
  }
  return {};
}

}  // namespace

void derive_jobs(Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    JobSettings& job = scenario.jobs[i];
    TrainingSettings& training = job.training;
    if (!training.trains()) {
      continue;
    }
    const auto note = [&scenario, i](std::string_view key, std::string_view how) {
      scenario.sources[fmt::format("job[{}].{}", i, key)] = {.origin = Origin::kDerived,
                                                             .text = fmt::format("derived: {}", how)};
    };
    const std::int64_t copy = ranks_of_a_copy(training);
    if (training.data == 0) {
      training.data = std::max<std::int64_t>(job.ranks / copy, 1);
      note("dp", "gpus / (tp x cp x pp)");
    }
    if (job.ranks == 0) {
      job.ranks = copy * training.data;
      note("gpus", "tp x cp x pp x dp");
    }
    if (training.global_batch == 0) {
      training.global_batch = training.data * training.micro_batch * 4 * training.pipeline;
      note("global_batch", "dp x micro_batch x 4 pp");
    }
  }
}

Result<void> validate_jobs(const Scenario& scenario) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    const JobSettings& job = scenario.jobs[i];
    const auto path = fmt::format("job[{}].", i);
    if (!names.insert(job.name).second) {
      return fail_at(scenario, path + "name", "a second job '{}'", job.name);
    }
    if (job.ranks == 0) {
      return fail("{}: {}gpus: missing; a job without a model needs their number",
                  source_place(scenario, path + "name"), path);
    }
    const auto listed = static_cast<std::int64_t>(job.places.size());
    if (job.placement == Placement::kListed && listed != job.ranks) {
      return fail_at(scenario, path + "gpus", "{} GPUs and {} places; as many of both", job.ranks, listed);
    }
    Result<void> right =
        job.training.trains() ? validate_parallelism(scenario, job, path) : validate_no_training(scenario, path);
    if (!right) {
      return right;
    }
  }
  return {};
}

}  // namespace weft::study
