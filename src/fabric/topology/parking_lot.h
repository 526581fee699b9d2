// A chain of switches, "leaf0" to "leaf<n-1>", with hosts on each: flows that enter further on share fewer links.
//
// The usual experiment sends from the first host of every switch to hosts of the last: the flow of leaf0 passes all
// links of the chain, the others join it one by one.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"

namespace weft::fabric {

struct ParkingLotOptions {
  std::uint32_t switches = 4;  // at least 2
  std::uint32_t hosts_per_switch = 1;
  std::uint32_t nics_per_host = 1;
  std::uint32_t parallel_links = 1;
  Cable host_link = kRackCable;
  Cable chain_link = kRowCable;
  Domains domains = Domains::kOne;
};

/// Hosts are numbered along the chain. Ports of a switch: its hosts, then the previous switch, then the next.
[[nodiscard]] Result<Graph> build_graph(const ParkingLotOptions& options);

}  // namespace weft::fabric
