// The longest round trip of an idle network, as an algorithm that needs one number for all paths is configured with it.
#pragma once

#include "base/time.h"
#include "fabric/topology/graph.h"
#include "study/scenario.h"

namespace weft::study {

/// A full packet with in-band telemetry there and its acknowledgement back, over the shortest path between the two
/// endpoints of hosts that are farthest apart (found from one end to the other and back, which is exact on trees and
/// fat-trees), and a tenth more. Overrides of latencies do not count.
[[nodiscard]] Duration idle_round_trip(const Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study
