// A torus of one to three dimensions: every switch has hosts, and in each dimension a cable to the switch above and one
// to the switch below, the last of a ring being below the first: "switch<x>-<y>-<z>".
//
// A ring of two is one cable. Rings of cables close cycles of buffers: what is lossless needs the routing and the lanes
// of fabric/routing/dimension_order.h and lane_phases.h. Source: Dally and Towles, "Principles and Practices of
// Interconnection Networks", 2004, chapter 5.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct TorusOptions {
  static constexpr std::size_t kMaxDimensions = 3;

  std::vector<std::uint32_t> sizes{4, 4};  // switches of a ring in each dimension, each 2 or more
  std::uint32_t hosts_per_switch = 1;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;  // between neighbours
  Cable host_link = kRackCable;
  Cable ring_link = kRowCable;  // folded: the cable that closes a ring is no longer than others
  Domains domains = Domains::kOne;
};

/// Switches and their hosts in the order of places, the first dimension fastest. Ports of a switch: its endpoints, then
/// for each dimension the cables upwards and the cables downwards; in a ring of two there is one direction.
[[nodiscard]] Result<Graph> build_graph(const TorusOptions& options);

}  // namespace weft::fabric
