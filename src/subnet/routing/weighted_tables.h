// Forwarding tables from shortest weighted paths, one destination after the other: what sssp and dfsssp share.
//
// All links begin with the same weight, the square of the number of LIDs, so that fewer hops always win. After each
// LID the links of its tree become heavier by the LIDs of the switches whose paths take them, and later trees avoid
// them. Source: Hoefler, Schneider, Lumsdaine, "Optimized Routing for Large-Scale InfiniBand Networks", 2009; ties as
// OpenSM 3.3.23.
#pragma once

#include <span>

#include "subnet/forwarding_tables.h"
#include "subnet/routing/cable_tree.h"

namespace weft::subnet {

/// Errors: a switch that cannot be reached.
[[nodiscard]] Result<ForwardingTables> weighted_tables(const RoutingView& view);

/// Trees of shortest paths from switches, by the weights that routing has left: those of multicast groups. A root that
/// is not valid has an empty tree. Errors: as above.
[[nodiscard]] Result<std::vector<CableTree>> weighted_trees(const RoutingView& view,
                                                            std::span<const SwitchIndex> roots);

/// End ports in the order in which they get routes: adapters of the switches with most LIDs first, then switches.
[[nodiscard]] std::vector<EndPortIndex> weighted_order(const RoutingView& view);

}  // namespace weft::subnet
