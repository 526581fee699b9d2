// Dragonfly+ from the keys of a scenario.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/topologies.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Cables of a group are those of tier `leaf`, those between groups of tier `spine`. Errors: hosts that do not fill
/// whole groups, no number of hosts per leaf.
[[nodiscard]] Result<fabric::TopologyOptions> dragonfly_plus_options(const scenario::Scenario& scenario);
/// More groups of the same size.
void grow_groups(scenario::TopologySettings& topology, std::int64_t hosts);

}  // namespace weft::study::assembly
