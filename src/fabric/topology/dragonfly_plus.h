// Groups of leaves and spines, every two groups joined by cables between their spines: "group<g>/leaf<l>",
// "group<g>/spine<s>". A shortest path crosses one global cable at most.
//
// Global cables of a group go to the other groups in their order and to its own spines in turn, so that the spines of a
// group have equally many, but for one. With fewer cables than spines between two groups, only some spines of a group
// lead to another one. Source: Shpiner et al., "Dragonfly+: low cost topology for scaling datacenters", HiPINEB 2017.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct DragonflyPlusOptions {
  std::uint32_t groups = 4;
  std::uint32_t leaves = 2;  // of a group
  std::uint32_t spines = 2;  // of a group
  std::uint32_t hosts_per_leaf = 4;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;  // from a leaf to a spine of its group
  std::uint32_t global_links = 2;    // between two groups
  Cable host_link = kRackCable;
  Cable leaf_link = kRowCable;
  Cable global_link = kRowCable;
  Domains domains = Domains::kOne;
};

/// Ports of a leaf: its endpoints, then the spines of its group in turn; of a spine: the leaves in order, parallel ones
/// together, then the other groups in order.
[[nodiscard]] Result<Graph> build_graph(const DragonflyPlusOptions& options);

}  // namespace weft::fabric
