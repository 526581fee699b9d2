// How the subnet manager of a scenario sweeps: its options, and what MADs take on the scenario's devices.
//
// The one place where [subnet] becomes times: a cold start, tables after failures, `weft subnet sweep` and the manager
// beside switches that decide for themselves all simulate this plan.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"
#include "subnet/manager/sweep_study.h"

namespace weft::study::assembly {

/// With the scenario's engine, else with min-hop, OpenSM's default; without the manager's port and failures. All cables
/// take as long as the longest. Errors: a partitions.conf that cannot be read.
[[nodiscard]] Result<subnet::SweepPlan> manager_plan(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::assembly
