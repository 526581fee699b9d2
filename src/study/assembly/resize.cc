#include "study/assembly/resize.h"

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
    return fail("scaling needs a scenario with one [[job]], which trains a model; found {} jobs", scenario.jobs.size());
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

/// Groups of at most `most` that make up `hosts`, rounded up to whole groups.
struct Groups {
  std::int64_t count = 1;
  std::int64_t size = 1;
};
Groups groups_of(std::int64_t hosts, std::int64_t most) {
  if (most <= 0 || hosts <= most) {
    return {.count = 1, .size = hosts};
  }
  return {.count = ceil_div(hosts, most), .size = most};
}

Result<void> resize_topology(scenario::TopologySettings& topology, std::int64_t hosts) {
  const std::int64_t given = topology.hosts_per_leaf > 0 ? topology.hosts_per_leaf
                             : topology.leaves > 0       ? topology.hosts / topology.leaves
                                                         : topology.hosts;
  switch (topology.kind) {
    case scenario::TopologyKind::kSingleSwitch:
    case scenario::TopologyKind::kDumbbell:
    case scenario::TopologyKind::kFatTree:
      topology.hosts = hosts;
      return {};
    case scenario::TopologyKind::kParkingLot:
      topology.hosts = ceil_div(hosts, topology.switches) * topology.switches;
      return {};
    case scenario::TopologyKind::kLeafSpine:
    case scenario::TopologyKind::kRailOptimised: {
      const Groups groups = groups_of(hosts, given);
      topology.leaves = topology.kind == scenario::TopologyKind::kLeafSpine ? groups.count : topology.leaves;
      topology.hosts_per_leaf = groups.size;
      topology.hosts = groups.count * groups.size;
      return {};
    }
    case scenario::TopologyKind::kFile:
      break;
  }
  return fail("scaling cannot grow a topology from a file");
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
