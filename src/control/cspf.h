// Constrained shortest path first: each demand, the largest first, takes a shortest path with enough capacity left.
//
// Of several such paths the one that it fills least ("least fill"); where none has enough, likewise, and the demand
// counts as one that did not fit. Sources: Awduche et al., RFC 2702 (constraint-based routing); Gangidi et al., "RDMA
// over Ethernet for Distributed AI Training at Meta Scale", SIGCOMM 2024, section 5.2, whose controller uses it.
#pragma once

#include <vector>

#include "control/greedy.h"
#include "control/view.h"

namespace weft::control {

[[nodiscard]] OrderedResult place_cspf(CandidatePaths& candidates, const std::vector<Demand>& demands);

}  // namespace weft::control
