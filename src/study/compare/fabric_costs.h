// Bill of materials, power and cost of a fabric in a comparison.
#pragma once

#include "fabric/topology/graph.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Adds cost, power, bill, and what running it costs as far as the scenario says. `graph` is the scenario's.
void add_costs(report::ComparedFabric& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::compare
