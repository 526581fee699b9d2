#include "study/run/subnet_bring_up.h"

#include <algorithm>

#include "study/assembly/subnet_start.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

Duration of_step(const subnet::SweepReport& sweep, subnet::SweepStep step) {
  const auto found = std::ranges::find(sweep.steps, step, &subnet::SweepStepReport::step);
  return found == sweep.steps.end() ? Duration::zero() : found->end - found->begin;
}

}  // namespace

std::optional<results::SubnetRow> subnet_row(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  if (!scenario::starts_cold(scenario)) {
    return std::nullopt;
  }
  results::SubnetRow row{.engine = std::string(scenario::word_of(scenario.routing.engine))};
  const Result<std::vector<subnet::SweepStudy>> studies = assembly::start_subnets(scenario, graph);
  if (!studies) {
    row.error = studies.error().message;
    return row;
  }
  row.as_routed = true;
  for (const subnet::SweepStudy& study : *studies) {
    const subnet::SweepReport& sweep = study.bring_up;
    ++row.subnets;
    row.switches += sweep.switches;
    row.adapters += study.adapters;
    row.requests += sweep.total_requests();
    row.retried += sweep.retried;
    row.failed += sweep.failed;
    row.blocks += sweep.blocks;
    row.as_routed = row.as_routed && study.is_routed;
    if (const Duration taken = sweep.end - sweep.begin; taken > row.bring_up) {
      row.bring_up = taken;
      row.discovery = of_step(sweep, subnet::SweepStep::kDiscovery);
      row.tables = of_step(sweep, subnet::SweepStep::kTables);
    }
    if (!sweep.error.empty()) {
      row.error = sweep.error;
    }
  }
  return row;
}

}  // namespace weft::study::run
