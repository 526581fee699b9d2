// Whether paths of a scenario can close cycles of buffers, which wait for each other, and what breaks such cycles on
// InfiniBand: its virtual lanes are divided into two sets of equal size where paths cross the dateline of a ring or an
// intermediate group (fabric/routing/lane_phases.h). Service levels are mapped to lanes of the first.
#pragma once

#include <cstdint>

#include "study/scenario/family.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// Around the rings of a torus, or up again in an intermediate group. What the tables of a subnet manager close is its
/// own affair, and its lanes are used as it says.
[[nodiscard]] inline bool closes_cycles(const Scenario& scenario) {
  return (scenario.topology.kind == TopologyKind::kTorus && !has_manager(scenario.routing)) ||
         detours(scenario.routing.policy);
}

/// Into how many sets lanes are divided.
[[nodiscard]] inline std::int64_t lane_sets(const Scenario& scenario) {
  return is_infiniband(scenario.fabric.family) && closes_cycles(scenario) ? 2 : 1;
}

}  // namespace weft::study::scenario
