// Where the ranks of a job run, as its collectives want to know it.
#pragma once

#include <vector>

#include "fabric/topology/graph.h"
#include "study/assembly/build_scale_up.h"
#include "study/world/world.h"
#include "workload/collective/collectives.h"

namespace weft::study::assembly {

/// One site per machine. Rails count as in the machine: those of the fabric first, the scale-up rail behind them. A
/// machine on one port of a host without a GPU of its own has the CPU. `scale_up` may be null.
[[nodiscard]] workload::JobLayout layout_of(const std::vector<world::MachinePlan>& machines, const fabric::Graph& graph,
                                            const ScaleUpPlan* scale_up);

}  // namespace weft::study::assembly
