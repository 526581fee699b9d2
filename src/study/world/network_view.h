// The switches of a network as a traffic controller sees them (control/view.h), and its paths as entries of their
// tables.
//
// A vertex is the ordinal of a switch. Links of endpoints, reducers among them, are no part of it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "control/view.h"
#include "fabric/port_map.h"
#include "fabric/routing/leaf_flow.h"
#include "fabric/routing/pinned_flows.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::study::world {

enum class PlacementAlgorithm : std::uint8_t { kCspf, kGreedy, kMinMax, kCommunicators };

/// What a switch does with a flow that it has an entry for.
struct PathHop {
  std::uint32_t switch_ordinal = 0;
  std::uint16_t port = 0;

  friend bool operator==(const PathHop&, const PathHop&) = default;
};
using FlowHops = std::vector<PathHop>;

class NetworkView {
 public:
  /// The graph outlives this.
  explicit NetworkView(const fabric::Graph& graph);

  /// All links up, with the rates of the graph and without load; whoever knows better changes a copy.
  [[nodiscard]] const control::View& view() const { return view_; }
  /// The egress port of a link of the view.
  [[nodiscard]] PathHop hop_of(control::ArcIndex arc) const { return hops_[arc.value()]; }
  /// The link of the view that begins at the port; none of a port to an endpoint.
  [[nodiscard]] std::optional<control::ArcIndex> arc_of(const PathHop& hop) const;
  /// The switch that the endpoint's cable ends in.
  [[nodiscard]] control::Vertex leaf_of(EndpointId endpoint) const { return leaves_[endpoint.value()]; }
  [[nodiscard]] Rate line_of(EndpointId endpoint) const { return lines_[endpoint.value()]; }

  [[nodiscard]] FlowHops hops_of(const control::Path& path) const;
  /// The same cables from the other end.
  [[nodiscard]] static control::Path reversed(const control::Path& path);

 private:
  control::View view_;
  std::vector<PathHop> hops_;                                        // per link of the view
  std::vector<std::vector<std::optional<control::ArcIndex>>> arcs_;  // per switch and port
  std::vector<control::Vertex> leaves_;                              // per endpoint
  std::vector<Rate> lines_;                                          // likewise
};

/// Writes the entries of a path into the tables of those of its switches at which `wired` (routes with all links up)
/// leaves the flow a choice; `table_of(ordinal)` is a PinnedFlows&. Unset: a table had no room, and none has an entry.
template <class TableOf>
[[nodiscard]] std::optional<FlowHops> install_path(const fabric::LeafFlow& flow, const FlowHops& path,
                                                   const fabric::Routes& wired, TableOf&& table_of) {
  FlowHops written;
  for (const PathHop& hop : path) {
    if (wired.next_hops(hop.switch_ordinal, flow.destination).size() < 2) {
      continue;
    }
    if (table_of(hop.switch_ordinal).install(flow, hop.port) == fabric::PinnedFlows::Outcome::kFull) {
      for (const PathHop& other : written) {
        table_of(other.switch_ordinal).remove(flow);
      }
      return std::nullopt;
    }
    written.push_back(hop);
  }
  return written;
}

/// Flows and what they ask for; those whose ends are at one switch are no matter of a placement.
struct DemandedFlow {
  fabric::LeafFlow flow;
  Rate rate;
};

/// Where flows are to go.
struct FlowPlacement {
  struct Placed {
    fabric::LeafFlow flow;
    Rate rate;
    control::Path path;
  };
  std::vector<Placed> placed;  // in the order of the flows
  double highest = 0;          // utilisation of a link, of what was placed and the background
};
/// Flows that share a link with one before them, each counted once.
[[nodiscard]] std::uint32_t conflicts_among(const std::vector<FlowPlacement::Placed>& flows);

/// By the algorithm, over the links of `view`, which is that of the network with what is known of its links; at most
/// `most_paths` candidates between two switches. kCommunicators takes all flows to be equal.
[[nodiscard]] FlowPlacement place_flows(const NetworkView& network, const control::View& view,
                                        const std::vector<DemandedFlow>& flows, PlacementAlgorithm algorithm,
                                        std::uint32_t most_paths);

/// What flows would send if the network between the leaves were no limit: max-min rates under the lines of their
/// senders and receivers alone. Source: Al-Fares et al., "Hedera: dynamic flow scheduling for data center networks",
/// NSDI 2010, section 4.2.
[[nodiscard]] std::vector<Rate> host_limited_rates(const NetworkView& network,
                                                   const std::vector<fabric::LeafFlow>& flows);

}  // namespace weft::study::world
