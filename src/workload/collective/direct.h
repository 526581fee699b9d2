// Direct exchange: every rank deals with every other itself, one after the other, beginning with its neighbour, so that
// at equal speed no two ranks send to the same one.
//
// Reduce-scatter: each part goes straight to its owner, who adds. All-gather: each part goes from its owner to all.
// All-reduce is both, chunk by chunk. All-to-all is pairwise: in step i rank r sends to the one i ahead and receives
// from the one i behind; where groups are equal, i / n groups and i % n places in a group of n, as NCCL orders its
// exchanges.
//
// In a sample (CollectiveRequest::ring_steps) the steps that are run stand at distances that spread evenly over all,
// however many they are: a shorter sample is the beginning of a longer one.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_direct_all_reduce(const LaneContext& context, Lanes& lanes);
void add_direct_reduce_scatter(const LaneContext& context, Lanes& lanes);
void add_direct_all_gather(const LaneContext& context, Lanes& lanes);
void add_pairwise_all_to_all(const LaneContext& context, Lanes& lanes);

/// Steps in which each member exchanges with another directly, of a request with a resolved algorithm; 0: it is none.
[[nodiscard]] std::uint32_t exchange_steps_of(const CollectiveRequest& request, std::uint32_t members);

}  // namespace weft::workload
