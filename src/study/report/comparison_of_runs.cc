#include "study/report/comparison_of_runs.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "study/report/comparison_tables.h"
#include "study/report/run_figures.h"
#include "study/results/summary.h"

namespace weft::study::report {
namespace {

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

std::string job_text(const results::RunResults& results) {
  std::string jobs;
  for (const results::StepRow& step : results.steps) {
    jobs += fmt::format("{}{} on {} x {}: {}", jobs.empty() ? "" : "; ",
                        step.model.empty() ? step.workload : step.model, step.gpus, step.gpu, step.parallelism);
  }
  if (jobs.empty()) {
    for (const results::JobRow& job : results.jobs) {
      jobs += fmt::format("{}{}: {} ranks", jobs.empty() ? "" : "; ", job.name, job.ranks.size());
    }
  }
  return jobs;
}

ComparedScenario scenario_of_runs(std::span<const results::RunResults> runs) {
  ComparedScenario scenario;
  scenario.name = common(runs, [](const results::RunInfo& run) { return run.scenario; });
  scenario.hardware = common(runs, [](const results::RunInfo& run) { return run.hardware; });
  scenario.topology = common(runs, [](const results::RunInfo& run) {
    return fmt::format("{}: {} hosts, {} switches", run.topology, run.hosts, run.switches);
  });
  std::vector<std::int64_t> seeds;
  for (const results::RunResults& results : runs) {
    if (std::ranges::find(seeds, results.run.seed) == seeds.end()) {
      seeds.push_back(results.run.seed);
    }
  }
  scenario.seed = seeds.front();
  scenario.seeds = std::move(seeds);
  if (std::string jobs = job_text(runs.front()); !jobs.empty()) {
    scenario.job = std::move(jobs);
  }
  write_behind(scenario, name_of<&ComparedScenario::seed>(), name_of<&ComparedScenario::topology>());
  write_behind(scenario, name_of<&ComparedScenario::seeds>(), name_of<&ComparedScenario::seed>());
  return scenario;
}

std::optional<double> jitter_of(const results::Summary& summary) {
  for (const results::JobSummary& job : summary.jobs) {
    if (job.jitter) {
      return job.jitter->seconds() * 1e6;
    }
  }
  return std::nullopt;
}

std::vector<BuyerRow> rows_of(const results::RunResults& results, const results::Summary& summary) {
  std::vector<BuyerRow> rows;
  const auto add = [&rows](const char* label, const std::string& value) {
    rows.push_back({.label = label, .value = value, .origin = "emerges"});
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

ComparedFabric fabric_of_run(const results::RunResults& results, const std::string& name) {
  ComparedFabric fabric{
      .name = name,
      .family = results.run.family,
      .possible = results.run.end != results::RunEnd::kError && results.run.end != results::RunEnd::kJobLost,
      .settings_text = results.run.settings};
  if (!fabric.possible) {
    fabric.reason = results.run.error;
    return fabric;
  }
  const results::Summary summary = results::summarise(results);
  if (!results.steps.empty()) {
    fabric.step.mean = work_time(results).seconds();
  }
  fabric.run = run_figures(results);
  add_series(fabric.run, results);
  fabric.jitter_us = jitter_of(summary);
  fabric.rows = rows_of(results, summary);
  write_behind(fabric, name_of<&ComparedFabric::settings_text>(), name_of<&ComparedFabric::reason>());
  write_behind(fabric, name_of<&ComparedFabric::jitter_us>(), name_of<&ComparedFabric::run, &RunFigures::goodput>());
  write_behind(fabric, name_of<&ComparedFabric::rows>(), name_of<&ComparedFabric::jitter_us>());
  return fabric;
}

void add_ratios(std::vector<ComparedFabric>& fabrics) {
  double best = 0;
  for (const ComparedFabric& fabric : fabrics) {
    const double time = fabric.step.mean.value_or(0);
    best = time > 0 && (best == 0 || time < best) ? time : best;
  }
  for (ComparedFabric& fabric : fabrics) {
    if (best > 0 && fabric.step.mean) {
      fabric.ratio_to_best = *fabric.step.mean / best;
    }
  }
}

}  // namespace

Comparison comparison_of_runs(std::span<const results::RunResults> runs) {
  WEFT_ASSERT(!runs.empty());
  Comparison comparison{.version = common(runs, [](const results::RunInfo& run) { return run.version; }),
                        .scenario = scenario_of_runs(runs)};
  const std::vector<std::string> names = names_of(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    comparison.fabrics.push_back(fabric_of_run(runs[i], names[i]));
  }
  add_ratios(comparison.fabrics);
  return comparison;
}

}  // namespace weft::study::report
