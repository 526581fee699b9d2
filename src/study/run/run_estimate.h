// How much work a run will be, before it is built: packet-hops, roughly.
//
// Counted are the packets of the network and of scale-up links. A composed step takes its probes, around rings of as
// many chunks as these need, what settling takes of operations whose members are behind several switches (what is left
// of job.slice_hops at most, which slices that do not settle use up), and what runs beside it in the meantime. Which
// algorithm an operation gets, and how soon its slices settle, is assumed, not known: hence two bounds. Whether its
// flows meet, and slices settle at all, can be looked up in routes and hashes, or is taken to be so.
// At the flow level there are none, but for those of its probes: zeros.
//
// What that is in real time depends on the machine and on the network: whoever wants to know measures a short run.
#pragma once

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct HopsEstimate {
  double least = 0;
  double most = 0;
  /// Nodes of all ranks' graphs that steps walk through, beside their packet-hops.
  double nodes = 0;
};

struct EstimateOptions {
  /// Connections are opened as for a run, and their flows followed through the network: takes as long as setting up the
  /// run. Left out of jobs of more than 1,024 ranks, and where no operation leads over several switches.
  bool follows_flows = false;
  double check_hops = 0;  // for measuring the error of a composed step with a smaller job; 0: that is not done
};

/// `graph` is the scenario's. Errors: those of building its traffic or its step.
[[nodiscard]] Result<HopsEstimate> estimate_hops(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                                 const EstimateOptions& options = {});

}  // namespace weft::study::run
