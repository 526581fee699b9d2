#include "cli/claim_runs.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/file.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "cli/run_output.h"
#include "cli/scale_run.h"
#include "study/assembly/build_topology.h"
#include "study/compare/fabric_settings.h"
#include "study/compare/misconfigurations.h"
#include "study/results/results_json.h"
#include "study/results/results_key.h"
#include "study/scenario/scenario_load.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::claims::ClaimCase;

/// None where there is no topology: the run says why.
study::claims::SettingsToMake settings_of(const study::scenario::Scenario& scenario) {
  const Result<fabric::Graph> graph = study::assembly::build_topology(scenario);
  if (!graph) {
    return {};
  }
  const std::vector<study::compare::FabricSetting> settings = study::compare::settings_to_get_right(scenario, *graph);
  return {.count = static_cast<std::int64_t>(settings.size()), .devices = study::compare::devices_touched(settings)};
}

}  // namespace

Result<const std::vector<study::scenario::Scenario>*> ClaimRuns::read(const std::string& name) {
  if (const auto known = read_.find(name); known != read_.end()) {
    return &known->second;
  }
  const std::string file = (std::filesystem::path(options_.folder) / (name + ".toml")).string();
  Result<std::string> text = read_file(file);
  if (!text) {
    return pass_on(text);
  }
  Result<std::vector<std::string>> names = study::scenario::case_names(*text, file);
  if (!names) {
    return pass_on(names);
  }
  std::vector<study::scenario::Scenario> scenarios;
  for (const std::string& case_name : *names) {
    Result<study::scenario::Scenario> scenario =
        study::scenario::load_scenario({.file = file, .case_name = case_name, .settings = {}}, catalogue_);
    if (!scenario) {
      return pass_on(scenario);
    }
    scenarios.push_back(std::move(*scenario));
  }
  return &(read_[name] = std::move(scenarios));
}

Result<void> ClaimRuns::keep(const std::string& name, const Json& json) const {
  if (options_.evidence.empty()) {
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(options_.evidence, error);
  if (error) {
    return fail("cannot make the folder '{}': {}", options_.evidence, error.message());
  }
  return write_json((std::filesystem::path(options_.evidence) / (name + ".json")).string(), json);
}

Result<std::vector<ClaimCase>> ClaimRuns::run(const std::string& scenario) {
  Result<const std::vector<study::scenario::Scenario>*> scenarios = read(scenario);
  if (!scenarios) {
    return pass_on(scenarios);
  }
  pool_.set_order(Json{{"run", scenario}}.dump());
  return run_each(scenario, **scenarios);
}

Result<std::vector<ClaimCase>> ClaimRuns::run_misconfigured(const std::string& scenario, const std::string& case_name) {
  Result<const std::vector<study::scenario::Scenario>*> scenarios = read(scenario);
  if (!scenarios) {
    return pass_on(scenarios);
  }
  const auto right = std::ranges::find(**scenarios, case_name, &study::scenario::Scenario::case_name);
  if (right == (*scenarios)->end()) {
    return fail("{}: no case '{}'", scenario, case_name);
  }
  Result<std::vector<study::compare::Misconfiguration>> misconfigurations =
      study::compare::misconfigurations_of(*right);
  if (!misconfigurations) {
    return pass_on(misconfigurations);
  }
  std::vector<study::scenario::Scenario> wrong;
  for (study::compare::Misconfiguration& mistake : *misconfigurations) {
    wrong.push_back(std::move(mistake.scenario));
    wrong.back().case_name = std::move(mistake.name);
  }
  pool_.set_order(Json{{"run", scenario}, {"misconfigured", case_name}}.dump());
  return run_each(fmt::format("{}, {}", scenario, case_name), wrong);
}

Result<std::vector<ClaimCase>> ClaimRuns::run_each(const std::string& title,
                                                   const std::vector<study::scenario::Scenario>& scenarios) {
  std::vector<PooledCase> pooled;
  for (const study::scenario::Scenario& one : scenarios) {
    pooled.push_back({.scenario = &one,
                      .options = {.name = fmt::format("{}: {}", title, one.case_name),
                                  .key = study::results::run_key(one, catalogue_, WEFT_VERSION),
                                  .captures = {},
                                  .timeline = {}}});
  }
  Result<std::vector<std::optional<CaseResult>>> all = pool_.run(pooled);
  if (interrupted()) {
    return fail("interrupted");
  }
  if (!all) {
    return pass_on(all);
  }
  std::vector<study::results::RunResults> runs;
  std::vector<ClaimCase> cases;
  Json refused = Json::array();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const study::scenario::Scenario& one = scenarios[i];
    CaseResult results = *std::move((*all)[i]);
    cases.push_back({.name = one.case_name, .refusal = {}, .results = {}, .summary = {}, .settings = settings_of(one)});
    if (results) {
      runs.push_back(std::move(*results));
    } else {
      cases.back().refusal = results.error().message;
      refused.push_back({{"case", one.case_name}, {"reason", results.error().message}});
    }
  }
  if (!options_.evidence.empty()) {
    Json json = runs_json(runs, study::results::JsonDetail::kSummary);
    json["refused"] = std::move(refused);
    if (Result<void> kept = keep(title, json); !kept) {
      return pass_on(kept);
    }
  }
  auto next = runs.begin();
  for (ClaimCase& one : cases) {
    if (one.refusal.empty()) {
      one.summary = study::results::summarise(*next);
      one.results = std::move(*next++);
    }
  }
  return cases;
}

Result<std::vector<study::results::ScalePoint>> ClaimRuns::scale(const std::string& scenario,
                                                                 const study::claims::ScaleRequest& request) {
  Result<const std::vector<study::scenario::Scenario>*> scenarios = read(scenario);
  if (!scenarios) {
    return pass_on(scenarios);
  }
  std::vector<ScaleLine> lines;
  for (const study::scenario::Scenario& one : **scenarios) {
    lines.push_back({.name = one.case_name, .scenario = one});
  }
  pool_.set_order(Json{{"scale", scenario},
                       {"gpus", request.gpus},
                       {"strong", request.scaling == study::assembly::Scaling::kStrong},
                       {"extra_latency", request.question.extra_latency.picoseconds()}}
                      .dump());
  Result<study::results::ScaleCurves> ran =
      scale_curves(lines, request.gpus, {.scaling = request.scaling, .extra_latency = request.question.extra_latency},
                   pool_, catalogue_);
  if (interrupted()) {
    return fail("interrupted");
  }
  if (!ran) {
    return pass_on(ran);
  }
  if (Result<void> kept = keep(scenario, study::results::scale_json(*ran, request.question)); !kept) {
    return pass_on(kept);
  }
  return std::move(ran->points);
}

void ClaimRuns::serve() {
  const auto serve_one = [this](const Json& order) -> Result<void> {
    if (order.contains("scale")) {
      study::claims::ScaleRequest request;
      request.gpus = order["gpus"].get<std::vector<std::int64_t>>();
      request.scaling =
          order["strong"].get<bool>() ? study::assembly::Scaling::kStrong : study::assembly::Scaling::kWeak;
      request.question.extra_latency = Duration::picoseconds(order["extra_latency"].get<std::int64_t>());
      auto points = scale(order["scale"].get<std::string>(), request);
      return points ? Result<void>() : pass_on(points);
    }
    const std::string scenario = order["run"].get<std::string>();
    auto cases = order.contains("misconfigured")
                     ? run_misconfigured(scenario, order["misconfigured"].get<std::string>())
                     : run(scenario);
    return cases ? Result<void>() : pass_on(cases);
  };
  while (const std::optional<std::string> order = next_order()) {
    const Result<void> served = serve_one(Json::parse(*order));
    if (!served && served.error().message != kServed) {
      (void)complain("claims", served.error(), kFault);
      tell_cannot();
    }
  }
}

}  // namespace weft::cli
