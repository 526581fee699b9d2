// Where the ranks of a job run, as its collectives want to know it.
#pragma once

#include <vector>

#include "fabric/topology/graph.h"
#include "study/assembly/build_scale_up.h"
#include "study/world/world.h"
#include "workload/collective/collectives.h"

namespace weft::study::assembly {

/// Gives each machine with scale-up links the NICs of those of its own host that are in parts of the network where it
/// has none: what it sends there is relayed by their GPUs (workload/relay_rails.h). Nothing changes where the network
/// joins all. `scale_up` may be null. Call once, before layout_of.
void lend_rails(std::vector<world::MachinePlan>& machines, const fabric::Graph& graph, const ScaleUpPlan* scale_up);

/// One site per machine. Rails count as in the machine: those of the fabric first, the scale-up rail behind them. A
/// machine on one port of a host without a GPU of its own has the CPU. `scale_up` may be null.
[[nodiscard]] workload::JobLayout layout_of(const std::vector<world::MachinePlan>& machines, const fabric::Graph& graph,
                                            const ScaleUpPlan* scale_up);

}  // namespace weft::study::assembly
