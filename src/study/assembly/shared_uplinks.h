// What the ranks of a job share where the network above them is oversubscribed.
#pragma once

#include <vector>

#include "fabric/topology/graph.h"
#include "study/world/world.h"
#include "workload/collective/collectives.h"

namespace weft::study::assembly {

/// For each machine the uplinks that the first of its own rails shares with the job's others and that carry less than
/// these together: those of its switch, of what the tiers up to each one join (pods), and of its group of a dragonfly.
/// Cables as they are at the start. Time: O(tiers x (nodes + links)).
[[nodiscard]] std::vector<std::vector<workload::SharedUplinks>> shared_uplinks(
    const std::vector<world::MachinePlan>& machines, const fabric::Graph& graph);

}  // namespace weft::study::assembly
