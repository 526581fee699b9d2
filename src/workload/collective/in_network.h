// Collectives that the network's reducers carry out: every member hands over its vector in pieces, a few at once.
//
// All-reduce: each piece comes back to everybody. Reduce: to the root. Reduce-scatter: each part to its owner.
// Source: SHARP (Graham et al., 2016) and NVLS, as verbs/group.h offers them.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_in_network_all_reduce(const LaneContext& context, Lanes& lanes);
void add_in_network_reduce(const LaneContext& context, Lanes& lanes);
void add_in_network_reduce_scatter(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
