#include "study/scenario/scenario_models.h"

#include <algorithm>

#include "study/scenario/fail_at.h"
#include "study/scenario/model_catalogue.h"
#include "study/scenario/step_work.h"
#include "workload/training/memory_estimate.h"

namespace weft::study::scenario {
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

template <class Quantity>
struct CatalogueCost {
  std::string path;    // of the scenario's key
  std::string listed;  // key of the catalogue's entry
  std::optional<Quantity> value;
};

/// The catalogue's value, where the scenario gives none.
template <class Quantity>
void fill_in_cost(Scenario& scenario, std::optional<Quantity>& target, const GpuEntry& gpu,
                  const CatalogueCost<Quantity>& cost) {
  if (target || !cost.value) {
    return;
  }
  target = cost.value;
  ValueSource& source = scenario.sources[cost.path];
  source.origin = Origin::kCatalogue;
  source.text = fmt::format("catalogue gpu/{}", gpu.gpu.name);
  const auto origin = std::ranges::find(gpu.origins, cost.listed, &ValueOrigin::key);
  if (origin != gpu.origins.end()) {
    source.mark = origin->mark;
    source.text += fmt::format(" ({}: {})", to_string(origin->mark), origin->source);
  }
}

template <class Tag>
std::optional<Milli<Tag>> times(const std::optional<Milli<Tag>>& each, std::int64_t count) {
  return each ? std::optional(Milli<Tag>{each->count * count}) : std::nullopt;
}

/// Prices and power of hosts and GPUs that the scenario does not give.
void fill_in_costs(Scenario& scenario, const GpuEntry& gpu) {
  const std::int64_t gpus = scenario.topology.gpus_per_host;
  HostSettings& host = scenario.devices.host;
  fill_in_cost<Money>(scenario, scenario.gpu.price, gpu, {"gpu.price", "price", gpu.costs.price});
  fill_in_cost<Power>(scenario, scenario.gpu.power, gpu, {"gpu.power", "power", gpu.costs.power});
  fill_in_cost<Money>(scenario, host.price, gpu, {"host.price", "host_price", times(gpu.costs.host_price, gpus)});
  fill_in_cost<Power>(scenario, host.power, gpu, {"host.power", "host_power", times(gpu.costs.host_power, gpus)});
}

Result<void> fill_in_gpu(Scenario& scenario, std::size_t index, const ModelCatalogue& models) {
  TrainingSettings& training = scenario.jobs[index].training;
  const auto path = fmt::format("job[{}].", index);
  const auto gpu = models.find_gpu(training.gpu);
  if (!gpu) {
    return fail_at(scenario, path + "gpu", "{}", gpu.error().message);
  }
  training.gpu_model = (*gpu)->gpu;
  fill_in_costs(scenario, **gpu);
  if (training.efficiency) {
    training.gpu_model.gemm_peak_share = value_of(*training.efficiency);
  }
  if (const auto peak = workload::peak_flops_per_second(training.gpu_model, training.precision); !peak) {
    return fail_at(scenario, path + "precision", "{}", peak.error().message);
  }
  return {};
}

/// What tensor-parallel ranks of decoding share.
bool divides(const workload::ModelShape& model, std::int64_t tensor) {
  return model.heads % tensor == 0 && model.feed_forward % tensor == 0 &&
         (!model.experts || model.experts->hidden % tensor == 0);
}

/// The key to blame for what the numbers of a job do not have in common: of those that the scenario gives, if it does.
std::string blamed_key(const Scenario& scenario, std::size_t index) {
  const JobSettings& job = scenario.jobs[index];
  const auto path = fmt::format("job[{}].", index);
  if (job.workload == JobWorkload::kHalo) {
    return path + "grid";
  }
  std::string_view what = "tp";  // all that decoding divides by
  if (job.trains()) {
    const workload::TrainingJob training = training_job_of(job.training);
    const auto fault = workload::parallel_fault(
        {.model = training.model, .parallelism = training.parallelism, .batch = training.batch, .ranks = job.ranks});
    what = !fault                            ? "model"
           : fault->what == "virtual stages" ? "interleave"
           : fault->what == "batch"          ? "global_batch"
                                             : fault->what;
  } else if (divides(job.training.shape, job.training.tensor)) {
    what = "model";
  }
  const auto source = scenario.sources.find(path + std::string(what));
  const bool given = source != scenario.sources.end() && source->second.origin != Origin::kDefault &&
                     source->second.origin != Origin::kDerived;
  return path + (given ? std::string(what) : "model");
}

// What the model, the GPU and the number of ranks must have in common.
Result<void> check_work(const Scenario& scenario, std::size_t index) {
  const JobSettings& job = scenario.jobs[index];
  const TrainingSettings& training = job.training;
  const auto path = fmt::format("job[{}].", index);
  if (const auto work = make_step_work(job); !work) {
    return fail_at(scenario, blamed_key(scenario, index), "{}", work.error().message);
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

}  // namespace weft::study::scenario
