// What the results of a run say of its scenario, whatever level it was run at.
#pragma once

#include "fabric/topology/graph.h"
#include "study/results/results.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

[[nodiscard]] results::RunEnd end_of(Simulation::End end);

/// Everything that follows from the scenario alone.
void describe_scenario(const scenario::Scenario& scenario, const fabric::Graph& graph, results::RunInfo& run);

}  // namespace weft::study::run
