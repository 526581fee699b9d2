// Which nodes of a network reach one another at all.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "fabric/topology/graph.h"

namespace weft::study::assembly {

/// What leads from one node to another: every cable, or those alone whose ends are in one layer-2 domain.
enum class Joins : std::uint8_t { kCables, kBridges };

/// For each node the lowest one that it reaches over such cables; the same for all that reach one another.
/// O(nodes + links).
[[nodiscard]] std::vector<std::uint32_t> joined_by(const fabric::Graph& graph,
                                                   const std::function<bool(const fabric::Link&)>& joins);
/// The same.
[[nodiscard]] std::vector<std::uint32_t> joined_parts(const fabric::Graph& graph, Joins joins);

}  // namespace weft::study::assembly
