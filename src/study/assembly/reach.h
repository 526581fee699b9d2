// Whether a family's packets can get from one participant of a job to another at all.
//
// RoCEv1 has no IP header, so no router passes it on, and an InfiniBand subnet ends at its routers; ports of InfiniBand
// and of Ethernet do not understand each other. Nor does any packet get from one plane to another, or from rail to rail
// where there are no spines. Such scenarios are refused with the boundary named; collectives and jobs know their rails.
#pragma once

#include <span>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/assembly/build_traffic.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Errors name the traffic, the two participants, and the cable where the boundary is.
[[nodiscard]] Result<void> check_reach(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                       std::span<const TrafficPlan> plans);

}  // namespace weft::study::assembly
