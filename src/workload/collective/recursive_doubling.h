// Recursive doubling: all-gather among a power of two of ranks in log2 N steps.
//
// In step i a rank exchanges with the one whose number differs in bit i, each sending all that it has: the parts of
// 2^i ranks. A step begins when the one before it has ended at this rank. It is the second half of halving-doubling
// with the parts where an all-gather wants them: with one channel those of a step are one range of the buffer, with
// several each channel moves its share of every part. The farthest partners exchange the most, which needs full
// bisection bandwidth; small messages gain most beside a ring, whose steps are N - 1. Source: Thakur, Rabenseifner and
// Gropp, "Optimization of collective communication operations in MPICH", 2005.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_recursive_doubling(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
