// Leaves with hosts, each joined to every spine: "leaf<l>", "spine<s>". Oversubscription follows from the counts.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct LeafSpineOptions {
  std::uint32_t leaves = 4;
  std::uint32_t spines = 2;
  std::uint32_t hosts_per_leaf = 8;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;  // from a leaf to a spine
  Cable host_link = kRackCable;
  Cable fabric_link = kRowCable;
  Domains domains = Domains::kOne;
};

/// Ports of a leaf: its endpoints, then the spines in turn; of a spine: the leaves in order, parallel ones together.
[[nodiscard]] Result<Graph> build_graph(const LeafSpineOptions& options);

}  // namespace weft::fabric
