// The rule of path pinning: the place of a destination below its leaf names the next hop, whatever the flow.
//
// Meta's first RoCE clusters routed so: "a packet to the path by the destination slice, the index of the downlink of
// the rack switch". Source: Gangidi et al., "RDMA over Ethernet for Distributed AI Training at Meta Scale", SIGCOMM
// 2024, section 5.2.
#pragma once

#include <cstdint>

#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

/// By routes as if all links were up, which have next hops there. Places are counted over the next hops. A third tier
/// sees few of the places by each of its cables, so that there the leaves take turns as well.
[[nodiscard]] inline std::uint16_t pinned_port(const Graph& graph, const Routes& wired, std::uint32_t switch_ordinal,
                                               EndpointId destination) {
  const NextHops planned = wired.next_hops(switch_ordinal, destination);
  const std::uint32_t leaf = wired.leaf_of(destination);
  std::uint32_t slice = wired.next_hops(leaf, destination)[0];
  if (graph.nodes[graph.endpoints + switch_ordinal].tier > 1) {
    slice = slice / planned.size() + leaf;
  }
  return planned[slice % planned.size()];
}

}  // namespace weft::fabric
