// Bill of materials, power and cost of a fabric in a comparison.
#pragma once

#include "fabric/topology/graph.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Adds cost, power, bill, what running it costs as far as the scenario says, and what the work costs. `graph` is the
/// scenario's; `tokens` are those of a step, 0 for work without tokens.
void add_costs(report::ComparedFabric& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph,
               double tokens);

}  // namespace weft::study::compare
