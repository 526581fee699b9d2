#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "study/scenario/fail_at.h"
#include "study/scenario/family.h"
#include "study/scenario/key_table.h"
#include "study/scenario/scenario_derive.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

/// Ranks of one copy of the model; keys that mean nothing for the workload have their defaults, 1.
std::int64_t ranks_of_a_copy(const TrainingSettings& training) {
  return training.tensor * training.context * training.pipeline;
}

std::int64_t ranks_of(const HaloSettings& halo) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  std::int64_t ranks = 1;
  for (const std::int64_t side : halo.grid) {
    ranks = std::min(ranks * side, kMost);
  }
  return ranks;
}

// A key that does nothing is refused.
Result<void> validate_no_steps(const Scenario& scenario, const std::string& path) {
  constexpr std::array<std::string_view, 6> kOfEveryJob = {"name", "gpus", "placement", "places", "workload", "model"};
  for (const Key& key : find_section("job")->keys) {
    const auto source = scenario.sources.find(path + std::string(key.name));
    const bool given = source != scenario.sources.end() &&
                       (source->second.origin == Origin::kFile || source->second.origin == Origin::kCase ||
                        source->second.origin == Origin::kSet);
    if (given && std::ranges::find(kOfEveryJob, key.name) == kOfEveryJob.end()) {
      return fail_at(scenario, path + std::string(key.name), "has no effect for a job without a model");
    }
  }
  return {};
}

Result<void> validate_copies(const Scenario& scenario, const JobSettings& job, const std::string& path) {
  const TrainingSettings& training = job.training;
  if (training.model.empty()) {
    return fail_at(scenario, path + "model", "missing; workload = \"decode\" needs a model");
  }
  if (training.tensor * training.data != job.ranks) {
    return fail_at(scenario, path + "gpus", "{} GPUs, but tp {} x dp {} = {}; the product must be the number of GPUs",
                   job.ranks, training.tensor, training.data, training.tensor * training.data);
  }
  return {};
}

// "host3/gpu0"; whether there is such a GPU is known when the hosts are.
bool is_gpu(std::string_view place) {
  constexpr std::string_view kMark = "/gpu";
  const std::size_t slash = place.find(kMark);
  if (slash == std::string_view::npos || slash == 0) {
    return false;
  }
  const std::string_view number = place.substr(slash + kMark.size());
  return !number.empty() && number.size() <= 6 &&
         std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
}

Result<void> validate_places(const Scenario& scenario, const JobSettings& job, const std::string& path) {
  const auto listed = static_cast<std::int64_t>(job.places.size());
  if (listed != job.ranks) {
    return fail_at(scenario, path + "gpus", "{} GPUs and {} places; as many of both", job.ranks, listed);
  }
  const auto wrong = std::ranges::find_if_not(job.places, is_gpu);
  if (wrong != job.places.end()) {
    return fail_at(scenario, path + "places", "element {}: '{}' is no GPU, such as 'host3/gpu0'",
                   wrong - job.places.begin() + 1, *wrong);
  }
  return {};
}

Result<void> validate_grid(const Scenario& scenario, const JobSettings& job, const std::string& path) {
  const HaloSettings& halo = job.halo;
  if (halo.grid.size() != 3) {
    return fail_at(scenario, path + "grid", "{} numbers; 3, the ranks along x, y and z, such as [4, 2, 2]",
                   halo.grid.size());
  }
  if (halo.block.size() != 3) {
    return fail_at(scenario, path + "block", "{} numbers; 3, the cells of a rank along x, y and z", halo.block.size());
  }
  if (ranks_of(halo) != job.ranks) {
    return fail_at(scenario, path + "grid", "{} x {} x {} = {} ranks, but the job has {} GPUs", halo.grid[0],
                   halo.grid[1], halo.grid[2], ranks_of(halo), job.ranks);
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
  return {};
}

Result<void> validate_work(const Scenario& scenario, const JobSettings& job, const std::string& path) {
  if (!job.runs_steps()) {
    return validate_no_steps(scenario, path);
  }
  if (job.training.efficiency && *job.training.efficiency == Probability::zero()) {
    return fail_at(scenario, path + "efficiency", "0% would never finish; must be above 0%");
  }
  const HostSettings& host = scenario.devices.host;
  const Family family = scenario.fabric.family;
  if (host.model == HostModel::kStages && host.memory == MemoryKind::kGpu && is_over_tcp(family)) {
    return fail_at(scenario, "host.memory",
                   "GPU buffers are modelled for RDMA families only; with {}, set memory = \"host\"", word_of(family));
  }
  switch (job.workload) {
    case JobWorkload::kTraining:
      return validate_parallelism(scenario, job, path);
    case JobWorkload::kDecode:
      return validate_copies(scenario, job, path);
    case JobWorkload::kHalo:
      break;
  }
  return validate_grid(scenario, job, path);
}

}  // namespace

std::int64_t derived_global_batch(const TrainingSettings& training) {
  return training.data * training.micro_batch * 4 * training.pipeline;
}

void derive_jobs(Scenario& scenario) {
  for (std::size_t i = 0; i < scenario.jobs.size(); ++i) {
    JobSettings& job = scenario.jobs[i];
    TrainingSettings& training = job.training;
    if (!job.runs_steps()) {
      continue;
    }
    const auto note = [&scenario, i](std::string_view key, std::string_view how) {
      scenario.sources[fmt::format("job[{}].{}", i, key)] = {.origin = Origin::kDerived,
                                                             .text = fmt::format("derived: {}", how)};
    };
    if (!job.trains()) {
      training.fidelity = StepFidelity::kPacket;
      note("fidelity", "its messages are small");
    }
    if (job.workload == JobWorkload::kHalo) {
      if (job.ranks == 0) {
        job.ranks = ranks_of(job.halo);
        note("gpus", "the grid's ranks");
      }
      continue;
    }
    const std::int64_t copy = ranks_of_a_copy(training);
    if (training.data == 0) {
      training.data = std::max<std::int64_t>(job.ranks / copy, 1);
      note("dp", "gpus / (tp x cp x pp)");
    }
    if (job.ranks == 0) {
      job.ranks = copy * training.data;
      note("gpus", "tp x cp x pp x dp");
    }
    if (job.trains() && training.global_batch == 0) {
      training.global_batch = derived_global_batch(training);
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
    if (job.placement == Placement::kListed) {
      if (Result<void> right = validate_places(scenario, job, path); !right) {
        return right;
      }
    }
    if (Result<void> right = validate_work(scenario, job, path); !right) {
      return right;
    }
  }
  return {};
}

}  // namespace weft::study::scenario
