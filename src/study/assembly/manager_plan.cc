#include "study/assembly/manager_plan.h"

#include <utility>

#include "base/assert.h"
#include "study/assembly/build_subnet.h"
#include "study/assembly/port_partitions.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::assembly {
namespace {

void take_engine(const scenario::Scenario& scenario, subnet::ManagerOptions& options) {
  const scenario::RoutingSettings& routing = scenario.routing;
  if (!scenario::has_manager(routing) || routing.engine == scenario::RoutingEngine::kFile) {
    return;
  }
  const Result<subnet::EngineKind> engine = subnet::engine_by_name(scenario::word_of(routing.engine));
  WEFT_ASSERT(engine.has_value());
  options.engine = *engine;
  options.routing = {.lanes = static_cast<std::uint32_t>(scenario.devices.infiniband.vls),
                     .nue_lanes = static_cast<std::uint32_t>(routing.nue_lanes)};
  options.qos = scenario::assigns_lanes(routing);
}

}  // namespace

Result<subnet::SweepPlan> manager_plan(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const scenario::SubnetSettings& own = scenario.subnet;
  subnet::SweepPlan plan;
  take_engine(scenario, plan.options);
  plan.options.lmc = static_cast<std::uint8_t>(scenario.routing.lmc);
  plan.options.smps.most_on_wire = static_cast<std::uint32_t>(own.smps_on_wire);
  plan.options.smps.timeout = own.timeout;
  plan.options.smps.retries = static_cast<std::uint32_t>(own.retries);
  plan.options.sweep_interval = own.sweep_interval;
  plan.options.mad_time = own.manager_time;
  plan.options.entry_time = own.route_time;
  plan.times = {.switch_agent = own.switch_sma_time,
                .hca_agent = own.hca_sma_time,
                .pass = own.pass_time,
                .forward = own.forward_time,
                .cable = longest_cable(graph),
                .buffer = static_cast<std::uint32_t>(own.buffer)};
  plan.signal = own.trap_time;
  if (reads_partition_file(scenario)) {
    Result<std::vector<subnet::PartitionRule>> rules = partition_rules(scenario);
    if (!rules) {
      return pass_on(rules);
    }
    plan.options.partitions = *std::move(rules);
  }
  return plan;
}

}  // namespace weft::study::assembly
