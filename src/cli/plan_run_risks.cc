// What mistakes in settings and failures cost the designs of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/counted.h"
#include "cli/plan_failures.h"
#include "cli/plan_run.h"
#include "cli/run_interrupt.h"
#include "study/compare/misconfigurations.h"

namespace weft::cli {

using study::plan::PlannedDesign;

Result<void> PlanRun::mistakes(std::vector<PlannedDesign>& designs) {
  struct Tried {
    std::size_t design = 0;
    std::string name;
  };
  std::vector<PlanCase> cases;
  std::vector<Tried> tried;
  std::map<std::size_t, std::size_t> all;
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
    all[i] = found->size();
    for (std::size_t j = 0; j < std::min(options_.mistakes, found->size()); ++j) {
      // Spread evenly over the list, in which like mistakes stand together.
      one.mistake = j * found->size() / std::min(options_.mistakes, found->size());
      cases.push_back(one);
      tried.push_back({.design = i, .name = (*found)[*one.mistake].name});
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
    risk.of = all[tried[j].design];
    risk.mean = (risk.mean * static_cast<double>(risk.tried) + loss) / static_cast<double>(risk.tried + 1);
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
