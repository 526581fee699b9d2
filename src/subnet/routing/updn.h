// updn: shortest of the paths that first go up, towards roots, and then down, which close no cycle of buffers.
//
// A root is a switch from which nine of ten adapters are equally many hops away and no more than one of twenty at any
// other distance. Ranks count hops from the nearest root; up is to a lower rank, between equal ranks to the lower GUID.
// Source: behaviour of OpenSM 3.3.23.
#pragma once

#include "subnet/routing/engine.h"
#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// Errors: no root.
[[nodiscard]] Result<Routes> route_updn(const RoutingView& view, const EngineOptions& options);

/// Hops along such paths, by which multicast trees are made, too. Errors: no root.
[[nodiscard]] Result<HopMatrix> updn_hops(const RoutingView& view);

}  // namespace weft::subnet
