// Escape paths of nue: the tree by which every switch stays reachable, whatever other paths block.
//
// Its root is the most central switch: that through which most shortest paths between adapters of the virtual lane lead
// (betweenness centrality, with the sums in OpenSM's order, so that ties fall as there). In the tree the paths from all
// switches to all destinations of the lane are used from the start, so no cycle can be closed with them. Sources:
// Domke, Hoefler, Matsuoka, "Routing on the Dependency Graph", 2016; Brandes, "A Faster Algorithm for Betweenness
// Centrality", 2001.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/nue_dependencies.h"
#include "subnet/routing/nue_network.h"

namespace weft::subnet {

/// The tree from its root. `adapters`: per switch, its adapters that are destinations of the lane; not all are 0.
[[nodiscard]] NueTree escape_tree(const NueNetwork& network, const std::vector<std::uint32_t>& adapters);

/// The dependencies of paths in the tree.
void add_escape_paths(const NueNetwork& network, const NueTree& tree, const std::vector<std::uint32_t>& adapters,
                      NueDependencies& dependencies);

}  // namespace weft::subnet
