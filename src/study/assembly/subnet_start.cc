#include "study/assembly/subnet_start.h"

#include "base/assert.h"
#include "study/assembly/build_subnet.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {
namespace {

subnet::SweepPlan plan_of(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const scenario::SubnetSettings& own = scenario.subnet;
  const Result<subnet::EngineKind> engine = subnet::engine_by_name(scenario::word_of(scenario.routing.engine));
  WEFT_ASSERT(engine.has_value());
  subnet::SweepPlan plan;
  plan.sweeps_lightly = false;
  plan.options.engine = *engine;
  plan.options.routing = {.lanes = static_cast<std::uint32_t>(scenario.devices.infiniband.vls),
                          .nue_lanes = static_cast<std::uint32_t>(scenario.routing.nue_lanes)};
  plan.options.lmc = static_cast<std::uint8_t>(scenario.routing.lmc);
  plan.options.qos = scenario::assigns_lanes(scenario.routing);
  plan.options.smps.most_on_wire = static_cast<std::uint32_t>(own.smps_on_wire);
  plan.options.smps.timeout = own.timeout;
  plan.options.smps.retries = static_cast<std::uint32_t>(own.retries);
  plan.options.mad_time = own.manager_time;
  plan.options.entry_time = own.route_time;
  plan.times.agent = own.agent_time;
  plan.times.pass = own.pass_time;
  plan.times.buffer = static_cast<std::uint32_t>(own.buffer);
  plan.times.cable = longest_cable(graph);  // all of them
  return plan;
}

}  // namespace

Result<std::vector<subnet::SweepStudy>> start_subnets(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  WEFT_ASSERT(scenario::starts_cold(scenario));
  const Result<PlacedSubnet> placed = place_subnet(graph);
  if (!placed) {
    return scenario::fail_at(scenario, "subnet.start", "{}", placed.error().message);
  }
  subnet::SweepPlan plan = plan_of(scenario, graph);
  const Result<std::vector<subnet::SweptSubnet>> subnets = swept_subnets(*placed, graph, plan.options.lmc);
  if (!subnets) {
    return scenario::fail_at(scenario, "subnet.start", "{}", subnets.error().message);
  }
  std::vector<subnet::SweepStudy> studies;
  for (const subnet::SweptSubnet& swept : *subnets) {
    plan.manager = swept.view[swept.view.manager].place;
    Result<subnet::SweepStudy> study = subnet::study_sweeps(swept.subnet, plan);
    if (!study) {
      return scenario::fail_at(scenario, "subnet.start", "{}", study.error().message);
    }
    studies.push_back(std::move(*study));
  }
  return studies;
}

}  // namespace weft::study::assembly
