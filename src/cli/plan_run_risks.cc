// What mistakes in settings and failures cost the designs of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/counted.h"
#include "cli/plan_failures.h"
#include "cli/plan_run.h"
#include "cli/run_interrupt.h"
#include "study/compare/misconfigurations.h"
#include "study/compare/work_cost.h"

namespace weft::cli {

using study::plan::PlannedDesign;

namespace {

/// Of a network, without faults and pairs of mistakes.
struct Settings {
  std::vector<std::size_t> mistakes;  // by their place among all
  std::size_t count = 0;              // settings that they are in
};

Settings settings_of_mistakes(const std::vector<study::compare::Misconfiguration>& all) {
  Settings made;
  std::set<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].of.empty() && !all[i].fault) {
      made.mistakes.push_back(i);
      names.insert(all[i].of);
    }
  }
  made.count = names.size();
  return made;
}

std::size_t settings_in(const study::report::TuningRisk& risk) {
  std::set<std::string> names;
  for (const study::report::MisconfigurationCase& own : risk.cases) {
    names.insert(own.of.value_or(""));
  }
  return names.size();
}

}  // namespace

Result<void> PlanRun::mistakes(std::vector<PlannedDesign>& designs) {
  struct Tried {
    std::size_t design = 0;
    std::string name;
    std::string of;
  };
  std::vector<PlanCase> cases;
  std::vector<Tried> tried;
  std::map<std::size_t, Settings> all;
  std::map<std::size_t, study::report::TuningRisk> losses;
  for (std::size_t i = 0; i < designs.size() && options_.mistakes > 0; ++i) {
    if (!designs[i].measured || designs[i].measured->level == "flow") {
      continue;  // mistakes are about queues, pauses and marks
    }
    PlanCase one{.name = designs[i].name, .settings = settings_of(designs[i].design), .level = PlanLevel::kPackets};
    const Result<study::scenario::Scenario>& scenario = cases_.scenario_of(one);
    if (!scenario) {
      continue;
    }
    auto found = study::compare::misconfigurations_of(*scenario);
    if (!found) {
      return pass_on(found);
    }
    const Settings settings = settings_of_mistakes(*found);
    all[i] = settings;
    const std::size_t count = settings.mistakes.size();
    for (std::size_t j = 0; j < std::min(options_.mistakes, count); ++j) {
      // Spread evenly over the list, in which like mistakes stand together.
      one.mistake = settings.mistakes[j * count / std::min(options_.mistakes, count)];
      cases.push_back(one);
      tried.push_back({.design = i, .name = (*found)[*one.mistake].name, .of = (*found)[*one.mistake].of});
    }
  }
  if (cases.empty()) {
    return {};
  }
  options_.tell(fmt::format("{} with one mistake each", counted(cases.size(), {"run", "runs"})));
  auto ran = cases_.run(cases);
  if (!ran) {
    return pass_on(ran);
  }
  for (std::size_t j = 0; j < cases.size(); ++j) {
    if (!(*ran)[j]) {
      continue;  // an interrupt came first
    }
    PlannedDesign& own = designs[tried[j].design];
    const CaseResult& result = *(*ran)[j];
    const bool ended = result && result->run.end == study::results::RunEnd::kFinished && !result->steps.empty();
    // A job that does not end loses all of its work.
    const double loss = ended ? std::clamp(result->steps.front().time.seconds() / own.measured->step - 1, 0.0, 1.0) : 1;
    study::plan::TuningRisk& risk = own.risk ? *own.risk : own.risk.emplace();
    const Settings& settings = all[tried[j].design];
    study::report::TuningRisk& known = losses[tried[j].design];
    known.cases.push_back({.setting = tried[j].name, .of = tried[j].of, .loss = loss});
    risk.of = settings.mistakes.size();
    risk.sum = *study::compare::loss_of_settings(known) * static_cast<double>(settings.count) /
               static_cast<double>(settings_in(known));
    ++risk.tried;
    ++result_.runs;
    if (risk.worst_name.empty() || loss > risk.worst) {
      risk.worst = loss;
      risk.worst_name = tried[j].name;
    }
  }
  return {};
}

Result<void> PlanRun::failures(std::vector<PlannedDesign>& designs) {
  if (!options_.failures || interrupted()) {
    return {};
  }
  std::vector<StudiedDesign> studied;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    if (designs[i].measured) {
      studied.push_back(
          {.name = designs[i].name, .settings = settings_of(designs[i].design), .spares = designs[i].design.spares});
      of.push_back(i);
    }
  }
  options_.tell(fmt::format("failures of {}", counted(studied.size(), {"design", "designs"})));
  auto risks = study_designs(studied, question_, catalogue_, {.jobs = options_.jobs, .cache = options_.cache});
  if (!risks) {
    return pass_on(risks);
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    designs[of[i]].failures = (*risks)[i];
  }
  return {};
}

}  // namespace weft::cli
