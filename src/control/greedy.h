// Each demand, in the order given, takes the path that it fills least; nothing that was placed moves again.
//
// What a controller does that takes flows as they come: the list schedule of Graham ("Bounds on multiprocessing timing
// anomalies", SIAM Journal on Applied Mathematics 17, 1969). Demands of one pair of switches over n disjoint equal
// paths come to at most 2 - 1/n of the best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "control/view.h"

namespace weft::control {

[[nodiscard]] Placement place_greedily(CandidatePaths& candidates, const std::vector<Demand>& demands);

/// The same in another order, which names each demand once.
struct OrderedResult {
  Placement placement;
  std::uint32_t unfit = 0;  // demands that share a path with less capacity left than they need
};
[[nodiscard]] OrderedResult place_in_order(CandidatePaths& candidates, const std::vector<Demand>& demands,
                                           const std::vector<std::size_t>& order);

}  // namespace weft::control
