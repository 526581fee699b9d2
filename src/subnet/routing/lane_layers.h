// Paths divided among virtual lanes so that no lane has a cycle of channels that wait for each other: dfsssp's way.
//
// All paths begin in lane 0. While the channels of a lane have a cycle, the paths over its weakest dependency, that of
// the fewest paths, move to the next lane. Lanes that stay empty are then filled: paths of a full lane take several.
// Source: Domke, Hoefler, Nagel, "Deadlock-Free Oblivious Routing for Arbitrary Topologies", 2011; order of the search
// as OpenSM 3.3.23.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing/engine.h"

namespace weft::subnet {

struct LaneLayers {
  std::uint32_t needed = 1;          // lanes before empty ones are filled
  std::vector<std::uint64_t> paths;  // per lane that there is, before empty ones are filled
  LanePlan plan;
};

/// Of all pairs of the end ports, in that order, over these tables. Errors: `lanes` are not enough.
[[nodiscard]] Result<LaneLayers> layer_paths(const RoutingView& view, const ForwardingTables& tables,
                                             const std::vector<EndPortIndex>& order, std::uint32_t lanes);

}  // namespace weft::subnet
