#include "study/assembly/graph_parts.h"

#include <algorithm>
#include <numeric>

namespace weft::study::assembly {

std::vector<std::uint32_t> joined_by(const fabric::Graph& graph,
                                     const std::function<bool(const fabric::Link&)>& joins) {
  std::vector<std::uint32_t> part(graph.nodes.size());
  std::iota(part.begin(), part.end(), 0U);
  const auto root = [&part](std::uint32_t node) {
    while (part[node] != node) {
      node = part[node] = part[part[node]];
    }
    return node;
  };
  for (const fabric::Link& link : graph.links) {
    if (joins(link)) {
      const std::uint32_t a = root(link.a.node.value());
      const std::uint32_t b = root(link.b.node.value());
      part[std::max(a, b)] = std::min(a, b);
    }
  }
  for (std::uint32_t node = 0; node < part.size(); ++node) {
    part[node] = root(node);
  }
  return part;
}

std::vector<std::uint32_t> joined_parts(const fabric::Graph& graph, Joins joins) {
  return joined_by(graph, [&](const fabric::Link& link) {
    return joins == Joins::kCables || graph[link.a.node].domain == graph[link.b.node].domain;
  });
}

}  // namespace weft::study::assembly
