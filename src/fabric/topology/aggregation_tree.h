// The tree along which the network reduces for one group: reducers of switches, from those next to members to a root.
//
// The root is a switch with a reducer that is nearest to the farthest member's switch; among equals, and among equally
// good ways up, the choice is f(choice, name of the switch), so that groups spread over spines and equal groups agree.
// A switch that would only pass on is left out. A switch takes at most one edge per cable, so no reducer has more
// children than its switch has neighbours.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

struct AggregationTree {
  /// What an inner node combines: members that are attached to it, or whole subtrees.
  struct Child {
    std::uint32_t index = 0;  // of a member, or of a node
    bool is_member = false;
    std::uint32_t first_member = 0;  // the lowest of the subtree: children stand in this order
    NodeIndex via;                   // neighbour of the switch on the way to it; the child's own node if that is next
  };
  struct Node {
    NodeIndex at;                         // the switch
    std::optional<std::uint32_t> parent;  // index of the node; none: the root
    NodeIndex up;                         // neighbour of the switch on the way to the parent; the root: not valid
    std::vector<Child> children;          // at least two
    std::vector<std::uint32_t> members;   // of the whole subtree, ascending
  };
  std::vector<Node> nodes;  // the root first, every node after its parent
};

/// The members' tree; members are named by their endpoints, at least two. Errors: a member whose switch cannot be
/// reached from the others', no reducer on the way.
[[nodiscard]] Result<AggregationTree> make_aggregation_tree(const Graph& graph, std::span<const EndpointId> members,
                                                            std::uint64_t choice);

}  // namespace weft::fabric
