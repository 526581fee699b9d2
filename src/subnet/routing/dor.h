// dor: shortest paths that begin at the lowest of the ports, and at others to the same neighbour in turn.
//
// Where each dimension of a mesh or hypercube is cabled to ports of its own in the same order on every switch, that is
// routing in the order of dimensions. Rings of a torus still close cycles of buffers.
#pragma once

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// Never fails.
[[nodiscard]] Result<Routes> route_dor(const RoutingView& view, const EngineOptions& options);

}  // namespace weft::subnet
