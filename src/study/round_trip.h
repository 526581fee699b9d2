// The round trip of a full packet and its acknowledgement over the longest path of an empty network.
#pragma once

#include "base/time.h"
#include "fabric/topology/graph.h"
#include "study/scenario.h"

namespace weft::study {

/// An estimate from above, for sizes and first timers: every hop has the longest cable and the slowest rate of the
/// graph, every switch stores and forwards. The longest path is found by two searches through the switches, which is
/// exact in trees and close elsewhere. Zero for a graph without links.
[[nodiscard]] Duration longest_round_trip(const Scenario& scenario, const fabric::Graph& graph);

}  // namespace weft::study
