// Reducers of a scenario: which switches have one, and what they are like.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "host/reduction_options.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Adds the reducers that [reduction] asks for, if it is enabled. Errors: a selector that matches no switch, more ports
/// than a switch can have.
[[nodiscard]] Result<void> add_reducers(const scenario::Scenario& scenario, fabric::Graph& graph);

/// Its limits, and the attributes of connections along the trees.
[[nodiscard]] host::ReductionOptions reduction_options(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
