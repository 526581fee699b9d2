// A graph given as text: one node or cable per line, "#" begins a comment.
//
//   endpoint host0/nic0
//   switch leaf0 tier=1 domain=0 plane=0 ports=ethernet
//   link host0/nic0 leaf0 rate=400Gbps length=3m
//   link leaf0 spine0 rate=400Gbps delay=150ns
//
// Nodes stand before the links that name them; endpoints and switches may be mixed. The attributes of a switch may be
// left out (tier 1, domain 0, plane 0, the ports that the fabric needs); an endpoint may say what its port is
// (ports=infiniband), and takes domain and plane from its switch. A link has a rate, and a length or a delay. Ports are
// numbered in the order of links; write downward links before upward ones.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

struct GraphText {
  std::string_view text;
  std::string_view name;  // of the file, for errors: "name:line:column: ..."
};

/// The graph, which passes check(). Every error has the line at fault; of an unreachable node that which defines it.
/// Only limits on the graph as a whole have none.
[[nodiscard]] Result<Graph> parse_graph(const GraphText& source);

struct GraphFileOptions {
  std::string file;
};

/// Reads the file and parses it.
[[nodiscard]] Result<Graph> build_graph(const GraphFileOptions& options);

}  // namespace weft::fabric
