// What a subnet manager makes of a scenario's network: forwarding tables and service levels by `routing.engine`. Whose
// manager, and where: managed_network.h.
#pragma once

#include <string>

#include "base/result.h"
#include "fabric/routing/linear_tables.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

struct SubnetRoutes {
  fabric::LinearTables tables;
  fabric::PathLevels levels;  // empty: the engine gives none
};

/// Of a scenario with scenario::has_manager(). Errors, with their place: an engine that cannot route the network; a
/// file that cannot be read or is of another network; fewer LIDs in it than `routing.lmc` asks for; a path that is
/// missing, goes round in a loop or is too long.
[[nodiscard]] Result<SubnetRoutes> subnet_routes(const scenario::Scenario& scenario, const fabric::Graph& graph);

/// The cycle of buffers that tables of a manager close at the beginning of a run, where credits can wait for each other
/// for ever, in one sentence; empty: there is none, no manager, or its engine keeps paths off such cycles. Errors: as
/// above.
[[nodiscard]] Result<std::string> buffer_cycle(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::assembly
