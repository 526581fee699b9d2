#include "cli/plan_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <list>
#include <nlohmann/json.hpp>
#include <utility>

#include "study/assembly/assembly_check.h"
#include "study/assembly/build_topology.h"
#include "study/compare/misconfigurations.h"
#include "study/results/results_key.h"
#include "study/run/level_choice.h"
#include "study/run/run_estimate.h"

namespace weft::cli {
namespace {

using study::scenario::Scenario;

/// A run of packets that is expected to take more stays at the flow level. Machines differ, answers must not.
constexpr double kMostHops = 60e6;
/// Slices of runs with packets: many designs, each a first answer.
constexpr Bytes kShortSlice{1 << 20};
constexpr std::int64_t kShortSliceHops = 4'000'000;

std::string case_order(const std::vector<PlanCase>& cases) {
  nlohmann::json order = nlohmann::json::array();
  for (const PlanCase& one : cases) {
    order.push_back({one.name, one.settings, one.level == PlanLevel::kPackets, one.seed, one.is_checked,
                     one.mistake ? static_cast<std::int64_t>(*one.mistake) : -1});
  }
  return nlohmann::json{{"cases", std::move(order)}}.dump();
}

std::vector<PlanCase> ordered_cases(const nlohmann::json& order) {
  std::vector<PlanCase> made;
  for (const nlohmann::json& one : order["cases"]) {
    const auto mistake = one[5].get<std::int64_t>();
    made.push_back({.name = one[0],
                    .settings = one[1],
                    .level = one[2].get<bool>() ? PlanLevel::kPackets : PlanLevel::kFlow,
                    .seed = one[3],
                    .is_checked = one[4],
                    .mistake = mistake < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(mistake))});
  }
  return made;
}

}  // namespace

std::string run_options(const Scenario& scenario, bool is_flow) {
  const study::scenario::TrainingSettings& training = scenario.jobs.front().training;
  std::string made = is_flow ? " --fidelity flow" : "";
  if (training.fidelity != study::scenario::StepFidelity::kComposed) {
    made += " --set job[0].fidelity=composed";
  }
  if (training.slice > kShortSlice) {
    made += fmt::format(" --set 'job[0].slice={}'", to_string(kShortSlice));
  }
  if (training.slice_hops > kShortSliceHops) {
    made += fmt::format(" --set job[0].slice_hops={}", kShortSliceHops);
  }
  return made;
}

Result<Scenario> PlanCases::make(const PlanCase& one) const {
  Result<Scenario> scenario = scenario_with(question_, one.settings, catalogue_);
  if (!scenario) {
    return scenario;
  }
  scenario->output.sample_interval.reset();
  study::scenario::TrainingSettings& training = scenario->jobs.front().training;
  training.slice = std::min(training.slice, kShortSlice);
  training.slice_hops = std::min(training.slice_hops, kShortSliceHops);
  scenario = at_level(*scenario, study::run::Level::kComposed);
  bool is_packets = false;
  if (one.level == PlanLevel::kPackets) {
    Result<fabric::Graph> graph = study::assembly::build_topology(*scenario);
    if (!graph) {
      return pass_on(graph);
    }
    const Result<study::run::HopsEstimate> hops = study::run::estimate_hops(*scenario, *graph);
    is_packets = hops && hops->least <= kMostHops;
  }
  if (!is_packets) {
    scenario = at_level(*scenario, study::run::Level::kFlow);
    scenario->flow.probes = 0;
  }
  Result<void> fits = study::assembly::check_assembly(*scenario);
  return fits ? scenario : tl::unexpected<Error>(in_words_of_plan(fits.error()));
}

const Result<Scenario>& PlanCases::scenario_of(const PlanCase& one) {
  std::string key = fmt::format("{} {}", one.level == PlanLevel::kPackets, fmt::join(one.settings, "\n"));
  const auto known = known_.find(key);
  return known != known_.end() ? known->second : known_.emplace(std::move(key), make(one)).first->second;
}

Result<Scenario> PlanCases::whole(const PlanCase& one) {
  Result<Scenario> made = scenario_of(one);
  if (made && one.mistake) {
    auto found = study::compare::misconfigurations_of(*made);
    if (!found) {
      return pass_on(found);
    }
    if (*one.mistake >= found->size()) {
      return fail("{}: there are {} mistakes, and none of number {}", one.name, found->size(), *one.mistake);
    }
    study::compare::Misconfiguration& mistake = (*found)[*one.mistake];
    made = std::move(mistake.scenario);
    made->case_name = one.name + ", " + mistake.name;
  } else if (made) {
    made->case_name = one.name;
  }
  if (made) {
    made->seed += one.seed;
  }
  return made;
}

Result<std::vector<std::optional<CaseResult>>> PlanCases::run(const std::vector<PlanCase>& cases) {
  std::vector<std::optional<CaseResult>> results(cases.size());
  std::list<Scenario> scenarios;  // that stay where they are
  std::vector<PooledCase> pooled;
  std::vector<PlanCase> wanted;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Result<Scenario> own = whole(cases[i]);
    if (!own) {
      results[i] = CaseResult(pass_on(own));
      continue;
    }
    const Scenario& scenario = scenarios.emplace_back(*std::move(own));
    pooled.push_back({.scenario = &scenario,
                      .options = {.name = fmt::format("{}, seed {}", scenario.case_name, scenario.seed),
                                  .key = study::results::run_key(scenario, catalogue_, WEFT_VERSION),
                                  .captures = {},
                                  .timeline = {},
                                  .check_hops = cases[i].is_checked ? kCheckHops : 0}});
    wanted.push_back(cases[i]);
    places.push_back(i);
  }
  if (pooled.empty()) {
    return results;
  }
  pool_.set_order(case_order(wanted));
  auto ran = pool_.run(pooled);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    results[places[i]] = std::move((*ran)[i]);
  }
  return results;
}

Result<void> PlanCases::serve(const std::string& order) {
  auto served = run(ordered_cases(nlohmann::json::parse(order)));
  return served ? Result<void>() : pass_on(served);
}

}  // namespace weft::cli
