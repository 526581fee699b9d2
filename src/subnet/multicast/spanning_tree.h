// Multicast routes as OpenSM 3.3.23 makes them: a spanning tree for each multicast LID, and the forwarding tables of
// it.
//
// The root is the switch with the fewest hops to the member that is farthest from it, a hop to an adapter included; of
// equal ones the first in the manager's order. Hops are those of the unicast engine. With minhop, updn, dnup, ftree,
// dor and lash each switch of the tree reaches a member through its first port with the fewest hops to the member's
// switch. With sssp, dfsssp and nue the tree is that of the shortest paths from the root by the weights that unicast
// routes have left; of nue, hops of roots are what OpenSM takes for them (routing/nue.h). Members of every kind are in
// the tree, those that only send included. A group with fewer than two has no entries.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "subnet/multicast/multicast_tables.h"
#include "subnet/routing/engine.h"

namespace weft::subnet {

struct MulticastGroup {
  Lid lid = 0;
  std::vector<EndPortIndex> members;  // each once
};

struct MulticastTree {
  SwitchIndex root{};       // invalid: fewer than two members
  std::uint32_t depth = 0;  // switches on the longest path from the root, with it
  std::vector<EndPortIndex> unreached;
};

struct MulticastRoutes {
  MulticastTables tables;
  std::vector<MulticastTree> trees;  // per group
};

/// `used`: the engine that made the unicast tables, with the same options. Groups have different LIDs. Errors: those of
/// the engine.
struct MulticastEngine {
  EngineKind used = EngineKind::kMinhop;
  EngineOptions options{};
};
[[nodiscard]] Result<MulticastRoutes> route_multicast(const RoutingView& view, const MulticastEngine& engine,
                                                      std::span<const MulticastGroup> groups);

/// How the entries of a multicast LID hang together.
struct MulticastCheck {
  std::uint32_t switches = 0;  // with an entry
  std::uint32_t cables = 0;    // between two of them
  std::uint32_t missing = 0;   // members that some other one does not reach
  bool is_tree = true;         // no switch gets two copies, and no cable is one-way

  [[nodiscard]] bool is_sound() const { return missing == 0 && is_tree; }
};
[[nodiscard]] MulticastCheck check_multicast(const RoutingView& view, const MulticastTables& tables,
                                             const MulticastGroup& group);

}  // namespace weft::subnet
