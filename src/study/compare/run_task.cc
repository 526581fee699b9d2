#include "study/compare/run_task.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "study/assembly/build_topology.h"
#include "study/compare/probes.h"
#include "study/compare/run_once.h"
#include "study/report/comparison_keys.h"
#include "study/report/run_figures.h"
#include "study/results/summary.h"
#include "study/run/composition_check.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

/// Packet-hops that checking a composed step may take.
constexpr double kCheckHops = 4e6;

Json failed(const std::string& why) { return Json{{"failed", why}}; }

class Task {
 public:
  Task(const ComparisonTask& task, const std::function<bool()>& keep_going) : task_(task), keep_going_(keep_going) {}

  Json run() {
    switch (task_.kind) {
      case TaskKind::kJob:
      case TaskKind::kSlice:
      case TaskKind::kAblation:
      case TaskKind::kMisconfiguration:
        return job();
      case TaskKind::kSmallMessages:
        return small_messages();
      case TaskKind::kFault:
        return fault();
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
        run_once(scenario, {.keep_going = [this](const run::Progress&) { return !stop(); }, .look = look});
    if (!results || results->run.end == results::RunEnd::kFinished || results->run.end == results::RunEnd::kTimeLimit) {
      return results;
    }
    interrupted_ = interrupted_ || results->run.end == results::RunEnd::kInterrupted;
    return fail("{}", results->run.error.empty() ? std::string(to_string(results->run.end)) : results->run.error);
  }

  bool stop() {
    interrupted_ = interrupted_ || !keep_going_();
    return interrupted_;
  }

  Json job() {
    Json timeline = Json::array();
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
          task_.scenario, kCheckHops, [this] { return !stop(); }, *results);
    }
    Json json = report::run_figures(*results);
    if (const std::string caution = run::slice_caution(task_.scenario, *results); !caution.empty()) {
      json[report::key::kSliceCaution] = caution;
    }
    if (task_.detailed) {
      json.update(report::run_series(*results));
      json["timeline"] = std::move(timeline);
    }
    return json;
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

  Json small_messages() {
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
    Json json{{report::key::kSmallMessage, {{report::key::kIdle, at(alone, 500)}, {"bytes", kSmallMessage.count()}}}};
    Result<results::RunResults> loaded = simulate(loaded_probe(task_.scenario, *graph, Load::kAllNics));
    if (!loaded && !interrupted_) {
      loaded = simulate(loaded_probe(task_.scenario, *graph, Load::kFirstNics));
    }
    const std::vector<Duration> beside = loaded ? small_latencies(*loaded) : std::vector<Duration>();
    if (beside.empty()) {
      json[report::key::kSmallMessage]["loaded_failed"] =
          loaded ? "no small message arrived under load" : loaded.error().message;
      return json;
    }
    json[report::key::kSmallMessage][report::key::kLoadedMedian] = at(beside, 500);
    json[report::key::kSmallMessage][report::key::kLoadedP99] = at(beside, 990);
    json[report::key::kSmallMessage][report::key::kLoadedP999] = at(beside, 999);
    json[report::key::kSmallMessage]["count"] = beside.size();
    json[report::key::kJitter] = at(beside, 999) - at(beside, 500);
    json["cdf_small_message"] = report::distribution(beside);
    return json;
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

  Json fault() {
    Result<fabric::Graph> graph = assembly::build_topology(task_.scenario);
    if (!graph) {
      return failed(graph.error().message);
    }
    const scenario::Scenario probe = fault_probe(task_.scenario, *graph);
    Result<results::RunResults> healthy = simulate(probe);
    if (!healthy) {
      return failed(healthy.error().message);
    }
    const results::PortRow* const link = busiest_uplink(*healthy);
    if (link == nullptr) {
      return failed("no traffic of the probe crosses a link between switches");
    }
    const Duration usual = healthy->run.ended_at.since_start();
    Result<results::RunResults> broken = simulate(with_failed_link(probe, link->name, usual));
    Json json{{"link", link->name},
              {"peer", link->peer},
              {report::key::kRerouteDelay, task_.scenario.routing.reroute_delay.seconds()}};
    if (!broken) {
      json[report::key::kConnectionsLost] = broken.error().message;
    } else if (broken->run.end == results::RunEnd::kTimeLimit) {
      json[report::key::kConnectionsLost] = "messages did not arrive within 20 s";
    } else {
      json[report::key::kFaultLost] = (broken->run.ended_at.since_start() - usual).seconds();
      const std::size_t lost =
          static_cast<std::size_t>(std::ranges::count_if(broken->messages, [](const results::MessageRow& row) {
            return row.record.status != verbs::WcStatus::kSuccess;
          }));
      json[report::key::kMessagesFailed] = lost;
    }
    return Json{{"fault", json}};
  }

  const ComparisonTask& task_;
  const std::function<bool()>& keep_going_;
  bool interrupted_ = false;
};

}  // namespace

std::optional<Json> run_task(const ComparisonTask& task, const std::function<bool()>& keep_going) {
  Task running(task, keep_going);
  Json figures = running.run();
  return running.interrupted() ? std::nullopt : std::optional(std::move(figures));
}

}  // namespace weft::study::compare
