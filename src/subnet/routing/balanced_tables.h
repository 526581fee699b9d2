// From hops to forwarding tables: of the ports with the fewest hops to a destination, the one with the fewest routes.
//
// Destinations are taken in OpenSM's order: adapters of the switches with most adapters first, these in the order of
// switches and their ports, then all other end ports. Routes to adapters count for balance, routes to switches do not.
// With an LMC above 0 the further LIDs of a port prefer another system, else another node than its LIDs before, and
// start their search one port further. Source: behaviour of OpenSM 3.3.23 with its default options.
#pragma once

#include "subnet/forwarding_tables.h"
#include "subnet/routing/hop_matrix.h"

namespace weft::subnet {

/// What is tried where several neighbours are equally near.
enum class PortChoice : std::uint8_t {
  kAnyNeighbour,    // minhop, updn, dnup
  kFirstNeighbour,  // dor: only ports to the neighbour behind the lowest of them
};

/// `held`: EngineOptions::held. An entry that is kept counts for balance when its turn comes.
[[nodiscard]] ForwardingTables balanced_tables(const RoutingView& view, const HopMatrix& hops, PortChoice choice,
                                               const ForwardingTables* held);

/// End ports in the order in which they get routes.
[[nodiscard]] std::vector<EndPortIndex> routing_order(const RoutingView& view);

}  // namespace weft::subnet
