#include "study/compare/run_task.h"

#include <algorithm>

#include "study/assembly/build_topology.h"
#include "study/compare/failure_probe.h"
#include "study/compare/failure_study.h"
#include "study/compare/probes.h"
#include "study/compare/run_once.h"
#include "study/report/run_figures.h"
#include "study/results/summary.h"
#include "study/run/composition_check.h"
#include "study/run/flow_run.h"

namespace weft::study::compare {
namespace {

/// Packet-hops that checking a composed step may take.
constexpr double kCheckHops = 8e6;

TaskFigures failed(const std::string& why) { return {.failed = why}; }

class Task {
 public:
  Task(const ComparisonTask& task, const KeepGoing& keep_going) : task_(task), keep_going_(keep_going) {}

  TaskFigures run() {
    switch (task_.kind) {
      case TaskKind::kJob:
      case TaskKind::kSlice:
      case TaskKind::kAblation:
      case TaskKind::kMisconfiguration:
        return job();
      case TaskKind::kSmallMessages:
        return small_messages();
      case TaskKind::kFault:
        return link_fault();
      case TaskKind::kFailures:
        return failures();
    }
    return failed("an unknown task");
  }

  [[nodiscard]] bool interrupted() const { return interrupted_; }

 private:
  /// Results of a run that came to an end, of its own or at its limit; else why not.
  Result<results::RunResults> simulate(
      const scenario::Scenario& scenario,
      const std::function<void(const run::Simulation&)>& look = [](const run::Simulation&) {}) {
    Result<results::RunResults> results =
        run_once(scenario, {.keep_going = [this](const run::Progress& now) { return !stop(now); }, .look = look});
    if (!results || results->run.end == results::RunEnd::kFinished || results->run.end == results::RunEnd::kTimeLimit) {
      return results;
    }
    interrupted_ = interrupted_ || results->run.end == results::RunEnd::kInterrupted;
    return fail("{}", results->run.error.empty() ? std::string(to_string(results->run.end)) : results->run.error);
  }

  bool stop(const run::Progress& now) {
    interrupted_ = interrupted_ || !keep_going_(now);
    return interrupted_;
  }

  /// At the flow level, with its error measured.
  TaskFigures job_as_flows() {
    Result<run::FlowRun> ran =
        run::run_as_flows(task_.scenario, {.keep_going = [this](const run::Progress& now) { return !stop(now); }});
    if (!ran) {
      return failed(ran.error().message);
    }
    results::RunResults& results = ran->results;
    if (results.run.end != results::RunEnd::kFinished && results.run.end != results::RunEnd::kTimeLimit) {
      interrupted_ = interrupted_ || results.run.end == results::RunEnd::kInterrupted;
      return failed(results.run.error.empty() ? std::string(to_string(results.run.end)) : results.run.error);
    }
    if (task_.detailed) {
      run::check_flow_steps(
          task_.scenario, ran->shares_links, kCheckHops, [this] { return !stop({}); }, results);
    }
    return {.time = report::work_time(results).seconds(), .run = report::run_figures(results)};
  }

  TaskFigures job() {
    if (task_.scenario.fidelity == scenario::Fidelity::kFlow) {
      return job_as_flows();
    }
    std::vector<report::TimelineSpan> timeline;
    Result<results::RunResults> results = simulate(task_.scenario, [&](const run::Simulation& simulation) {
      if (task_.detailed) {
        timeline = report::step_timeline(simulation);
      }
    });
    if (!results) {
      return failed(results.error().message);
    }
    if (task_.detailed) {
      run::check_steps(
          task_.scenario, kCheckHops, [this] { return !stop({}); }, *results);
    }
    report::RunFigures figures = report::run_figures(*results);
    if (const std::string caution = run::slice_caution(task_.scenario, *results); !caution.empty()) {
      figures.slice_caution = caution;
    }
    if (task_.detailed) {
      report::add_series(figures, *results);
      figures.timeline = std::move(timeline);
    }
    return {.time = report::work_time(*results).seconds(), .run = std::move(figures)};
  }

  static std::vector<Duration> small_latencies(const results::RunResults& results) {
    std::vector<Duration> values;
    for (const results::MessageRow& row : results.messages) {
      if (row.record.size == kSmallMessage && row.record.status == verbs::WcStatus::kSuccess) {
        values.push_back(results::latency_of(row.record));
      }
    }
    std::ranges::sort(values);
    return values;
  }

  static double at(const std::vector<Duration>& sorted, std::uint64_t per_mille) {
    const std::span<const Duration> values(sorted);
    return results::percentile(values, Probability::from_ratio({.numerator = per_mille, .denominator = 1000}))
               .seconds() *
           1e6;
  }

  TaskFigures small_messages() {
    Result<fabric::Graph> graph = assembly::build_topology(task_.scenario);
    if (!graph) {
      return failed(graph.error().message);
    }
    Result<results::RunResults> idle = simulate(idle_probe(task_.scenario, *graph));
    if (!idle) {
      return failed(idle.error().message);
    }
    const std::vector<Duration> alone = small_latencies(*idle);
    if (alone.empty()) {
      return failed("no small message arrived");
    }
    TaskFigures figures;
    report::SmallMessage& small = figures.small_message.emplace();
    small.idle = at(alone, 500);
    small.bytes = kSmallMessage.count();
    Result<results::RunResults> loaded = simulate(loaded_probe(task_.scenario, *graph, Load::kAllNics));
    if (!loaded && !interrupted_) {
      loaded = simulate(loaded_probe(task_.scenario, *graph, Load::kFirstNics));
    }
    const std::vector<Duration> beside = loaded ? small_latencies(*loaded) : std::vector<Duration>();
    if (beside.empty()) {
      small.loaded_failed = loaded ? "no small message arrived under load" : loaded.error().message;
      return figures;
    }
    small.loaded_p50 = at(beside, 500);
    small.loaded_p99 = at(beside, 990);
    small.loaded_p999 = at(beside, 999);
    small.count = beside.size();
    figures.jitter_us = at(beside, 999) - at(beside, 500);
    figures.small_message_cdf = report::distribution(beside);
    return figures;
  }

  static const results::PortRow* busiest_uplink(const results::RunResults& results) {
    const results::PortRow* busiest = nullptr;
    for (const results::PortRow& port : results.ports) {
      const bool between_switches =
          port.of_switch && port.peer.find("/port") != std::string::npos && port.peer.find("/nic") == std::string::npos;
      if (between_switches && (busiest == nullptr || port.tx_bytes > busiest->tx_bytes)) {
        busiest = &port;
      }
    }
    return busiest != nullptr && busiest->tx_bytes > 0 ? busiest : nullptr;
  }

  /// Of the ring alone: the job's own step under each failure is for `weft failures`.
  TaskFigures failures() {
    const std::optional<failures::NetworkFailures> found =
        study_failures({.name = task_.name, .scenario = task_.scenario}, {.variants = false, .runs_job = false},
                       [this](const run::Progress& now) { return !stop(now); });
    if (!found) {
      return failed("interrupted");
    }
    if (!found->possible) {
      return failed(found->reason);
    }
    report::FailureFigures figures{.goodput = found->drawn.goodput.mean,
                                   .low = found->drawn.goodput.mean - found->drawn.goodput.half,
                                   .high = found->drawn.goodput.mean + found->drawn.goodput.half,
                                   .formula = found->formula,
                                   .losses = found->drawn.interruptions.mean,
                                   .rates = task_.scenario.failure_rates.rates};
    for (const failures::FailureOutcome& outcome : found->outcomes) {
      if (outcome.known && outcome.lost && !outcome.component.empty()) {
        figures.lost_to = figures.lost_to ? *figures.lost_to + ", " + outcome.kind : outcome.kind;
      }
    }
    return {.failures = std::move(figures)};
  }

  static bool has_uplinks(const fabric::Graph& graph) {
    return std::ranges::any_of(graph.links, [&](const fabric::Link& link) {
      return graph[link.a.node].kind == fabric::NodeKind::kSwitch &&
             graph[link.b.node].kind == fabric::NodeKind::kSwitch;
    });
  }

  TaskFigures link_fault() {
    Result<fabric::Graph> graph = assembly::build_topology(task_.scenario);
    if (!graph) {
      return failed(graph.error().message);
    }
    if (!has_uplinks(*graph)) {
      return failed("this network has no link between switches that could fail");
    }
    const scenario::Scenario probe = fault_probe(task_.scenario, *graph);
    Result<results::RunResults> healthy = simulate(probe);
    if (!healthy) {
      return failed(healthy.error().message);
    }
    const results::PortRow* const link = busiest_uplink(*healthy);
    if (link == nullptr) {
      return failed("no message between the hosts that were tried crosses a link between switches");
    }
    const Duration usual = healthy->run.ended_at.since_start();
    const scenario::Scenario failing = with_failed_link(probe, link->name, usual);
    const Result<std::optional<Duration>> rerouted = reroute_delay_of(failing, *graph);
    if (!rerouted) {
      return failed(rerouted.error().message);
    }
    Result<results::RunResults> broken = simulate(failing);
    report::LinkFault fault{
        .link = link->name, .peer = link->peer, .reroute_delay = rerouted->value_or(Duration::zero()).seconds()};
    if (!broken) {
      fault.connections_lost = broken.error().message;
    } else if (broken->run.end == results::RunEnd::kTimeLimit) {
      fault.connections_lost = "messages did not arrive within 20 s";
    } else {
      fault.lost = (broken->run.ended_at.since_start() - usual).seconds();
      fault.messages_failed =
          static_cast<std::uint64_t>(std::ranges::count_if(broken->messages, [](const results::MessageRow& row) {
            return row.record.status != verbs::WcStatus::kSuccess;
          }));
    }
    return {.fault = std::move(fault)};
  }

  const ComparisonTask& task_;
  const KeepGoing& keep_going_;
  bool interrupted_ = false;
};

}  // namespace

std::optional<TaskFigures> run_task(const ComparisonTask& task, const KeepGoing& keep_going) {
  Task running(task, keep_going);
  TaskFigures figures = running.run();
  return running.interrupted() ? std::nullopt : std::optional(std::move(figures));
}

}  // namespace weft::study::compare
