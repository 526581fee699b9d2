// Small questions put to a fabric beside the job itself: how long a small message takes on the idle network and beside
// load, and what a failed link costs.
//
// Each is the scenario with its work replaced: the same topology, devices, classes and routing. `graph` is that of the
// scenario; messages go between the first NICs of hosts, with buffers in host memory.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "fabric/topology/graph.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// Payload of the small messages.
inline constexpr Bytes kSmallMessage{64};

/// One message after the other from the first host to the one that is furthest in the order of hosts.
[[nodiscard]] scenario::Scenario idle_probe(const scenario::Scenario& scenario, const fabric::Graph& graph);
/// Small messages between some pairs of hosts, beside large ones from every NIC to the same NIC half the cluster away,
/// or, where not all NICs are on one network, from the first NICs alone.
enum class Load : std::uint8_t { kAllNics, kFirstNics };
[[nodiscard]] scenario::Scenario loaded_probe(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                              Load load);
/// Name of the traffic that the probes are about.
inline constexpr const char* kProbeTraffic = "small";

/// Large messages between pairs of hosts half the cluster apart, to the next NIC there: what a link between switches
/// may fail under.
[[nodiscard]] scenario::Scenario fault_probe(const scenario::Scenario& scenario, const fabric::Graph& graph);
/// The same with the link of that port out of order from a third of `healthy` on.
[[nodiscard]] scenario::Scenario with_failed_link(scenario::Scenario probe, const std::string& port, Duration healthy);

}  // namespace weft::study::compare
