// Recursive halving and doubling: all-reduce among a power of two of ranks in 2 log2 N steps.
//
// In step i a rank exchanges with the one whose number differs in the i-th highest bit: each sends the half that the
// other will own and adds the half that comes; then the same in reverse, without adding. A step begins when the one
// before it has ended at this rank. Each channel takes all steps with its own part of the buffer, so none waits for
// another. The farthest partners exchange the most, which needs full bisection bandwidth.
// Source: Thakur, Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", 2005.
#pragma once

#include "workload/collective/lane.h"

namespace weft::workload {

void add_halving_doubling(const LaneContext& context, Lanes& lanes);

}  // namespace weft::workload
