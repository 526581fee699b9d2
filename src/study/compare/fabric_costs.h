// Bill of materials, power and cost of a fabric as members of the comparison's document.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Adds cost_usd, power_w, bill, and what running it costs as far as the scenario says. `graph` is the scenario's.
void add_costs(nlohmann::ordered_json& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::compare
