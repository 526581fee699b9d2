#include "study/compare/comparison_plan.h"

#include <fmt/core.h>

#include <algorithm>

#include "study/assembly/build_topology.h"
#include "study/assembly/resize.h"
#include "study/compare/ablations.h"
#include "study/compare/misconfigurations.h"
#include "study/compare/probes.h"
#include "study/results/results_key.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/value_codec.h"
#include "study/world/world.h"

namespace weft::study::compare {
namespace {

/// Longest probe of a composed step in ablations and misconfigurations, and the part of the job's packet-hops that one
/// of them may take for operations that share links: there are a few dozen of them.
constexpr Bytes kShortSlice{4 << 20};
constexpr std::int64_t kHopsPart = 4;
/// Between two samples of a detailed run.
constexpr Duration kSampleInterval = Duration::microseconds(20);

scenario::Scenario with_shorter_slices(scenario::Scenario scenario) {
  for (scenario::JobSettings& job : scenario.jobs) {
    job.training.slice = std::min(job.training.slice, kShortSlice);
    job.training.slice_hops /= kHopsPart;
  }
  scenario.output.sample_interval.reset();
  return scenario;
}

class Planner {
 public:
  explicit Planner(const ComparisonOptions& options) : options_(options) {}

  Result<void> add(std::size_t fabric, PlannedFabric& compared) {
    fabric_ = fabric;
    name_ = compared.choice.name;
    Result<fabric::Graph> graph = assembly::build_topology(compared.scenario);
    if (!graph) {
      compared.reason = graph.error().message;
      return {};
    }
    jobs(compared.scenario);
    put({.kind = TaskKind::kSmallMessages, .name = "small messages", .scenario = compared.scenario});
    if (graph->switches() > 1) {
      put({.kind = TaskKind::kFault, .name = "a failed link", .scenario = compared.scenario});
    }
    const scenario::Scenario slice = with_shorter_slices(compared.scenario);
    if (options_.explain || options_.risk) {
      put({.kind = TaskKind::kSlice, .name = "a slice", .scenario = slice});
    }
    if (options_.explain) {
      for (Ablation& ablation : ablations_of(slice, *graph)) {
        put({.kind = TaskKind::kAblation,
             .name = fmt::format("without {}", ablation.cause),
             .label = std::string(ablation.cause),
             .scenario = std::move(ablation.scenario)});
      }
    }
    return options_.risk ? risk(slice) : Result<void>();
  }

  std::vector<ComparisonTask> take() { return std::move(tasks_); }

 private:
  void put(ComparisonTask task) {
    task.fabric = fabric_;
    task.name = fmt::format("{}, {}", name_, task.name);
    task.key =
        results::figures_key(task.scenario, fmt::format("{} {} {}{}", options_.build, static_cast<int>(task.kind),
                                                        task.label, task.detailed ? " detailed" : ""));
    tasks_.push_back(std::move(task));
  }

  void jobs(const scenario::Scenario& scenario) {
    for (std::int64_t i = 0; i < options_.seeds; ++i) {
      ComparisonTask task{.kind = TaskKind::kJob, .name = fmt::format("seed {}", scenario.seed + i)};
      task.scenario = scenario;
      task.scenario.seed += i;
      task.detailed = i == 0;
      if (task.detailed && !task.scenario.output.sample_interval) {
        task.scenario.output.sample_interval = kSampleInterval;
      }
      put(std::move(task));
    }
  }

  Result<void> risk(const scenario::Scenario& slice) {
    if (Result<void> added = mistakes(slice, 0); !added) {
      return added;
    }
    for (const std::int64_t gpus : options_.sizes) {
      Result<scenario::Scenario> sized = assembly::resized(slice, {.gpus = gpus, .scaling = assembly::Scaling::kWeak});
      if (!sized) {
        return fail("{} GPUs: {}", gpus, sized.error().message);
      }
      put({.kind = TaskKind::kSlice, .name = fmt::format("{} GPUs", gpus), .gpus = gpus, .scenario = *sized});
      if (Result<void> added = mistakes(*sized, gpus); !added) {
        return fail("{} GPUs: {}", gpus, added.error().message);
      }
    }
    return {};
  }

  Result<void> mistakes(const scenario::Scenario& slice, std::int64_t gpus) {
    auto all = misconfigurations_of(slice);
    if (!all) {
      return pass_on(all);
    }
    for (Misconfiguration& mistake : *all) {
      put({.kind = TaskKind::kMisconfiguration,
           .name = gpus == 0 ? mistake.name : fmt::format("{} on {} GPUs", mistake.name, gpus),
           .label = mistake.name,
           .change = mistake.change,
           .gpus = gpus,
           .scenario = std::move(mistake.scenario)});
    }
    return {};
  }

  const ComparisonOptions& options_;
  std::size_t fabric_ = 0;
  std::string name_;
  std::vector<ComparisonTask> tasks_;
};

void add_chance(scenario::Scenario& scenario) {
  for (scenario::TrafficSettings& traffic : scenario.traffic) {
    if (traffic.start_jitter == Duration::zero()) {
      traffic.start_jitter = kUsualStartJitter;
    }
  }
  for (scenario::JobSettings& job : scenario.jobs) {
    scenario::StragglerSetting& own = job.training.straggler;
    if (job.runs_steps() && std::holds_alternative<workload::NoStragglers>(own.distribution)) {
      own.distribution = workload::UniformlySlow{.most = kUsualStragglers};
    }
  }
}

}  // namespace

Result<ComparisonPlan> plan_comparison(std::span<const FabricChoice> choices, const scenario::ScenarioRequest& request,
                                       const scenario::Catalogue& catalogue, const ComparisonOptions& options) {
  ComparisonPlan plan;
  Planner planner(options);
  for (const FabricChoice& choice : choices) {
    PlannedFabric fabric{.choice = choice, .scenario = {}, .reason = {}};
    Result<scenario::Scenario> scenario = scenario_of(choice, request, catalogue);
    if (scenario) {
      if (Result<void> has_traffic = scenario::check_has_traffic(*scenario); !has_traffic) {
        return pass_on(has_traffic);
      }
      fabric.scenario = *std::move(scenario);
      add_chance(fabric.scenario);
      if (Result<void> added = planner.add(plan.fabrics.size(), fabric); !added) {
        return pass_on(added);
      }
    } else {
      fabric.reason = scenario.error().message;
    }
    plan.fabrics.push_back(std::move(fabric));
  }
  plan.tasks = planner.take();
  if (plan.tasks.empty()) {
    return fail("{}", plan.fabrics.front().reason);
  }
  return plan;
}

}  // namespace weft::study::compare
