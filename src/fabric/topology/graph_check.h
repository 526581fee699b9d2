// Validates any graph, whoever made it: what routing and the fabrics take for granted.
#pragma once

#include <cstddef>

#include "base/result.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// Endpoints come first and have one link each; names are unique and not empty; every port from 0 to Node::ports - 1
/// is the end of exactly one link; rates and propagation delays are above 0; no link joins a node with itself or two
/// planes; all nodes of a plane are connected. The error names the node or link at fault.
[[nodiscard]] Result<void> check(const Graph& graph);

/// The same, with what is at fault, for who knows where that was given: a node or a link of the graph, or no one of
/// them alone.
enum class GraphPart : std::uint8_t { kWhole, kNode, kLink };
struct GraphFault {
  Error error{};
  GraphPart part = GraphPart::kWhole;
  std::size_t index = 0;
};
[[nodiscard]] tl::expected<void, GraphFault> find_fault(const Graph& graph);

}  // namespace weft::fabric
