// How the subnet of a run came up before it.
#pragma once

#include <optional>

#include "fabric/topology/graph.h"
#include "study/results/subnet_row.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

/// None of a scenario whose subnet is configured when the run begins. Simulates the managers.
[[nodiscard]] std::optional<results::SubnetRow> subnet_row(const scenario::Scenario& scenario,
                                                           const fabric::Graph& graph);

}  // namespace weft::study::run
