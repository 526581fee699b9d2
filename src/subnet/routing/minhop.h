// minhop, OpenSM's default engine and what it falls back to: shortest paths, spread over the ports that begin one.
#pragma once

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// Never fails. Where paths close cycles of buffers, nothing breaks them.
[[nodiscard]] Result<Routes> route_minhop(const RoutingView& view, const EngineOptions& options);

}  // namespace weft::subnet
