// Torus from the keys of a scenario.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/topologies.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Cables between switches are those of tier `leaf`. Errors: hosts that do not fill all switches alike.
[[nodiscard]] Result<fabric::TopologyOptions> torus_options(const scenario::Scenario& scenario);
/// Longer rings in the last dimension.
void grow_torus(scenario::TopologySettings& topology, std::int64_t hosts);

}  // namespace weft::study::assembly
