// dfsssp: the paths of sssp, divided among virtual lanes so that they close no cycle of buffers (lane_layers.h).
#pragma once

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// Errors: a switch that cannot be reached; too few lanes.
[[nodiscard]] Result<Routes> route_dfsssp(const RoutingView& view, const EngineOptions& options);

}  // namespace weft::subnet
