#include "cli/show_command.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>

#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "study/assembly/assembly_check.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/resolved_values.h"
#include "study/cost/bill_text.h"
#include "study/results/summary_text.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_words.h"
#include "study/tuning/tuning_report.h"
#include "study/tuning/tuning_text.h"

namespace weft::cli {
namespace {

// In the order of study::Origin.
constexpr std::array<std::string_view, 6> kOrigins = {"default", "catalogue", "file", "case", "set", "derived"};

std::string size_text(std::uint64_t bytes) {
  return study::results::short_text(Bytes(static_cast<std::int64_t>(bytes)));
}

int refuse(const Error& error) { return complain("show", error, kUsageError); }

using Resolved = std::vector<study::assembly::ResolvedValue>;

const study::assembly::ResolvedValue* find_resolved(const Resolved& resolved, const std::string& path) {
  const auto found = std::ranges::find(resolved, path, &study::assembly::ResolvedValue::path);
  return found == resolved.end() ? nullptr : &*found;
}

nlohmann::ordered_json to_json(const study::scenario::Scenario& scenario, const Resolved& resolved) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const auto& row : study::scenario::list_values(scenario, study::scenario::Listing::kAll)) {
    values[row.path] = {{"value", row.value},
                        {"origin", kOrigins.at(static_cast<std::size_t>(row.source.origin))},
                        {"source", row.source.text}};
    if (const auto* value = find_resolved(resolved, row.path)) {
      values[row.path]["resolved"] = value->value;
      values[row.path]["resolved_from"] = value->how;
    }
  }
  nlohmann::ordered_json overrides = nlohmann::ordered_json::array();
  for (const auto& override : scenario.overrides) {
    nlohmann::ordered_json changed = nlohmann::ordered_json::object();
    for (const auto& assignment : override.assignments) {
      changed[assignment.path] = {{"value", assignment.text}, {"source", assignment.place}};
    }
    nlohmann::ordered_json row = {{"select", override.select}, {"source", override.place}};
    if (override.select_rate) {
      row["select_rate_bps"] = override.select_rate->bits_per_second();
    }
    if (override.select_tier) {
      row["select_tier"] = study::scenario::word_of(*override.select_tier);
    }
    row["values"] = changed;
    overrides.push_back(std::move(row));
  }
  return {{"name", scenario.name},
          {"file", scenario.file},
          {"case", scenario.case_name},
          {"values", values},
          {"overrides", overrides}};
}

int show_bill(const study::scenario::Scenario& scenario, bool json) {
  const auto graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return refuse(graph.error());
  }
  const study::cost::Bill bill = study::cost::bill_of(scenario, *graph);
  if (json) {
    fmt::print("{}\n", study::cost::bill_json(bill).dump(2));
  } else {
    fmt::print("{}", study::cost::bill_text(bill, terminal_columns(stdout)));
  }
  return kSuccess;
}

int show_tuning(const study::scenario::Scenario& scenario, bool json) {
  const auto report = study::assembly::build_topology(scenario).and_then(
      [&](const auto& graph) { return study::tuning::tuning_report(scenario, graph); });
  if (!report) {
    return refuse(report.error());
  }
  if (json) {
    fmt::print("{}\n", study::tuning::tuning_json(*report).dump(2));
  } else {
    fmt::print("{}", study::tuning::tuning_text(*report, terminal_columns(stdout)));
  }
  return kSuccess;
}

int show_memory(const study::scenario::Scenario& scenario, bool json) {
  const auto graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return refuse(graph.error());
  }
  const study::run::MemoryEstimate made = study::run::memory_parts(scenario, *graph);
  const std::array<std::tuple<const char*, const char*, std::uint64_t>, 7> parts = {{
      {"ports", "ports of the network, with their queues", made.ports},
      {"nics", "NICs, one for each port of a host", made.nics},
      {"queue_pairs", "queue pairs and what programs know of them", made.queue_pairs},
      {"packets", "packets under way", made.packets},
      {"records", "messages, samples and nodes of steps, kept", made.records},
      {"other", "what every run takes, and a fifth to spare", made.other},
      {"total", "in all", made.total()},
  }};
  if (json) {
    nlohmann::ordered_json bytes = nlohmann::ordered_json::object();
    for (const auto& [key, about, count] : parts) {
      bytes[key] = count;
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"bytes", bytes}, {"host_ports", graph->host_endpoints()}}.dump(2));
    return kSuccess;
  }
  fmt::print("{:<46} {:>11} {:>15}\n", "memory of a run, estimated", "in all", "per host port");
  const std::uint64_t host_ports = std::max(graph->host_endpoints(), 1U);
  for (const auto& [key, about, count] : parts) {
    fmt::print("{:<46} {:>11} {:>15}\n", about, size_text(count), size_text(count / host_ports));
  }
  return kSuccess;
}

/// Every value as a run takes it: one that is left open stands as what it comes to.
int show_values(const study::scenario::Scenario& scenario, bool json) {
  const auto graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return refuse(graph.error());
  }
  if (json) {
    fmt::print("{}\n", to_json(scenario, study::assembly::resolved_values(scenario, *graph)).dump(2));
    return kSuccess;
  }
  fmt::print("{}", study::scenario::listing_text(study::assembly::resolved_listing(scenario, *graph), scenario,
                                                 terminal_columns(stdout)));
  return kSuccess;
}

int run_show(const ShowText& text) {
  const auto scenario = read_scenario(text.scenario);
  if (!scenario) {
    return refuse(scenario.error());
  }
  if (const auto fits = study::assembly::check_assembly(*scenario); !fits) {
    return refuse(fits.error());
  }
  if (text.bill) {
    return show_bill(*scenario, text.json);
  }
  if (text.tuning) {
    return show_tuning(*scenario, text.json);
  }
  if (text.memory) {
    return show_memory(*scenario, text.json);
  }
  return show_values(*scenario, text.json);
}

}  // namespace

void add_show_command(CLI::App& app, ShowText& text, int& exit_status) {
  CLI::App* show = app.add_subcommand("show", "Print a scenario with the source of every value");
  add_scenario_options(*show, text.scenario);
  show->add_flag("--json", text.json, "Every value as JSON, including those without effect for this family");
  CLI::Option* const bill = show->add_flag(
      "--bill", text.bill, "The bill of materials of the network, and what it costs to run; with --json as JSON");
  CLI::Option* const tuning =
      show->add_flag(
              "--tuning", text.tuning,
              "Resulting thresholds, headroom, windows and DCQCN, with formulas and conflicts; with --json as JSON")
          ->excludes(bill);
  show->add_flag("--memory", text.memory,
                 "What the memory of a run goes to: ports, NICs, queue pairs, packets; with --json as JSON")
      ->excludes(bill)
      ->excludes(tuning);
  show->footer("Exit status: 0 shown, 2 the scenario is wrong or cannot be read.");
  show->callback([&text, &exit_status] { exit_status = run_show(text); });
}

}  // namespace weft::cli
