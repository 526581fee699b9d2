#include "study/report/comparison_of_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/assert.h"
#include "study/report/comparison_document.h"
#include "study/report/topology_of_run.h"
#include "study/results_steps.h"
#include "study/summary.h"

namespace weft::study {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kCurvePoints = 200;

double microseconds(Duration value) { return value.seconds() * 1e6; }

/// Names that tell the runs apart.
std::vector<std::string> names_of(std::span<const RunResults> runs) {
  std::map<std::string, int> uses;
  std::vector<std::string> names;
  for (const RunResults& results : runs) {
    names.push_back(results.run.case_name.empty() ? results.run.family : results.run.case_name);
    ++uses[names.back()];
  }
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (uses[names[i]] > 1) {
      names[i] += fmt::format(", seed {}", runs[i].run.seed);
    }
  }
  std::map<std::string, int> seen;
  for (std::string& name : names) {
    if (const int before = seen[name]++; before > 0) {
      name += fmt::format(", run {}", before + 1);
    }
  }
  return names;
}

/// What all runs agree on, and "several" for what they do not.
template <class Member>
std::string common(std::span<const RunResults> runs, const Member& member) {
  const std::string first = member(runs.front().run);
  const bool same = std::ranges::all_of(runs, [&](const RunResults& results) { return member(results.run) == first; });
  return same ? first : "several";
}

Json scenario_json(std::span<const RunResults> runs) {
  Json scenario{{"name", common(runs, [](const RunInfo& run) { return run.scenario; })},
                {"hardware", common(runs, [](const RunInfo& run) { return run.hardware; })},
                {"topology", common(runs, [](const RunInfo& run) {
                   return fmt::format("{}: {} hosts, {} switches", run.topology, run.hosts, run.switches);
                 })}};
  Json seeds = Json::array();
  for (const RunResults& results : runs) {
    if (std::ranges::find(seeds, Json(results.run.seed)) == seeds.end()) {
      seeds.push_back(results.run.seed);
    }
  }
  scenario["seed"] = seeds.front();
  scenario["seeds"] = seeds;
  std::string jobs;
  for (const StepRow& step : runs.front().steps) {
    jobs += fmt::format("{}{} on {} x {}: {}", jobs.empty() ? "" : "; ",
                        step.model.empty() ? step.workload : step.model, step.gpus, step.gpu, step.parallelism);
  }
  if (jobs.empty()) {
    for (const JobRow& job : runs.front().jobs) {
      jobs += fmt::format("{}{}: {} ranks", jobs.empty() ? "" : "; ", job.name, job.ranks.size());
    }
  }
  if (!jobs.empty()) {
    scenario["job"] = jobs;
  }
  return scenario;
}

void add_step(Json& fabric, const StepRow& step) {
  fabric["step_time_s"] = step.time.seconds();
  fabric["compute_s"] = step.compute.seconds();
  fabric["exposed_communication_s"] = step.exposed_communication().seconds();
  if (step.tokens_per_second > 0) {
    fabric["tokens_per_second"] = step.tokens_per_second;
    fabric["model_flops_utilisation"] = step.utilisation;
  }
  const Json whole = to_json(step);
  for (const char* key : {"composition_error", "composition_check", "parts"}) {
    if (whole.contains(key)) {
      fabric[key] = whole[key];
    }
  }
  fabric["path"] = Json::array();
  for (const StepPathPart& part : step.path) {
    fabric["path"].push_back(
        {{"what", part.what}, {"s", part.time.seconds()}, {"rank", part.rank}, {"flow", part.flow}});
  }
}

/// Of all jobs: messages that ended well, from posting to completion.
std::vector<Duration> completions_of(const RunResults& results) {
  std::vector<Duration> times;
  for (const MessageRow& row : results.messages) {
    if (row.record.status == verbs::WcStatus::kSuccess) {
      times.push_back(row.record.finished - row.record.posted);
    }
  }
  std::ranges::sort(times);
  return times;
}

void add_completions(Json& fabric, const RunResults& results) {
  const std::vector<Duration> times = completions_of(results);
  if (times.empty()) {
    return;
  }
  const auto at = [&times](std::uint64_t numerator) {
    return microseconds(percentile(std::span<const Duration>(times),
                                   Probability::from_ratio({.numerator = numerator, .denominator = 1000})));
  };
  fabric["fct_us"] = {{"p50", at(500)}, {"p99", at(990)}, {"p999", at(999)}};
  Json curve = Json::array();
  const std::size_t points = std::min(kCurvePoints, times.size());
  for (std::size_t i = 1; i <= points; ++i) {
    const std::size_t rank = i * times.size() / points;
    curve.push_back({microseconds(times[rank - 1]), static_cast<double>(rank) / static_cast<double>(times.size())});
  }
  fabric["cdf"] = {{"fct", curve}};
}

void add_network(Json& fabric, const RunResults& results, const Summary& summary) {
  const NetworkSummary& network = summary.network;
  fabric["drops"] = network.drops + network.host_drops;
  fabric["retransmissions"] = network.retransmitted;
  if (network.held) {
    fabric[results.run.lossless == Lossless::kCredits ? "credit_stall_s" : "pause_s"] = network.held->seconds();
  }
  if (network.marked) {
    fabric["marks"] = *network.marked;
  }
  const double whole = results.run.ended_at.since_start().seconds();
  if (network.cpu && results.run.hosts > 0 && whole > 0) {
    fabric["cpu_cores_per_host"] = network.cpu->seconds() / whole / results.run.hosts;
  }
  for (const JobSummary& job : summary.jobs) {
    if (job.jitter && !fabric.contains("jitter_us")) {
      fabric["jitter_us"] = microseconds(*job.jitter);
    }
  }
}

Json rows_of(const RunResults& results, const Summary& summary) {
  Json rows = Json::array();
  const auto add = [&rows](const char* label, const std::string& value) {
    rows.push_back({{"label", label}, {"value", value}, {"origin", "emerges"}});
  };
  add("End of the run", std::string(to_string(results.run.end)));
  for (const JobSummary& job : summary.jobs) {
    if (job.goodput) {
      add("Goodput", fmt::format("{:.1f} Gb/s", static_cast<double>(job.goodput->bits_per_second()) * 1e-9));
      break;
    }
  }
  return rows;
}

Json fabric_json(const RunResults& results, const std::string& name) {
  const bool possible = results.run.end != RunEnd::kError;
  Json fabric{{"name", name}, {"family", results.run.family}, {"possible", possible}};
  if (!possible) {
    fabric["reason"] = results.run.error;
  }
  fabric["settings_text"] = results.run.settings;
  if (!possible) {
    return fabric;
  }
  const Summary summary = summarise(results);
  if (!results.steps.empty()) {
    add_step(fabric, results.steps.front());
  }
  add_completions(fabric, results);
  add_network(fabric, results, summary);
  fabric["rows"] = rows_of(results, summary);
  add_topology(fabric, results);
  return fabric;
}

void add_ratios(Json& fabrics) {
  double best = 0;
  for (const Json& fabric : fabrics) {
    const double time = fabric.value("step_time_s", 0.0);
    best = time > 0 && (best == 0 || time < best) ? time : best;
  }
  for (Json& fabric : fabrics) {
    if (best > 0 && fabric.contains("step_time_s")) {
      fabric["ratio_to_best"] = fabric["step_time_s"].get<double>() / best;
    }
  }
}

}  // namespace

Json comparison_of_runs(std::span<const RunResults> runs) {
  WEFT_ASSERT(!runs.empty());
  Json document{{"format", kComparisonFormat},
                {"format_version", kComparisonVersion},
                {"version", common(runs, [](const RunInfo& run) { return run.version; })},
                {"scenario", scenario_json(runs)},
                {"fabrics", Json::array()}};
  const std::vector<std::string> names = names_of(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    document["fabrics"].push_back(fabric_json(runs[i], names[i]));
  }
  add_ratios(document["fabrics"]);
  return document;
}

}  // namespace weft::study
