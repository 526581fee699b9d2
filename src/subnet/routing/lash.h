// lash: shortest paths, each pair of switches in the first virtual lane where its paths close no cycle of buffers.
//
// The path between two switches is that of the first of all breadth-first trees, from each switch in order, in which it
// lies. A pair is both its directions. Source: Skeie, Lysne, Theiss, "Layered Shortest Path (LASH) Routing in Irregular
// System Area Networks", 2002; trees as OpenSM 3.3.23. OpenSM then moves random pairs between lanes to balance them,
// which is not done here: forwarding tables do not depend on it.
#pragma once

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// Errors: a switch that cannot be reached; too few lanes.
[[nodiscard]] Result<Routes> route_lash(const RoutingView& view, const EngineOptions& options);

}  // namespace weft::subnet
