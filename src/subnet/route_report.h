// What forwarding tables come to: whether every adapter reaches every other, how many routes each cable carries, and
// whether buffers can wait for each other in a cycle.
//
// A route is an ordered pair of LIDs of different adapters. A channel is one direction of a cable between switches, on
// one virtual lane; a route that enters a switch by one channel and leaves by another makes the first wait for the
// second. Credits can block for ever exactly where channels of a lane wait in a cycle (Dally and Seitz, "Deadlock-Free
// Message Routing in Multiprocessor Interconnection Networks", 1987).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "subnet/routing/engine.h"

namespace weft::subnet {

/// An egress port of a switch.
struct Egress {
  SwitchIndex at;
  PortNumber port = 0;

  friend bool operator==(const Egress&, const Egress&) = default;
};

struct RouteEnds {
  Lid from = 0;
  Lid to = 0;
};

/// The egress ports from the switch of the source to the destination. Errors: a LID of no port; a switch without a
/// route; a loop.
[[nodiscard]] Result<std::vector<Egress>> trace_route(const RoutingView& view, const ForwardingTables& tables,
                                                      const RouteEnds& ends);

struct CableLoad {
  Egress egress;
  std::uint64_t routes = 0;
};

struct LaneReport {
  std::uint32_t lane = 0;
  std::uint64_t routes = 0;
  std::vector<Egress> cycle;  // channels that wait for each other, in order; empty: there is no cycle
};

struct RouteReport {
  std::uint64_t routes = 0;  // that lead to their destination
  std::uint64_t broken = 0;  // that do not
  std::optional<RouteEnds> first_broken;
  std::uint64_t looping = 0;  // of those, that go round in a loop
  std::optional<RouteEnds> first_looping;
  std::uint64_t hops = 0;         // cables between switches, summed over routes
  std::uint32_t longest = 0;      // the most of one route
  std::vector<CableLoad> cables;  // both directions of each between switches, in the order of switches and ports
  std::vector<LaneReport> lanes;  // with routes

  [[nodiscard]] bool has_cycle() const;
};

[[nodiscard]] RouteReport report_routes(const RoutingView& view, const Routes& routes);

}  // namespace weft::subnet
