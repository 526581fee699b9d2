// Rings: every rank passes on to its successor what came from its predecessor, with its own part added or replaced.
//
// The buffer has one segment per rank, and each segment one share per channel; channels have rings of their own
// (MemberLayout). All-reduce is N - 1 steps of reduce-scatter and N - 1 of all-gather; in step s a rank sends one
// segment, chunk by chunk, and a chunk goes on as soon as it has come: steps overlap. Broadcast and reduce are chains.
// Source: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009; NCCL.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_ring_all_reduce(const LaneContext& context, Lanes& lanes);
void add_ring_reduce_scatter(const LaneContext& context, Lanes& lanes);
void add_ring_all_gather(const LaneContext& context, Lanes& lanes);
void add_chain_broadcast(const LaneContext& context, Lanes& lanes);
void add_chain_reduce(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
