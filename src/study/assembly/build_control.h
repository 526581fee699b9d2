// From [control] to the options of a distributed control plane, and cables that are not where the plan has them.
#pragma once

#include <vector>

#include "base/result.h"
#include "fabric/control/control_options.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Of a scenario that has control; the graph is as cabled.
[[nodiscard]] Result<fabric::ControlOptions> control_options(const scenario::Scenario& scenario,
                                                             const fabric::Graph& graph);

/// Exchanges the cables that control.swapped_cables names. Errors: a port that there is not or that is named twice,
/// ports that are not at the same side of two cables between switches, cables that would join a switch to itself.
[[nodiscard]] Result<void> swap_cables(const scenario::Scenario& scenario, fabric::Graph& graph);

}  // namespace weft::study::assembly
