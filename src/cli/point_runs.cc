#include "cli/point_runs.h"

#include <fmt/core.h>

#include <list>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/stable_hash.h"
#include "cli/complain.h"
#include "cli/exit_status.h"
#include "cli/rank_pool.h"
#include "cli/rank_session.h"
#include "cli/run_interrupt.h"
#include "study/compare/comparison_plan.h"
#include "study/compare/failure_probe.h"
#include "study/results/results_key.h"
#include "study/scenario/scenario_validate.h"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;
using study::scenario::Scenario;

std::optional<study::run::Level> level_called(const std::string& word) {
  for (const auto level : {study::run::Level::kPacket, study::run::Level::kComposed, study::run::Level::kFlow}) {
    if (word == to_string(level)) {
      return level;
    }
  }
  return std::nullopt;
}

/// Cases that happen to be the same are runs of their own in a results file all the same.
std::string key_of(const Scenario& scenario, const std::string& case_name,
                   const study::scenario::Catalogue& catalogue) {
  std::string key = study::results::run_key(scenario, catalogue, WEFT_VERSION);
  return case_name.empty() ? key : fmt::format("{}-{:04x}", key, stable_hash(0, case_name) & 0xffff);
}

}  // namespace

std::size_t PointRuns::add(RunPoint point) {
  std::string settings = (point.length == RunPoint::Length::kShort ? "short " : "whole ") + point.case_name;
  for (const std::string& setting : point.settings) {
    settings += '\n' + setting;
  }
  settings += "\nfails " + point.failed_port;
  const auto [known, is_new] = by_settings_.try_emplace(settings, points_.size());
  if (is_new) {
    points_.push_back({.point = std::move(point), .is_first = points_.empty()});
  }
  return known->second;
}

Result<Scenario> PointRuns::load(Known& known) {
  ScenarioText wanted = options_.scenario;
  wanted.case_name = known.point.case_name;
  wanted.settings.insert(wanted.settings.end(), known.point.settings.begin(), known.point.settings.end());
  Result<Scenario> scenario = read_scenario(wanted, catalogue_);
  if (!scenario) {
    return scenario;
  }
  if (Result<void> has_traffic = study::scenario::check_has_traffic(*scenario); !has_traffic) {
    return pass_on(has_traffic);
  }
  if (!known.point.failed_port.empty()) {
    study::compare::add_steady_failure(*scenario, study::compare::FailureCase::kFabricLink, known.point.failed_port,
                                       {});
  }
  if (options_.add_chance) {
    study::compare::add_chance(*scenario);
  }
  if (known.level.empty() && options_.levels != nullptr && !options_.levels->is_off()) {
    Result<study::run::LevelChoice> choice = options_.levels->choose(*scenario);
    if (!choice) {
      return pass_on(choice);
    }
    known.level = to_string(choice->level);
  }
  if (const auto level = level_called(known.level)) {
    scenario = at_level(*scenario, *level);
  }
  if (known.point.length == RunPoint::Length::kShort) {
    const auto samples = scenario->output.sample_interval;  // a figure may be made of them
    scenario = study::compare::with_shorter_slices(*scenario);
    scenario->output.sample_interval = samples;
  }
  scenario->case_name = known.point.name;
  scenario->seed = options_.first_seed;
  return scenario;
}

const Result<Scenario>& PointRuns::scenario_of(std::size_t point) {
  Known& known = points_[point];
  if (!known.scenario) {
    known.scenario = load(known);
  }
  return *known.scenario;
}

PointFigures PointRuns::figures_of(const study::results::RunResults& results, const Scenario& scenario) const {
  PointFigures made{.level = study::sweep::fidelity_of(results)};
  const study::results::Summary summary = study::results::summarise(results);
  for (const study::sweep::Measure& measure : options_.measures) {
    const Result<double> value = study::sweep::measure_run(measure, results, summary, scenario);
    if (!value && made.values.empty()) {
      made.reason = value.error().message;
    }
    made.values.push_back(value ? std::optional(*value) : std::nullopt);
  }
  return made;
}

/// Points by what they are, so that a rank that serves needs no plan of its own.
std::string PointRuns::order_of(const std::vector<PointSeed>& runs) const {
  Json order{{"points", Json::array()}, {"runs", Json::array()}};
  std::map<std::size_t, std::size_t> places;
  for (const PointSeed& run : runs) {
    const auto [place, is_new] = places.try_emplace(run.point, places.size());
    if (is_new) {
      const Known& own = points_[run.point];
      order["points"].push_back({own.point.name, own.point.case_name, own.point.settings, own.level,
                                 own.point.length == RunPoint::Length::kShort, own.is_first, own.point.failed_port});
    }
    order["runs"].push_back({place->second, run.seed});
  }
  return order.dump();
}

Result<std::vector<std::optional<PointFigures>>> PointRuns::run(const std::vector<PointSeed>& runs) {
  std::vector<std::optional<PointFigures>> made(runs.size());
  std::vector<std::size_t> places;  // in `runs`, of those that can run
  std::list<Scenario> scenarios;    // that stay where they are
  std::vector<PooledCase> cases;
  std::vector<PointSeed> wanted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const Result<Scenario>& own = scenario_of(runs[i].point);
    if (!own) {
      made[i] = PointFigures{.reason = own.error().message};
      continue;
    }
    Scenario& scenario = scenarios.emplace_back(*own);
    scenario.seed += static_cast<std::int64_t>(runs[i].seed);
    const bool is_checked = points_[runs[i].point].is_first && runs[i].seed == 0;
    cases.push_back({.scenario = &scenario,
                     .options = {.name = fmt::format("{}, seed {}", points_[runs[i].point].point.name, scenario.seed),
                                 .key = key_of(scenario, points_[runs[i].point].point.case_name, catalogue_),
                                 .captures = {},
                                 .timeline = {},
                                 .check_hops = is_checked ? kCheckHops : 0}});
    places.push_back(i);
    wanted.push_back(runs[i]);
  }
  if (cases.empty()) {
    return made;
  }
  pool_.set_order(order_of(wanted));
  Result<void> ran = pool_.run(cases, [&](std::size_t i, CaseResult result) -> Result<void> {
    std::optional<PointFigures>& figures = made[places[i]];
    if (!result) {
      figures = PointFigures{.reason = result.error().message};
      return {};
    }
    if (result->run.end == study::results::RunEnd::kInterrupted) {
      return {};
    }
    figures = figures_of(*result, *cases[i].scenario);
    ++done_;
    return options_.keep ? options_.keep(*result) : Result<void>();
  });
  if (!ran) {
    return pass_on(ran);
  }
  return made;
}

void PointRuns::serve(const char* command) {
  while (const std::optional<std::string> order = next_order()) {
    const Json read = Json::parse(*order);
    points_.clear();
    by_settings_.clear();
    for (const Json& point : read["points"]) {
      points_.push_back({.point = {.name = point[0],
                                   .case_name = point[1],
                                   .settings = point[2],
                                   .length = point[4].get<bool>() ? RunPoint::Length::kShort : RunPoint::Length::kWhole,
                                   .failed_port = point[6]},
                         .level = point[3],
                         .is_first = point[5]});
    }
    std::vector<PointSeed> runs;
    for (const Json& run : read["runs"]) {
      runs.push_back({.point = run[0], .seed = run[1]});
    }
    const auto served = run(runs);
    if (!served && served.error().message != kServed) {
      (void)complain(command, served.error(), kFault);
      tell_cannot();
    }
  }
}

}  // namespace weft::cli
