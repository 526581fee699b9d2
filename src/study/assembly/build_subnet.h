// The InfiniBand subnet that the topology of a scenario is: what a subnet manager would find on it.
#pragma once

#include <vector>

#include "base/time.h"
#include "fabric/topology/graph.h"
#include "subnet/subnet.h"
#include "subnet/swept_subnet.h"

namespace weft::study::assembly {

/// Switches and, for each NIC, an adapter with its ports; nodes are named as in the graph ("leaf0", "host3/nic0"), and
/// ports numbered from 1. GUIDs follow from the names alone, so another host changes none. Ports of reducers are left
/// out. Nothing has a LID. Errors: a switch or a NIC with more ports than a subnet numbers (254).
[[nodiscard]] Result<subnet::Subnet> build_subnet(const fabric::Graph& graph);

struct PlacedSubnet {
  subnet::Subnet subnet;
  /// Per node of the graph: the port that an endpoint is, port 0 of a switch; without a node for ports of reducers.
  std::vector<subnet::PortPlace> places;
};
/// The same, with where it has each node of the graph.
[[nodiscard]] Result<PlacedSubnet> place_subnet(const fabric::Graph& graph);
/// The port at an end of a cable; of a reducer an invalid node.
[[nodiscard]] subnet::PortPlace place_of(const fabric::LinkEnd& end, const fabric::Graph& graph,
                                         const std::vector<subnet::PortPlace>& places);

/// The time along the longest cable of the network.
[[nodiscard]] Duration longest_cable(const fabric::Graph& graph);

/// The subnets that the network consists of, as their managers have found them: parts that no cable joins have one
/// each, at the first NIC port of each. Ports without a cable are in none. `lmc` is of adapters. Errors: those of
/// subnet::sweep.
[[nodiscard]] Result<std::vector<subnet::SweptSubnet>> swept_subnets(const PlacedSubnet& placed,
                                                                     const fabric::Graph& graph, std::uint8_t lmc);

}  // namespace weft::study::assembly
