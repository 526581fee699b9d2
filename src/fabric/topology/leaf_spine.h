// Leaves with hosts, each joined to every spine: "leaf<l>", "spine<s>". Oversubscription follows from the counts.
// Leaves are filled one after the other; the last one may have fewer hosts and has as many uplinks all the same.
//
// With several ports per NIC, each goes to a leaf of its own: either all of one fabric (dual-ToR), where the leaves of
// the hosts of rack l are "rack<l>/leaf<p>", or each of a fabric of its own (planes), where names begin with
// "plane<p>/".
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"
#include "fabric/topology/port_spread.h"

namespace weft::fabric {

struct LeafSpineOptions {
  std::uint32_t leaves = 4;  // for each port of a NIC
  std::uint32_t spines = 2;  // of each plane
  std::uint32_t hosts_per_leaf = 8;
  std::uint32_t hosts = 0;  // of all leaves; 0: all are full. None may be empty
  std::uint32_t nics_per_host = 1;
  std::uint32_t ports_per_nic = 1;
  PortSpread port_spread = PortSpread::kLeaves;
  std::uint32_t parallel_links = 1;  // from a leaf to a spine
  Cable host_link = kRackCable;
  Cable fabric_link = kRowCable;
  Domains domains = Domains::kOne;
};

/// Endpoints are numbered by host, NIC, port. Ports of a leaf: its endpoints, then the spines in turn; of a spine: the
/// leaves of its plane in order, parallel ones together.
[[nodiscard]] Result<Graph> build_graph(const LeafSpineOptions& options);

}  // namespace weft::fabric
