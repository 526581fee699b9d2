#include "study/compare/failure_study.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>

#include "base/format_quantity.h"
#include "fabric/topology/graph_query.h"
#include "study/assembly/build_topology.h"
#include "study/compare/comparison_plan.h"
#include "study/compare/failure_goodput.h"
#include "study/compare/failure_probe.h"
#include "study/compare/run_once.h"
#include "study/failures/component_counts.h"
#include "study/report/run_figures.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

using failures::FailureOutcome;
using failures::NetworkFailures;

constexpr std::array kAllCases = {FailureCase::kHostLink, FailureCase::kFabricLink, FailureCase::kFlapping,
                                  FailureCase::kDegraded, FailureCase::kLeaf,       FailureCase::kSpine,
                                  FailureCase::kManager,  FailureCase::kGpuSlow};

class FailureStudy {
 public:
  FailureStudy(const FailureTask& task, const FailureStudyOptions& options, const FailureKeepGoing& keep_going)
      : scenario_(task.scenario), options_(options), keep_going_(keep_going) {
    network_.name = task.name;
    network_.family = std::string(scenario::word_of(scenario_.fabric.family));
    network_.possible = task.reason.empty();
    network_.reason = task.reason;
  }

  std::optional<NetworkFailures> run() {
    if (!network_.possible) {
      return network_;
    }
    if (Result<void> ready = prepare(); !ready) {
      network_.possible = false;
      network_.reason = ready.error().message;
    } else {
      for (const FailureCase which : kAllCases) {
        if (which == FailureCase::kManager && network_.counts.managers == 0) {
          continue;
        }
        network_.outcomes.push_back(outcome(which));
        if (interrupted_) {
          return std::nullopt;
        }
      }
      add_certain_losses();
      const auto go_on = [this] { return keep_going_(run::Progress{}); };
      interrupted_ = !add_goodput(network_, scenario_, {.months = options_.months, .keep_going = go_on});
    }
    return interrupted_ ? std::nullopt : std::optional(std::move(network_));
  }

 private:
  Result<results::RunResults> simulate(const scenario::Scenario& scenario) {
    return run_once(scenario, {.keep_going = [this](const run::Progress& now) {
                      interrupted_ = interrupted_ || !keep_going_(now);
                      return !interrupted_;
                    }});
  }

  /// Of a run that has to end by itself.
  Result<results::RunResults> finished(const scenario::Scenario& scenario) {
    Result<results::RunResults> results = simulate(scenario);
    if (results && results->run.end != results::RunEnd::kFinished) {
      return fail("{}", results->run.error.empty() ? std::string(to_string(results->run.end)) : results->run.error);
    }
    return results;
  }

  Result<void> prepare() {
    Result<fabric::Graph> graph = assembly::build_topology(scenario_);
    if (!graph) {
      return pass_on(graph);
    }
    network_.library = scenario_.library.profile;
    network_.ack_timeout = scenario_.transport.ack_timeout;
    network_.retry_count = scenario_.transport.retry_count;
    network_.uses_queue_pairs = scenario::has_ib_transport(scenario_.fabric.family);
    if (!scenario::simulates_resweeps(scenario_.routing)) {
      network_.reroute_delay = scenario::reroute_delay_of(scenario_.routing).seconds();
    }
    if (scenario_.library.watchdog) {
      network_.watchdog = scenario_.library.watchdog->seconds();
    }
    network_.counts = failures::count_components(scenario_, *graph);
    Result<scenario::Scenario> probe = ring_probe(scenario_, *graph);
    if (!probe) {
      return pass_on(probe);
    }
    probe_ = std::move(*probe);
    Result<results::RunResults> healthy = finished(probe_);
    if (!healthy) {
      return pass_on(healthy);
    }
    ends_ = ring_ends(*healthy);
    healthy_ = usual_time(ends_);
    used_ = used_components(*healthy, *graph, manager_host(scenario_, *graph));
    graph_ = *std::move(graph);
    if (options_.runs_job && has_job()) {
      Result<double> step = step_of(job_scenario());
      if (!step) {
        return pass_on(step);
      }
      network_.step = *step;
    }
    return {};
  }

  [[nodiscard]] bool has_job() const { return std::ranges::any_of(scenario_.jobs, &scenario::JobSettings::runs_steps); }

  /// Without the failures and events that the scenario has of its own.
  [[nodiscard]] scenario::Scenario job_scenario() const {
    scenario::Scenario job = scenario_;
    job.failures.clear();
    job.events.clear();
    job.library.watchdog.reset();
    return job;
  }

  Result<double> step_of(const scenario::Scenario& scenario) {
    Result<results::RunResults> results = finished(scenario);
    return results ? Result<double>(report::work_time(*results).seconds()) : pass_on(results);
  }

  FailureOutcome outcome(FailureCase which) {
    FailureOutcome made{.kind = std::string(word_of(which))};
    describe(made, which);
    if (which == FailureCase::kGpuSlow) {
      slow_gpu(made);
      return made;
    }
    const std::optional<std::string> component = component_of(used_, which);
    if (!component) {
      made.known = false;
      made.reason = "no traffic of the ring crosses one";
      return made;
    }
    made.component = *component;
    watch_ring(made, which);
    if (made.known && !made.lost && which != FailureCase::kFlapping && which != FailureCase::kManager) {
      after_repair(made, which);
      step_during(made, which);
    }
    return made;
  }

  void describe(FailureOutcome& made, FailureCase which) const {
    const scenario::FailureRates& rates = scenario_.failure_rates;
    const failures::ComponentCounts& counts = network_.counts;
    const auto set = [&made](std::int64_t count, std::int64_t fit, Duration lasts) {
      made.count = count;
      made.fit = static_cast<double>(fit);
      made.lasts = lasts.seconds();
    };
    switch (which) {
      case FailureCase::kHostLink:
        return set(counts.host_links, rates.link_fit + rates.nic_fit, rates.link_repair);
      case FailureCase::kFabricLink:
        return set(counts.fabric_links, rates.link_fit, rates.link_repair);
      case FailureCase::kFlapping:
        return set(counts.fabric_links, rates.flap_fit, rates.flap_duration);
      case FailureCase::kDegraded:
        return set(counts.fabric_links, rates.degraded_fit, rates.degraded_repair);
      case FailureCase::kLeaf:
        return set(counts.leaves, rates.switch_fit, rates.switch_reboot);
      case FailureCase::kSpine:
        return set(counts.spines, rates.switch_fit, rates.switch_reboot);
      case FailureCase::kGpuSlow:
        return set(counts.gpus, rates.gpu_slow_fit, rates.gpu_slow_repair);
      case FailureCase::kManager:
        break;
    }
    // A cable has to fail while it is away.
    set(counts.managers, rates.manager_fit, rates.manager_takeover);
    made.fit *= std::min(1.0, rates.manager_takeover.seconds() / 3600 * 1e-9 *
                                  static_cast<double>(counts.fabric_links * rates.link_fit));
  }

  /// The failure in the middle of the ring's third operation.
  void watch_ring(FailureOutcome& made, FailureCase which) {
    const double at = ends_.size() > 2 ? ends_[1] + (ends_[2] - ends_[1]) / 2 : 0;
    scenario::Scenario failed = probe_;
    add_failure(failed, which, made.component, Duration::picoseconds(static_cast<std::int64_t>(at * 1e12)));
    const auto unknown = [&made](const Error& why) {
      made.known = false;
      made.reason = why.message;
    };
    if (!network_.reroute_delay) {
      const Result<std::optional<Duration>> rerouted = reroute_delay_of(failed, graph_);
      if (!rerouted) {
        return unknown(rerouted.error());
      }
      made.reroute_delay = *rerouted ? std::optional((*rerouted)->seconds()) : std::nullopt;
    }
    Result<results::RunResults> results = simulate(failed);
    if (!results) {
      return unknown(results.error());
    }
    const RingReading reading = read_ring(ring_ends(*results), at, healthy_);
    made.timeline = reading.timeline;
    if (results->run.end == results::RunEnd::kFinished) {
      made.stall = reading.stall;
      made.speed = reading.speed;
      if (which == FailureCase::kFlapping) {
        // One of its turns was run. Over all of them it has the speed that their stalls leave.
        const double period = probe_.failure_rates.flap_period.seconds();
        made.speed *= std::clamp(1 - made.stall / period, 0.0, 1.0);
      }
      return;
    }
    made.lost = results->run.end == results::RunEnd::kJobLost;
    made.known = made.lost;
    made.reason = made.lost ? std::string() : results->run.error;
    made.lost_after = results->run.ended_at.since_start().seconds() - at;
    for (const results::EventRow& row : results->events) {
      made.why = row.kind == "job-lost" ? row.text : made.why;
    }
  }

  /// The ring with the failure from the start, which is over after some operations.
  void after_repair(FailureOutcome& made, FailureCase which) {
    constexpr double kOperations = 2.5;
    scenario::Scenario repaired = probe_;
    const double until = kOperations * healthy_ / std::max(made.speed, 0.01);
    add_steady_failure(repaired, which, made.component, Duration::picoseconds(static_cast<std::int64_t>(until * 1e12)));
    if (Result<results::RunResults> results = finished(repaired); results) {
      made.speed_after = read_ring(ring_ends(*results), until, healthy_).speed;
    }
  }

  void step_during(FailureOutcome& made, FailureCase which) {
    if (!network_.step) {
      return;
    }
    scenario::Scenario job = job_scenario();
    add_steady_failure(job, which, made.component, std::nullopt);
    if (Result<double> step = step_of(job); step) {
      made.step_during = *step;
    }
  }

  void slow_gpu(FailureOutcome& made) {
    if (!network_.step) {
      made.known = false;
      made.reason = has_job() ? "the job was not run" : "no job computes";
      return;
    }
    scenario::Scenario job = job_scenario();
    // Every host's first GPU is of the job, or none is; one is enough.
    const auto own = std::ranges::find_if(job.jobs, &scenario::JobSettings::runs_steps);
    made.component = own->placement == scenario::Placement::kListed ? own->places.front() : "host0/gpu0";
    add_steady_failure(job, FailureCase::kGpuSlow, made.component, std::nullopt);
    Result<double> step = step_of(job);
    made.known = step.has_value();
    if (step) {
      made.step_during = *step;
    } else {
      made.reason = step.error().message;
    }
  }

  /// What no network can mend.
  void add_certain_losses() {
    const scenario::FailureRates& rates = scenario_.failure_rates;
    const auto add = [this](const char* kind, std::int64_t count, std::int64_t fit, const char* why) {
      network_.outcomes.push_back(
          {.kind = kind, .count = count, .fit = static_cast<double>(fit), .lost = true, .why = why});
    };
    add("gpu", network_.counts.gpus, rates.gpu_fit, "its rank is gone");
    add("host", network_.counts.hosts, rates.host_fit, "its ranks are gone");
    add("software", network_.counts.gpus, rates.software_fit, "its rank is gone");
  }

  const scenario::Scenario& scenario_;
  const FailureStudyOptions& options_;
  const FailureKeepGoing& keep_going_;
  NetworkFailures network_;
  fabric::Graph graph_;
  scenario::Scenario probe_;
  std::vector<double> ends_;
  double healthy_ = 0;
  UsedComponents used_;
  bool interrupted_ = false;
};

/// What can be built in place of a network, as settings of its scenario.
struct TopologyVariant {
  std::string name;
  std::vector<std::string> settings{};
  std::string reason{};  // why it cannot be; else empty
};

bool is_any_of(scenario::TopologyKind kind, std::initializer_list<scenario::TopologyKind> kinds) {
  return std::ranges::count(kinds, kind) > 0;
}

TopologyVariant with_one_more_spine(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  TopologyVariant made{.name = "one more spine"};
  if (scenario.topology.kind == scenario::TopologyKind::kFatTree) {
    made.reason = "the uplinks of a fat-tree's leaves follow from topology.radix; take a leaf-spine";
    return made;
  }
  const std::int64_t given = scenario.topology.spines;
  const std::int64_t spines = given > 0 ? given : fabric::switches_of_tier(graph, 2) / scenario.topology.planes;
  made.settings = {fmt::format("topology.spines={}", spines + 1)};
  return made;
}

/// Empty: not with this topology.
std::vector<TopologyVariant> variants_of(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  using scenario::TopologyKind;
  const scenario::TopologySettings& topology = scenario.topology;
  std::vector<TopologyVariant> variants;
  const bool takes_ports =
      is_any_of(topology.kind, {TopologyKind::kRailOptimised, TopologyKind::kLeafSpine, TopologyKind::kFatTree});
  if (takes_ports && topology.ports_per_nic == 1) {
    const Rate port = scenario.devices.link(scenario::LinkTier::kHost).rate;
    const std::vector<std::string> two = {
        "topology.ports_per_nic=2", "nic.ports=2", "routing.port_failover=true",
        "link.host.rate=" + to_string(Rate::bits_per_second(port.bits_per_second() / 2))};
    variants.push_back({.name = "dual ToR", .settings = two});
    if (topology.planes == 1) {
      variants.push_back({.name = "two planes", .settings = two});
      variants.back().settings.emplace_back("topology.planes=2");
    }
  }
  if (topology.spines > 0 || (takes_ports && fabric::switches_of_tier(graph, 2) > 0)) {
    variants.push_back(with_one_more_spine(scenario, graph));
  }
  return variants;
}

/// A tree whose racks have two leaves has room for half the hosts: it is built with fewer cables side by side, thus
/// with more switches above, or else of larger switches, the smallest that suffice. Errors: those of the network
/// itself, where there are none.
Result<scenario::Scenario> variant_scenario(const TopologyVariant& variant, const FabricChoice& choice,
                                            scenario::ScenarioRequest request, const scenario::Catalogue& catalogue,
                                            const fabric::Graph& base) {
  request.settings.insert(request.settings.end(), variant.settings.begin(), variant.settings.end());
  Result<scenario::Scenario> made = with_library(choice, request, catalogue);
  if (!made) {
    return made;
  }
  const bool is_tree = made->topology.kind == scenario::TopologyKind::kFatTree;
  if (is_tree && made->topology.hosts == 0) {
    const auto hosts = base.host_endpoints() / std::max<std::int64_t>(made->topology.nics_per_host, 1);
    request.settings.push_back(fmt::format("topology.hosts={}", hosts));
    made = with_library(choice, request, catalogue);
  }
  if (!made) {
    return made;
  }
  Result<fabric::Graph> graph = assembly::build_topology(*made);
  const std::int64_t ports = is_tree && made->topology.radix > 0 ? made->devices.switch_.ports : 0;
  const std::int64_t most = made->topology.parallel_links;
  for (std::int64_t radix = made->topology.radix; !graph && radix <= ports; radix += 2) {
    for (std::int64_t parallel = most; parallel >= 1; --parallel) {
      if (most % parallel != 0) {
        continue;
      }
      scenario::ScenarioRequest larger = request;
      larger.settings.push_back(fmt::format("topology.radix={}", radix));
      larger.settings.push_back(fmt::format("topology.parallel_links={}", parallel));
      Result<scenario::Scenario> next = with_library(choice, larger, catalogue);
      if (next && assembly::build_topology(*next)) {
        return next;
      }
    }
  }
  if (!graph) {
    return pass_on(graph);
  }
  return made;
}

void add_variants(std::vector<FailureTask>& tasks, const FabricChoice& choice, const scenario::ScenarioRequest& request,
                  const scenario::Catalogue& catalogue) {
  const scenario::Scenario base = tasks.back().scenario;
  const Result<fabric::Graph> graph = assembly::build_topology(base);
  if (!graph) {
    return;  // as the study of the network itself will say
  }
  for (const TopologyVariant& variant : variants_of(base, *graph)) {
    FailureTask task{.name = fmt::format("{}, {}", choice.name, variant.name), .reason = variant.reason};
    if (variant.reason.empty()) {
      Result<scenario::Scenario> made = variant_scenario(variant, choice, request, catalogue, *graph);
      if (made) {
        task.scenario = std::move(*made);
      } else {
        task.reason = made.error().message;
      }
    }
    tasks.push_back(std::move(task));
  }
}

}  // namespace

Result<scenario::Scenario> with_library(const FabricChoice& choice, scenario::ScenarioRequest request,
                                        const scenario::Catalogue& catalogue) {
  Result<scenario::Scenario> scenario = scenario_of(choice, request, catalogue);
  if (!scenario || scenario->sources.at("library.profile").origin != scenario::Origin::kDefault) {
    return scenario;
  }
  request.settings.push_back(fmt::format("library.profile={}", kUsualLibrary));
  return scenario_of(choice, std::move(request), catalogue);
}

Result<std::vector<FailureTask>> plan_failures(std::span<const FabricChoice> choices,
                                               const scenario::ScenarioRequest& request,
                                               const scenario::Catalogue& catalogue,
                                               const FailureStudyOptions& options) {
  std::vector<FailureTask> tasks;
  std::vector<Refusal> refusals;
  for (const FabricChoice& choice : choices) {
    FailureTask task{.name = choice.name};
    Result<scenario::Scenario> scenario = with_library(choice, request, catalogue);
    if (!scenario) {
      task.reason = scenario.error().message;
      refusals.push_back({.fabric = choice.name, .reason = task.reason});
      tasks.push_back(std::move(task));
      continue;
    }
    task.scenario = std::move(*scenario);
    tasks.push_back(std::move(task));
    if (options.variants) {
      add_variants(tasks, choice, request, catalogue);
    }
  }
  if (refusals.size() == choices.size()) {
    // What is wrong without any network is an error of the input, and no network's.
    Result<scenario::Scenario> own = scenario::load_scenario(request, catalogue);
    if (!own && std::ranges::all_of(refusals, [&](const Refusal& one) { return one.reason == own.error().message; })) {
      return pass_on(own);
    }
    return tl::unexpected<Error>(no_fabric_serves(refusals));
  }
  return tasks;
}

std::optional<NetworkFailures> study_failures(const FailureTask& task, const FailureStudyOptions& options,
                                              const FailureKeepGoing& keep_going) {
  return FailureStudy(task, options, keep_going).run();
}

}  // namespace weft::study::compare
