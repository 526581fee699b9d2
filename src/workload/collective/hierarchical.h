// Hierarchical operations: inside each group (a scale-up domain, or a host) by direct exchange, between groups by rings
// of the members with the same number, one ring per rail.
//
// All-reduce: each member gathers its group's sum of its own share (1/g of the buffer), the ring of its rail reduces
// that share over all groups, and the share goes back to the group. All three go on at once, chunk by chunk in the
// order in which the ring wants the chunks. Groups must be of one size. With a reducer in the domain the first stage
// can be rooted reductions in the network instead.
// Source: NCCL's and Horovod's hierarchical all-reduce; rails as in "Alibaba HPN", SIGCOMM 2024.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_hierarchical_all_reduce(const LaneContext& context, Lanes& lanes);
void add_hierarchical_reduce_scatter(const LaneContext& context, Lanes& lanes);
void add_hierarchical_all_gather(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
