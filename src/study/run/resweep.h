// What a subnet manager of InfiniBand takes on the same topology to mend its tables after a failure: a closed form, not
// a simulation.
//
// A trap, or the light sweep that finds the change without one, starts a heavy sweep: the manager asks every port for
// what it is, computes all tables, and writes those blocks that have changed. Requests are answered in a constant time,
// so many at once. Sources: OpenSM 3.3.23 for the order of what is asked and the defaults (sweep interval, requests on
// the wire); the answer's time and that of the routing engine are guesses of the scenario.
#pragma once

#include <cstdint>

#include "base/time.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario_control.h"

namespace weft::study::run {

struct ResweepEstimate {
  std::uint64_t discovery = 0;  // requests: NodeInfo, NodeDescription, SwitchInfo, PortInfo
  std::uint64_t blocks = 0;     // of 64 LIDs, at most: all of all switches
  std::uint64_t entries = 0;    // that the routing engine computes
  Duration asking;              // time for each of the three
  Duration routing;
  Duration writing;
  Duration with_trap;     // from the failure until the last table stands
  Duration without_trap;  // at most: the light sweep comes a whole interval later
};

[[nodiscard]] ResweepEstimate estimate_resweep(const fabric::Graph& graph, const scenario::ControlSettings& settings);

}  // namespace weft::study::run
