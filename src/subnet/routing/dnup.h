// dnup: shortest of the paths that first go away from the adapters and then back: updn upside down, without roots.
//
// Ranks count hops from the nearest switch with adapters. Between equal ranks a path may go at any time. Source:
// behaviour of OpenSM 3.3.23.
#pragma once

#include "subnet/routing/engine.h"
#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// Errors: no switch has an adapter.
[[nodiscard]] Result<Routes> route_dnup(const RoutingView& view, const EngineOptions& options);

/// Hops along such paths, by which multicast trees are made, too. Errors: no switch has an adapter.
[[nodiscard]] Result<HopMatrix> dnup_hops(const RoutingView& view);

}  // namespace weft::subnet
