// Validates any graph, whoever made it: what routing and the fabrics take for granted.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// Endpoints come first and have one link each; names are unique and not empty; every port from 0 to Node::ports - 1
/// is the end of exactly one link; rates and propagation delays are above 0; no link joins a node with itself or two
/// planes; all nodes of a plane are connected. The error names the node or link at fault.
[[nodiscard]] Result<void> check(const Graph& graph);

}  // namespace weft::fabric
