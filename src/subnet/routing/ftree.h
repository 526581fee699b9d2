// ftree: routes for fat-trees that carry shift patterns without two flows on a link, one adapter after the other.
//
// From the leaf of an adapter its descending routes go up by the least used cable, and at each switch on that path all
// switches below get their ascending routes by the least used cables. Leaves with fewer adapters than others route for
// those that are missing, too, so that the pattern stays regular. Source: as fat_tree.h.
#pragma once

#include "subnet/routing/engine.h"
#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// Errors: the subnet is no fat-tree, and why; an LMC above 0.
[[nodiscard]] Result<Routes> route_ftree(const RoutingView& view, const EngineOptions& options);

/// Hops of the routes between switches, by which multicast trees are made. Errors: as above.
[[nodiscard]] Result<HopMatrix> ftree_hops(const RoutingView& view);

}  // namespace weft::subnet
