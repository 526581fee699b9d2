// Reducers in switches, as endpoints on internal ports: a switch forwards to them and parses nothing.
//
// A reducer has several internal ports, each with an endpoint of its own, as fast as the fastest cable of its switch:
// so a switch goes on cutting through, and no port's credits bound what a reducer sends and takes. Their names are
// "leaf1/reducer/port0"; addresses, routes and positions follow from names and links as for other endpoints.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

struct ReducerOptions {
  std::uint16_t ports = 0;                          // of each reducer; 0: one for each cable of its switch
  Duration propagation = Duration::picoseconds(1);  // of an internal link, > 0
};

/// Adds a reducer to each of the switches. Endpoints and links keep their numbers, and hosts their paths; switches move
/// behind the new endpoints. Internal ports of a switch come after its others. Once for a graph. Errors: a switch named
/// twice, no switch, no delay, more ports than a switch can have.
[[nodiscard]] Result<void> add_reducers(Graph& graph, std::span<const NodeIndex> switches,
                                        const ReducerOptions& options);

/// A reducer of a graph.
struct ReducerSite {
  NodeIndex at;           // its switch
  EndpointId first_port;  // the others follow
  std::uint16_t ports = 0;
};
/// All reducers, in the order of their endpoints.
[[nodiscard]] std::vector<ReducerSite> reducers_of(const Graph& graph);

}  // namespace weft::fabric
