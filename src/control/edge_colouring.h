// Colours the edges of a bipartite multigraph so that edges that meet have different colours: flows from leaf to leaf,
// with spines for colours, so that no two flows share a link.
//
// With as many colours as the busiest node has edges, or more, no two edges that meet have one colour (König's
// theorem). With fewer, each node has no more than its number of edges over the colours, rounded up, of any colour: it
// is taken as several nodes with as many edges as there are colours (de Werra, "Balanced schedules", INFOR 9, 1971).
// Time: edges times nodes. Source: König, "Über Graphen und ihre Anwendung", Mathematische Annalen 77, 1916.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::control {

/// Joins a node of the left to a node of the right; each side counts from 0.
struct BipartiteEdge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

/// For each edge a colour below `colours`, which is above 0.
[[nodiscard]] std::vector<std::uint32_t> colour_edges(const std::vector<BipartiteEdge>& edges, std::uint32_t colours);

}  // namespace weft::control
