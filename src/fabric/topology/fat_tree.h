// Folded Clos of 2 or 3 tiers from switches of one radix, whole or as much of it as a number of hosts needs.
//
// Two tiers: "leaf<l>" and "spine<s>". Three: "pod<p>/leaf<l>", "pod<p>/agg<a>", "core<c>"; the cores of aggregation
// switch a are numbered together. A leaf splits its ports into uplinks and host ports (oversubscription), the others
// into halves, a tree's top has downward ports only. With radix k, half of the ports up and single cables, three tiers
// have k^3/4 endpoints, two have k^2/2.
//
// With several ports per NIC, each goes to a leaf of its own: either all of one tree (dual-ToR), where the leaves of
// the hosts of rack r are "rack<r>/leaf<p>" and there is room for as many fewer hosts, or each of a tree of its own
// (planes), where names begin with "plane<p>/". Source: Al-Fares et al., "A scalable, commodity data center network
// architecture", 2008; Leiserson, "Fat-trees", 1985.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "fabric/topology/cable.h"
#include "fabric/topology/graph.h"
#include "fabric/topology/graph_builder.h"
#include "fabric/topology/port_spread.h"

namespace weft::fabric {

struct FatTreeOptions {
  std::uint32_t radix = 8;  // even
  std::uint32_t tiers = 3;  // 2 or 3
  std::uint32_t hosts = 0;  // 0: as many as fit
  std::uint32_t nics_per_host = 1;
  std::uint32_t ports_per_nic = 1;
  PortSpread port_spread = PortSpread::kLeaves;
  std::uint32_t leaf_uplinks = 0;         // of the radix; 0: half of it. Fewer oversubscribe the leaf
  std::uint32_t parallel_links = 1;       // from a leaf to a switch of the second tier
  std::uint32_t core_parallel_links = 1;  // from an aggregation switch to a core
  Cable host_link = kRackCable;
  Cable leaf_link = kRowCable;  // from a leaf upwards
  Cable core_link = kRowCable;  // from an aggregation switch to a core
  Domains domains = Domains::kOne;
};

/// With fewer hosts than fit, leaves are filled one after the other, and leaves and pods without hosts are left out,
/// as are cores with a single pod and everything above a single leaf; what remains keeps all its uplinks.
/// Ports of a switch: downward in order, parallel ones together, then the switches above in turn.
[[nodiscard]] Result<Graph> build_graph(const FatTreeOptions& options);

}  // namespace weft::fabric
