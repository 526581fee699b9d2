// What two ranks do with each other alone, and the barrier.
//
// Send and receive move the buffer chunk by chunk; the sender may run ahead of the receiver by what the edge's buffer
// holds. The barrier is dissemination: in round k rank r tells r + 2^k and hears from r - 2^k.
// Source: Hensgen, Finkel and Manber, "Two algorithms for barrier synchronization", 1988.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_send(const LaneContext& context, Lanes& lanes);
void add_receive(const LaneContext& context, Lanes& lanes);
void add_barrier(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
