#include "study/compare/comparison_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "study/assembly/build_topology.h"
#include "study/assembly/resize.h"
#include "study/compare/ablations.h"
#include "study/compare/failure_probe.h"
#include "study/compare/failure_study.h"
#include "study/compare/misconfigurations.h"
#include "study/compare/probes.h"
#include "study/results/results_key.h"
#include "study/scenario/scenario_scale_up.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/value_codec.h"
#include "study/world/world.h"
#include "wire/memory_format.h"

namespace weft::study::compare {
namespace {

/// Longest probe of a composed step in ablations and misconfigurations, and the part of the job's packet-hops that one
/// of them may take for operations that share links: there are a few dozen of them.
constexpr Bytes kShortSlice{4 << 20};
constexpr std::int64_t kHopsPart = 4;
/// Between two samples of a detailed run.
constexpr Duration kSampleInterval = Duration::microseconds(20);

}  // namespace

scenario::Scenario with_shorter_slices(scenario::Scenario scenario) {
  for (scenario::JobSettings& job : scenario.jobs) {
    job.training.slice = std::min(job.training.slice, kShortSlice);
    job.training.slice_hops /= kHopsPart;
  }
  scenario.output.sample_interval.reset();
  return scenario;
}

namespace {

/// Packet-hops of one fabric's quick answer, at most: some tens of seconds of one core. Worlds of more hosts take
/// longer for a packet-hop, since less of them is in the processor's caches.
double quick_hops(const fabric::Graph& graph) {
  constexpr std::uint32_t kLargeWorld = 256;  // endpoints
  return graph.host_endpoints() < kLargeWorld ? 50e6 : 12e6;
}

/// Each unit is an event on each of its links, and a GPU's links carry ten times what its NIC does. Larger ones cut
/// through as early, and take turns on a port less often.
void take_larger_units(scenario::ScaleUpSettings& settings) {
  constexpr std::int64_t kUnitsInABuffer = 8;
  const bool switched = settings.kind == scenario::ScaleUpKind::kSwitch;
  const Bytes room =
      std::min({settings.gpu_buffer, settings.load_window, switched ? settings.switch_buffer : settings.gpu_buffer}) /
      kUnitsInABuffer;
  for (scenario::ScaleUpSettings larger = settings; larger.unit * 2 <= Bytes(wire::kLargestMemoryUnit);) {
    larger.unit = larger.unit * 2;
    if (scenario::largest_packet(larger) > room) {
      return;
    }
    settings.unit = larger.unit;
  }
}

/// As `with_shorter_slices`, but with larger units of scale-up links where it is much work, and with slices of the
/// whole comparison where these are little: stages of a hierarchical operation overlap less in short ones. And shorter
/// still where those would be too much for a first answer and half of a slice is less: probes around rings have as many
/// chunks however short the slice is.
scenario::Scenario with_quick_slices(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  constexpr Bytes kShortest{256 << 10};
  constexpr double kWorthwhile = 0.9;
  constexpr double kLittle = 0.2;
  scenario::Scenario made = with_shorter_slices(scenario);
  const double most = quick_hops(graph);
  for (scenario::JobSettings& job : made.jobs) {
    job.training.slice_hops = std::min(job.training.slice_hops, static_cast<std::int64_t>(most));
  }
  Result<run::HopsEstimate> estimate = run::estimate_hops(made, graph);
  if (estimate && estimate->least > kLittle * most) {
    take_larger_units(made.scale_up);
    estimate = run::estimate_hops(made, graph);
  }
  scenario::Scenario longer = made;
  for (std::size_t i = 0; i < longer.jobs.size(); ++i) {
    longer.jobs[i].training.slice = scenario.jobs[i].training.slice;
  }
  const Result<run::HopsEstimate> of_longer = run::estimate_hops(longer, graph);
  if (estimate && of_longer && of_longer->least <= most && of_longer->least - estimate->least < kLittle * most) {
    return longer;
  }
  for (scenario::JobSettings& job : made.jobs) {
    scenario::TrainingSettings& training = job.training;
    while (training.slice > kShortest && estimate && estimate->least > most) {
      const Bytes before = training.slice;
      training.slice = before / 2;
      Result<run::HopsEstimate> less = run::estimate_hops(made, graph);
      if (less && less->least > kWorthwhile * estimate->least) {
        training.slice = before;
        break;
      }
      estimate = std::move(less);
    }
  }
  return made;
}

class Planner {
 public:
  explicit Planner(const ComparisonOptions& options) : options_(options) {}

  /// `failing`: the same with the timeouts of its library; none: failures are not asked for.
  Result<void> add(std::size_t fabric, PlannedFabric& compared, const std::optional<scenario::Scenario>& failing) {
    fabric_ = fabric;
    name_ = compared.choice.name;
    Result<fabric::Graph> graph = assembly::build_topology(compared.scenario);
    if (!graph) {
      compared.reason = graph.error().message;
      return {};
    }
    graph_ = &*graph;
    if (options_.quick) {
      put({.kind = TaskKind::kSlice, .name = "a slice", .scenario = with_quick_slices(compared.scenario, *graph)});
      return {};
    }
    if (Result<void> added = jobs(compared.scenario); !added) {
      return added;
    }
    if (at_flow_level()) {
      return other_sizes(compared.scenario);
    }
    put({.kind = TaskKind::kSmallMessages, .name = "small messages", .scenario = compared.scenario});
    if (graph->switches() > 1) {
      put({.kind = TaskKind::kFault, .name = "a failed link", .scenario = compared.scenario});
    }
    if (failing) {
      put({.kind = TaskKind::kFailures, .name = "failures", .scenario = *failing});
    }
    if (Result<void> added = other_sizes(compared.scenario); !added) {
      return added;
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

  /// Every fabric has its first figures early.
  std::vector<ComparisonTask> take() {
    std::vector<std::size_t> place(tasks_.size());
    std::map<std::size_t, std::size_t> of_fabric;
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      place[i] = of_fabric[tasks_[i].fabric]++;
    }
    std::vector<std::size_t> order(tasks_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&place](std::size_t i) { return place[i]; });
    std::vector<ComparisonTask> ordered;
    for (const std::size_t i : order) {
      ordered.push_back(std::move(tasks_[i]));
    }
    return ordered;
  }

  [[nodiscard]] const std::map<std::int64_t, run::LevelChoice>& levels() const { return levels_; }

 private:
  void put(ComparisonTask task) {
    task.fabric = fabric_;
    task.name = fmt::format("{}, {}", name_, task.name);
    task.hops = hops_of(task);
    task.key =
        results::figures_key(task.scenario, fmt::format("{} {} {}{}", options_.build, static_cast<int>(task.kind),
                                                        task.label, task.detailed ? " detailed" : ""));
    tasks_.push_back(std::move(task));
  }

  /// Tasks that differ only in settings of protocols are about as much work as one another; one that leaves out other
  /// traffic is less.
  run::HopsEstimate hops_of(const ComparisonTask& task) {
    if (task.kind == TaskKind::kSmallMessages) {
      return estimated(loaded_probe(task.scenario, *graph_, Load::kAllNics));
    }
    if (task.kind == TaskKind::kFailures) {
      // About two rings for each kind.
      const Result<scenario::Scenario> ring = ring_probe(task.scenario, *graph_);
      const run::HopsEstimate once = ring ? estimated(*ring) : run::HopsEstimate{};
      constexpr double kRings = 2.0 * kFailureCases;
      return {.least = kRings * once.least, .most = kRings * once.most};
    }
    if (task.kind == TaskKind::kFault) {
      const run::HopsEstimate once = estimated(fault_probe(task.scenario, *graph_));
      return {.least = 2 * once.least, .most = 2 * once.most};
    }
    if (task.scenario.jobs.empty()) {
      return estimated(task.scenario);
    }
    const scenario::TrainingSettings& training = task.scenario.jobs.front().training;
    const auto [known, is_new] =
        of_slice_.try_emplace(std::tuple(task.scenario.fabric.mtu, training.slice, training.slice_hops, task.gpus,
                                         training.fidelity, task.scenario.fidelity, task.scenario.traffic.size()));
    if (is_new) {
      known->second = estimated(task.scenario);
    }
    return known->second;
  }

  run::HopsEstimate estimated(const scenario::Scenario& scenario) {
    const Result<run::HopsEstimate> estimate = run::estimate_hops(scenario, *graph_);
    return estimate ? *estimate : run::HopsEstimate{};
  }

  /// The scenario at the level that is chosen for its size.
  Result<scenario::Scenario> levelled(const scenario::Scenario& scenario, std::int64_t gpus) {
    if (!options_.level) {
      return scenario;
    }
    if (!levels_.contains(gpus)) {
      Result<run::LevelChoice> choice = options_.level(scenario);
      if (!choice) {
        return pass_on(choice);
      }
      levels_.emplace(gpus, *std::move(choice));
    }
    scenario::Scenario made = run::at_level(scenario, levels_.at(gpus).level);
    if (made.fidelity == scenario::Fidelity::kFlow) {
      made.output.sample_interval.reset();
    }
    return made;
  }

  [[nodiscard]] bool at_flow_level() const {
    const auto own = levels_.find(0);
    return own != levels_.end() && own->second.level == run::Level::kFlow;
  }

  Result<void> jobs(const scenario::Scenario& own) {
    Result<scenario::Scenario> scenario = levelled(own, 0);
    if (!scenario) {
      return pass_on(scenario);
    }
    for (std::int64_t i = 0; i < options_.seeds; ++i) {
      ComparisonTask task{.kind = TaskKind::kJob, .name = fmt::format("seed {}", scenario->seed + i)};
      task.scenario = *scenario;
      task.scenario.seed += i;
      task.detailed = i == 0;
      if (task.detailed && !task.scenario.output.sample_interval && !at_flow_level()) {
        task.scenario.output.sample_interval = kSampleInterval;
      }
      put(std::move(task));
    }
    return {};
  }

  /// The job itself on clusters of other sizes, under the first seed.
  Result<void> other_sizes(const scenario::Scenario& scenario) {
    for (const std::int64_t gpus : options_.sizes) {
      Result<scenario::Scenario> sized =
          assembly::resized(scenario, {.gpus = gpus, .scaling = assembly::Scaling::kWeak});
      if (!sized) {
        return fail("{} GPUs: {}", gpus, sized.error().message);
      }
      sized = levelled(*sized, gpus);
      if (!sized) {
        return fail("{} GPUs: {}", gpus, sized.error().message);
      }
      put({.kind = TaskKind::kJob, .name = fmt::format("{} GPUs", gpus), .gpus = gpus, .scenario = *std::move(sized)});
    }
    return {};
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
           .of = mistake.of,
           .fault = mistake.fault,
           .gpus = gpus,
           .scenario = std::move(mistake.scenario)});
    }
    return {};
  }

  const ComparisonOptions& options_;
  std::size_t fabric_ = 0;
  std::string name_;
  const fabric::Graph* graph_ = nullptr;
  std::map<std::tuple<std::int64_t, Bytes, std::int64_t, std::int64_t, scenario::StepFidelity, scenario::Fidelity,
                      std::size_t>,
           run::HopsEstimate>
      of_slice_;
  std::vector<ComparisonTask> tasks_;
  std::map<std::int64_t, run::LevelChoice> levels_;
};

}  // namespace

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

Error no_fabric_serves(std::span<const Refusal> refusals) {
  std::vector<Refusal> reasons;
  for (const Refusal& refusal : refusals) {
    const auto same = std::ranges::find(reasons, refusal.reason, &Refusal::reason);
    if (same == reasons.end()) {
      reasons.push_back(refusal);
    } else {
      same->fabric += ", " + refusal.fabric;
    }
  }
  std::string why;
  for (const Refusal& reason : reasons) {
    why += why.empty() ? " " : "; ";
    why += reasons.size() == 1 ? reason.reason : fmt::format("{}: {}", reason.fabric, reason.reason);
  }
  return Error{"no fabric can serve this scenario:" + why};
}

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
      std::optional<scenario::Scenario> failing;
      if (options.failures) {
        Result<scenario::Scenario> made = with_library(choice, request, catalogue);
        failing = made ? std::optional(std::move(*made)) : std::nullopt;
      }
      if (Result<void> added = planner.add(plan.fabrics.size(), fabric, failing); !added) {
        return pass_on(added);
      }
    } else {
      fabric.reason = scenario.error().message;
    }
    plan.fabrics.push_back(std::move(fabric));
  }
  plan.tasks = planner.take();
  plan.levels = planner.levels();
  plan.quick = options.quick;
  if (plan.tasks.empty()) {
    std::vector<Refusal> refusals;
    for (const PlannedFabric& fabric : plan.fabrics) {
      refusals.push_back({.fabric = fabric.choice.name, .reason = fabric.reason});
    }
    return tl::unexpected(no_fabric_serves(refusals));
  }
  return plan;
}

}  // namespace weft::study::compare
