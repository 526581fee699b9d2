// How much work a run will be, before it is built: packet-hops, roughly.
//
// What a composed step takes depends on what its probes meet. The least is its probes alone; the most is what its
// slices may take (job.slice_hops) if flows share links. What that is in real time depends on the machine and on the
// network: whoever wants to know measures a short run.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct HopsEstimate {
  double least = 0;
  double most = 0;
};

/// `graph` is the scenario's. Errors: those of building its traffic or its step.
[[nodiscard]] Result<HopsEstimate> estimate_hops(const scenario::Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study::run
