#include "fabric/routing/lane_phases.h"

#include <utility>

#include "base/assert.h"

namespace weft::fabric {

LanePhases::LanePhases(const Graph& graph, const PortMap& ports) : ports_(ports.size()) {
  for (const Link& link : graph.links) {
    for (const auto& [near, far] : {std::pair(link.a, link.b), {link.b, link.a}}) {
      const Node& own = graph[near.node];
      const Node& other = graph[far.node];
      WEFT_ASSERT(link.ring.dimension <= kDimension);
      unsigned behind = link.ring.dimension | (link.ring.wraps ? std::uint8_t{kCloses} : 0U);
      if (other.kind == NodeKind::kEndpoint) {
        behind |= kEndpoint;
      } else if (own.kind == NodeKind::kSwitch && (other.tier > own.tier || other.group != own.group)) {
        behind |= kRises;
      }
      ports_[ports.at(near)] = static_cast<std::uint8_t>(behind);
    }
  }
}

}  // namespace weft::fabric
