// The subnet managers of a scenario's network, which bring it up from agents as after power-up.
//
// Parts of the network that no cable joins are subnets with a manager each, at the first NIC port of each, as in
// subnet_routes.h; they come up beside one another. MADs and data share no wire (docs/decisions/0070).
#pragma once

#include <vector>

#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"
#include "subnet/manager/sweep_study.h"

namespace weft::study::assembly {

/// One per subnet, of a scenario with scenario::starts_cold(). Errors: a subnet that cannot be built or has too few
/// LIDs; a sweep that does not end within a day.
[[nodiscard]] Result<std::vector<subnet::SweepStudy>> start_subnets(const scenario::Scenario& scenario,
                                                                    const fabric::Graph& graph);

}  // namespace weft::study::assembly
