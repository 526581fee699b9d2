#include "cli/run_case.h"

#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <ctime>
#include <optional>

#include "base/file.h"
#include "cli/case_text.h"
#include "cli/run_interrupt.h"
#include "cli/run_memory.h"
#include "live/clock.h"
#include "study/results/chrome_trace.h"
#include "study/run/collector.h"
#include "study/run/composition_check.h"
#include "study/run/flow_corrections_file.h"
#include "study/run/flow_probe.h"
#include "study/run/flow_run.h"
#include "study/run/flow_simulation.h"
#include "study/run/shared_results.h"
#include "study/run/training_run.h"
#include "study/run/whole_step.h"
#include "workload/training/critical_path.h"

namespace weft::cli {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text.data();
}

std::uint64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

struct RunTimes {
  Duration setup;
  Duration run;
};

/// With what can be told of the present moment.
study::results::MachineInfo machine_info(const RunTimes& times, std::uint32_t threads) {
  return {.setup_time = times.setup,
          .run_time = times.run,
          .peak_memory = peak_memory(),
          .threads = threads,
          .finished_at = utc_now()};
}

/// Of a Simulation or a FlowSimulation.
template <class Ended>
Result<void> write_timeline(const std::string& path, const Ended& simulation) {
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const study::run::TrainingRun* const training = simulation.training(job);
    if (training == nullptr) {
      continue;
    }
    std::string text;
    const auto critical = workload::find_critical_path(training->log(), training->log_communicators());
    study::results::write_chrome_trace(
        training->log(),
        {.job = simulation.jobs()[job].name, .communicators = training->log_communicators(), .path = &critical},
        [&](std::string_view piece) { text += piece; });
    return write_file(path, text);
  }
  return fail("--timeline: no job of this scenario runs steps");
}

/// What is known of the error of composed steps: measured, and what their slices met.
void judge_composition(const study::scenario::Scenario& scenario, double most_hops,
                       study::results::RunResults& results) {
  if (interrupted()) {
    return;
  }
  if (most_hops > 0) {
    study::run::check_steps(
        scenario, most_hops, [] { return !interrupted(); }, results);
  }
  const std::string caution = study::run::slice_caution(scenario, results);
  for (study::results::StepRow& step : results.steps) {
    if (step.fidelity == "composed" && !caution.empty()) {
      step.composition_check += (step.composition_check.empty() ? "" : "; ") + caution;
    }
  }
}

/// At the flow level, with its probes.
Result<study::results::RunResults> run_flow_case(const study::scenario::Scenario& scenario, const RunCase& options) {
  const live::Clock clock;
  if (!options.captures.empty()) {
    return fail("fidelity = \"flow\": there are no packets to capture; set fidelity = \"packet\"");
  }
  std::optional<Time> ready;  // the first of both samples
  Result<void> timeline;
  Result<study::run::FlowRun> ran = fail("");
  {
    ProgressBar bar(stderr, options.progress);
    ran = study::run::run_as_flows(
        scenario, {.key = options.key,
                   .version = WEFT_VERSION,
                   .corrections = options.corrections.value_or(flow::Corrections()),
                   .keep_going =
                       [&](const study::run::Progress& progress) {
                         bar.update([&](Duration elapsed) { return facts_of(options.name, progress, elapsed); });
                         options.watch(progress);
                         return !interrupted();
                       },
                   .on_ready = [&] { ready = ready.value_or(clock.now()); },
                   .on_steps =
                       [&](const study::run::FlowSimulation& simulation) {
                         if (!options.timeline.empty()) {
                           timeline = write_timeline(options.timeline, simulation);
                         }
                       }});
  }
  if (!ran) {
    return pass_on(ran);
  }
  study::results::RunResults& results = ran->results;
  if (!options.timeline.empty() && results.steps.empty() && results.run.end == study::results::RunEnd::kFinished) {
    timeline = fail("--timeline: no job of this scenario runs steps");
  }
  if (!timeline) {
    if (!options.on_unwritten) {
      return pass_on(timeline);
    }
    options.on_unwritten(timeline.error());
  }
  const Time began = ready.value_or(clock.now());
  results.machine = machine_info({.setup = began.since_start(), .run = clock.now() - began}, 1);
  if (!results.steps.empty() && options.check_hops > 0 && !interrupted()) {
    study::run::check_flow_steps(
        scenario, ran->shares_links, options.check_hops, [] { return !interrupted(); }, results);
    results.run.flow_error = results.steps.front().composition_error;
  }
  const study::run::FlowCheck check = study::run::probe_flow_level(
      scenario, *ran, [] { return !interrupted(); }, options.corrections.value_or(flow::Corrections()));
  results.run.flow_error = check.error;
  results.run.flow_check = check.what + (ran->sampled.empty() ? "" : "; " + ran->sampled);
  if (options.corrections) {
    results.run.flow_check += "; corrections: " + study::run::describe(*options.corrections);
  }
  return std::move(results);
}

/// The first error of any process is that of all.
Result<void> agree(sim::Peers& peers, const Result<void>& own) {
  std::vector<std::string> told;
  if (!peers.gather(own ? std::string() : own.error().message, told)) {
    return fail("{}", peers.why());
  }
  if (!own) {
    return own;
  }
  const auto failed = std::ranges::find_if(told, [](const std::string& error) { return !error.empty(); });
  return failed == told.end() ? Result<void>() : fail("{}", *failed);
}

Result<void> check_room(const study::scenario::Scenario& scenario, const RunCase& options) {
  const bool is_checked = options.memory == RunCase::Memory::kChecked;
  if (options.peers == nullptr) {
    return !is_checked ? Result<void>() : options.need ? check_memory(*options.need) : check_memory(scenario);
  }
  // Each lays out the whole network.
  std::optional<MemoryNeed> need = is_checked ? memory_need(scenario) : std::nullopt;
  if (need) {
    need->estimated *= options.processes_here;
  }
  return agree(*options.peers, need ? check_memory(*need) : Result<void>());
}

/// The first process gets what the others have counted. Where one of them is gone the results say so already.
Result<void> share_results(const study::run::Simulation& simulation, sim::Peers& peers,
                           study::results::RunResults& results) {
  std::vector<std::string> messages(peers.count());
  if (peers.own_number() != 0) {
    study::run::keep_own_results(simulation, results);
    Result<std::string> text = case_text(results);
    messages.front() = text ? *std::move(text) : kFailure + text.error().message;
    return peers.exchange(messages) ? Result<void>() : fail("{}", peers.why());
  }
  if (!peers.exchange(messages)) {
    results.run.end = study::results::RunEnd::kError;
    results.run.error = peers.why();
    return {};
  }
  std::vector<study::results::RunResults> others;
  for (const std::string& text : messages) {
    std::optional<CaseResult> other = text.starts_with(kFailure) ? std::nullopt : parse_case(text);
    if (!other || !*other) {
      return fail("the results of another rank cannot be read: {}",
                  text.starts_with(kFailure) ? text.substr(1) : std::string("not a file of results"));
    }
    others.push_back(**std::move(other));
  }
  study::run::join_results(simulation, std::move(others), results);
  return {};
}

/// What could not be written beside the results: the run's error, unless somebody is told of it.
Result<void> or_tell(const RunCase& options, Result<void> written) {
  if (!written && options.on_unwritten) {
    options.on_unwritten(written.error());
    return {};
  }
  return written;
}

/// Among the processes that share the run, if they can, and threads; whether they share it. Errors: in any process but
/// the first, they do not.
Result<bool> deal_partitions(const RunCase& options, study::run::Simulation& simulation) {
  const std::uint32_t threads = options.threads.most;
  const std::string why =
      options.peers == nullptr ? std::string("there are none") : simulation.share(*options.peers, threads);
  if (why.empty()) {
    return true;
  }
  if (options.peers != nullptr) {
    if (options.peers->own_number() != 0) {
      return fail("{}", why);
    }
    options.on_alone(why);
  }
  simulation.set_threads(threads);
  return false;
}

/// Beside the results; nothing where it was not asked for.
Result<std::unique_ptr<study::run::CaptureTap>> open_captures(const study::scenario::Scenario& scenario,
                                                              const RunCase& options,
                                                              study::run::Simulation& simulation) {
  if (options.captures.empty()) {
    return std::unique_ptr<study::run::CaptureTap>();
  }
  return study::run::CaptureTap::open(simulation.world(), static_cast<std::uint64_t>(scenario.seed), options.captures);
}

/// Who watches the run, and what there is to say of it.
void tell(const RunCase& options, const study::run::Progress& progress, ProgressBar& bar) {
  options.watch(progress);
  if (const std::optional<std::string> line = options.remark(progress); line) {
    bar.clear();
    fmt::print(stderr, "{}\n", *line);
  }
}

}  // namespace

Result<study::results::RunResults> run_case(const study::scenario::Scenario& scenario, const RunCase& options) {
  if (scenario.fidelity == study::scenario::Fidelity::kFlow) {
    return run_flow_case(scenario, options);
  }
  const live::Clock clock;
  if (Result<void> fits = check_room(scenario, options); !fits) {
    return pass_on(fits);
  }
  study::run::Collector collector;
  auto simulation = [&] {
    const EndsAtOnce setting_up;
    return study::run::Simulation::create(scenario, collector, study::run::Payload::kLengths,
                                          study::world::Division::kWhereItPays, options.threads.most);
  }();
  if (!simulation) {
    return pass_on(simulation);
  }
  auto tap = open_captures(scenario, options, **simulation);
  if (!tap) {
    return pass_on(tap);
  }
  collector.watch(**simulation);
  Result<bool> is_shared = deal_partitions(options, **simulation);
  if (!is_shared) {
    return pass_on(is_shared);
  }
  const Time ready = clock.now();
  study::run::Simulation::End end{};
  {
    ProgressBar bar(stderr, options.progress);
    end = (*simulation)->run([&](const study::run::Progress& progress) {
      bar.update([&](Duration elapsed) { return facts_of(options.name, progress, elapsed); });
      tell(options, progress, bar);
      return !interrupted();
    });
  }
  const Time done = clock.now();
  study::results::RunResults results =
      collector.finish(end, {.key = options.key, .version = WEFT_VERSION}, [] { return !interrupted(); });
  if (*is_shared && !(*simulation)->has_lost_peer()) {
    if (Result<void> joined = share_results(**simulation, *options.peers, results); !joined) {
      return pass_on(joined);
    }
  }
  if (Result<void> closed = or_tell(options, *tap != nullptr ? (*tap)->close() : Result<void>()); !closed) {
    return pass_on(closed);
  }
  if (results.run.end == study::results::RunEnd::kFinished && !interrupted()) {
    if (const std::optional<study::scenario::Scenario> whole = study::run::with_every_packet(scenario, **simulation);
        whole) {
      RunCase again = options;
      again.composed = &results;
      again.peers = nullptr;  // steps are not shared
      return run_case(*whole, again);
    }
    if (options.composed != nullptr) {
      study::run::keep_collectives(*options.composed, **simulation, results);
    }
  }
  if (!options.timeline.empty() && results.run.end == study::results::RunEnd::kFinished) {
    if (Result<void> written = or_tell(options, write_timeline(options.timeline, **simulation)); !written) {
      return pass_on(written);
    }
  }
  judge_composition(scenario, options.check_hops, results);
  const std::uint32_t processes = *is_shared ? options.peers->count() + 1 : 1;
  results.machine =
      machine_info({.setup = ready.since_start(), .run = done - ready}, (*simulation)->world().threads() * processes);
  return results;
}

}  // namespace weft::cli
