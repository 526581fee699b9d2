// Two switches, "leaf0" and "leaf1", with hosts on both sides of one bottleneck.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct DumbbellOptions {
  std::uint32_t left_hosts = 4;
  std::uint32_t right_hosts = 4;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;  // of the bottleneck
  Cable host_link = kRackCable;
  Cable bottleneck = kRowCable;
  Domains domains = Domains::kOne;
};

/// Hosts of the left side come first. The ports of the bottleneck are the last of both switches.
[[nodiscard]] Result<Graph> build_graph(const DumbbellOptions& options);

}  // namespace weft::fabric
