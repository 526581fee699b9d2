// sssp: shortest weighted paths, each avoiding links that earlier ones take (weighted_tables.h); on lane 0 alone.
#pragma once

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// Errors: a switch that cannot be reached. Where paths close cycles of buffers, nothing breaks them.
[[nodiscard]] Result<Routes> route_sssp(const RoutingView& view, const EngineOptions& options);

}  // namespace weft::subnet
