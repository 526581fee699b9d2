#include "study/report/comparison_of_runs.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/assert.h"
#include "study/report/comparison_document.h"
#include "study/report/comparison_keys.h"
#include "study/report/run_figures.h"
#include "study/results/summary.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

/// Names that tell the runs apart.
std::vector<std::string> names_of(std::span<const results::RunResults> runs) {
  std::map<std::string, int> uses;
  std::vector<std::string> names;
  for (const results::RunResults& results : runs) {
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
std::string common(std::span<const results::RunResults> runs, const Member& member) {
  const std::string first = member(runs.front().run);
  const bool same =
      std::ranges::all_of(runs, [&](const results::RunResults& results) { return member(results.run) == first; });
  return same ? first : "several";
}

Json scenario_json(std::span<const results::RunResults> runs) {
  Json scenario{{"name", common(runs, [](const results::RunInfo& run) { return run.scenario; })},
                {"hardware", common(runs, [](const results::RunInfo& run) { return run.hardware; })},
                {"topology", common(runs, [](const results::RunInfo& run) {
                   return fmt::format("{}: {} hosts, {} switches", run.topology, run.hosts, run.switches);
                 })}};
  Json seeds = Json::array();
  for (const results::RunResults& results : runs) {
    if (std::ranges::find(seeds, Json(results.run.seed)) == seeds.end()) {
      seeds.push_back(results.run.seed);
    }
  }
  scenario["seed"] = seeds.front();
  scenario["seeds"] = seeds;
  std::string jobs;
  for (const results::StepRow& step : runs.front().steps) {
    jobs += fmt::format("{}{} on {} x {}: {}", jobs.empty() ? "" : "; ",
                        step.model.empty() ? step.workload : step.model, step.gpus, step.gpu, step.parallelism);
  }
  if (jobs.empty()) {
    for (const results::JobRow& job : runs.front().jobs) {
      jobs += fmt::format("{}{}: {} ranks", jobs.empty() ? "" : "; ", job.name, job.ranks.size());
    }
  }
  if (!jobs.empty()) {
    scenario["job"] = jobs;
  }
  return scenario;
}

void add_jitter(Json& fabric, const results::Summary& summary) {
  for (const results::JobSummary& job : summary.jobs) {
    if (job.jitter) {
      fabric[key::kJitter] = job.jitter->seconds() * 1e6;
      return;
    }
  }
}

Json rows_of(const results::RunResults& results, const results::Summary& summary) {
  Json rows = Json::array();
  const auto add = [&rows](const char* label, const std::string& value) {
    rows.push_back({{"label", label}, {"value", value}, {"origin", "emerges"}});
  };
  add("End of the run", std::string(to_string(results.run.end)));
  for (const results::JobSummary& job : summary.jobs) {
    if (job.goodput) {
      add("Goodput", fmt::format("{:.1f} Gb/s", static_cast<double>(job.goodput->bits_per_second()) * 1e-9));
      break;
    }
  }
  return rows;
}

Json fabric_json(const results::RunResults& results, const std::string& name) {
  const bool possible = results.run.end != results::RunEnd::kError;
  Json fabric{{"name", name}, {"family", results.run.family}, {"possible", possible}};
  if (!possible) {
    fabric["reason"] = results.run.error;
  }
  fabric["settings_text"] = results.run.settings;
  if (!possible) {
    return fabric;
  }
  const results::Summary summary = results::summarise(results);
  Json figures = run_figures(results);
  if (!results.steps.empty()) {
    fabric[key::kStepTime] = figures["time_s"];
  }
  figures.erase("time_s");
  fabric.update(figures);
  add_jitter(fabric, summary);
  fabric["rows"] = rows_of(results, summary);
  fabric.update(run_series(results));
  return fabric;
}

void add_ratios(Json& fabrics) {
  double best = 0;
  for (const Json& fabric : fabrics) {
    const double time = fabric.value(key::kStepTime, 0.0);
    best = time > 0 && (best == 0 || time < best) ? time : best;
  }
  for (Json& fabric : fabrics) {
    if (best > 0 && fabric.contains(key::kStepTime)) {
      fabric[key::kRatioToBest] = fabric[key::kStepTime].get<double>() / best;
    }
  }
}

}  // namespace

Json comparison_of_runs(std::span<const results::RunResults> runs) {
  WEFT_ASSERT(!runs.empty());
  Json document{{"format", kComparisonFormat},
                {"format_version", kComparisonVersion},
                {"version", common(runs, [](const results::RunInfo& run) { return run.version; })},
                {"scenario", scenario_json(runs)},
                {"fabrics", Json::array()}};
  const std::vector<std::string> names = names_of(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    document["fabrics"].push_back(fabric_json(runs[i], names[i]));
  }
  add_ratios(document["fabrics"]);
  return document;
}

}  // namespace weft::study::report
