// nue: paths that close no cycle of buffers with any number of virtual lanes, one lane included.
//
// Adapters are divided among lanes in turn, in the order of their GUIDs. Within a lane, paths to one destination after
// the other are searched for in the complete channel dependency graph (nue_search.h). Paths to switches, which carry
// no data, come last: shortest ones, on lane 0, which may close cycles. All as OpenSM 3.3.23 without METIS and with
// `nue_include_switches FALSE`, whose slip after a shortcut closes a cycle of data, too, in rare networks. Source:
// Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", 2016.
#pragma once

#include <span>

#include "subnet/routing/cable_tree.h"
#include "subnet/routing/engine.h"
#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// Lanes: the lower of `options.lanes` and `options.nue_lanes`. Errors: a switch that cannot be reached; paths that go
/// round in a loop, with which OpenSM would not end.
[[nodiscard]] Result<Routes> route_nue(const RoutingView& view, const EngineOptions& options);

/// Hops between switches as far as the roots of multicast trees are chosen by them. OpenSM does not count those of
/// paths to switches and takes what the search for the last adapter has left, so that adapter's switch is the root of
/// most groups. Errors: as above.
[[nodiscard]] Result<HopMatrix> nue_hops(const RoutingView& view, const EngineOptions& options);

/// Trees of shortest paths from switches, by the weights that routing has left: those of multicast groups. A root that
/// is not valid has an empty tree. Errors: as above.
[[nodiscard]] Result<std::vector<CableTree>> nue_trees(const RoutingView& view, const EngineOptions& options,
                                                       std::span<const SwitchIndex> roots);

}  // namespace weft::subnet
