#include "study/assembly/subnet_start.h"

#include "base/assert.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/manager_plan.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::assembly {

Result<std::vector<subnet::SweepStudy>> start_subnets(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  WEFT_ASSERT(scenario::starts_cold(scenario));
  const Result<PlacedSubnet> placed = place_subnet(graph);
  if (!placed) {
    return scenario::fail_at(scenario, "subnet.start", "{}", placed.error().message);
  }
  Result<subnet::SweepPlan> plan = manager_plan(scenario, graph);
  if (!plan) {
    return pass_on(plan);
  }
  plan->sweeps_lightly = false;
  const Result<std::vector<subnet::SweptSubnet>> subnets = swept_subnets(*placed, graph, plan->options.lmc);
  if (!subnets) {
    return scenario::fail_at(scenario, "subnet.start", "{}", subnets.error().message);
  }
  std::vector<subnet::SweepStudy> studies;
  for (const subnet::SweptSubnet& swept : *subnets) {
    plan->manager = swept.view[swept.view.manager].place;
    Result<subnet::SweepStudy> study = subnet::study_sweeps(swept.subnet, *plan);
    if (!study) {
      return scenario::fail_at(scenario, "subnet.start", "{}", study.error().message);
    }
    studies.push_back(std::move(*study));
  }
  return studies;
}

}  // namespace weft::study::assembly
