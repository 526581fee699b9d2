// Tables of a subnet manager: what they need of a scenario, and what they leave no room for.
#include <algorithm>

#include "study/scenario/fail_at.h"
#include "study/scenario/family.h"
#include "study/scenario/scenario_validate.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::scenario {
namespace {

/// With lanes of the engine no service level is left to choose.
Result<void> validate_levels(const Scenario& scenario) {
  const std::string_view engine = word_of(scenario.routing.engine);
  for (const auto& [key, level] : {std::pair{"qos.data_sl", scenario.qos.data_sl},
                                   {"qos.ack_sl", scenario.qos.ack_sl},
                                   {"qos.cnp_sl", scenario.qos.cnp_sl}}) {
    if (level != 0) {
      return fail_at(scenario, key, "{} gives each path its service level (routing.engine); leave it out", engine);
    }
  }
  if (!scenario.devices.infiniband.sl2vl.empty()) {
    return fail_at(scenario, "infiniband.sl2vl",
                   "service levels of {} (routing.engine) are virtual lanes of the same number; leave it out", engine);
  }
  for (std::size_t i = 0; i < scenario.traffic.size(); ++i) {
    if (scenario.traffic[i].priority) {
      return fail_at(scenario, fmt::format("traffic[{}].priority", i),
                     "{} gives each path its service level (routing.engine); leave it out", engine);
    }
  }
  return scenario.reduction.enabled
             ? fail_at(
                   scenario, "reduction.enabled",
                   "{} has no lanes for the ports of reducers; use routing.engine = \"ftree\", \"updn\" or \"d-mod-k\"",
                   engine)
             : Result<void>();
}

Result<void> validate_start(const Scenario& scenario) {
  if (scenario.subnet.start != SubnetStart::kCold) {
    return {};
  }
  const Family family = scenario.fabric.family;
  if (!is_infiniband(family)) {
    // A comparison of families may have it for those that have a manager.
    return rank_of(scenario, "subnet.start") < rank_of(scenario, "fabric.family")
               ? Result<void>()
               : fail_at(scenario, "subnet.start",
                         "'cold' is of InfiniBand's subnet manager, and {} has none; leave it out", word_of(family));
  }
  const RoutingSettings& routing = scenario.routing;
  if (!has_manager(routing)) {
    return fail_at(scenario, "subnet.start",
                   "'cold' needs the tables of a subnet manager; set routing.engine, to \"ftree\" for example");
  }
  return routing.engine == RoutingEngine::kFile
             ? fail_at(scenario, "subnet.start",
                       "'cold' computes the tables, and routing.engine = \"file\" has them already; name an engine")
             : Result<void>();
}

}  // namespace

bool starts_cold(const Scenario& scenario) {
  return scenario.subnet.start == SubnetStart::kCold && is_infiniband(scenario.fabric.family);
}

Result<void> validate_manager(const Scenario& scenario) {
  const RoutingSettings& routing = scenario.routing;
  if (Result<void> start = validate_start(scenario); !start) {
    return start;
  }
  if (!routing.reroute_delay && !simulates_resweeps(routing) &&
      rank_of(scenario, "routing.reroute_delay") >= rank_of(scenario, "fabric.family")) {
    return fail_at(scenario, "routing.reroute_delay",
                   "\"auto\" is what a subnet manager takes, and none computes the tables of this run; set a time, or "
                   "routing.engine to one of OpenSM's");
  }
  if (!has_manager(routing)) {
    return {};
  }
  if (routing.engine == RoutingEngine::kFile && routing.tables.empty()) {
    return fail_at(scenario, "routing.engine", "'file' needs routing.tables");
  }
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    if (scenario.failures[i].kind == FailureKind::kSubnetManager && routing.engine == RoutingEngine::kFile) {
      return fail_at(scenario, fmt::format("failure[{}].kind", i),
                     "tables of a file have no manager that could fail (routing.engine = \"file\"); name an engine");
    }
  }
  return assigns_lanes(routing) ? validate_levels(scenario) : Result<void>();
}

}  // namespace weft::study::scenario
