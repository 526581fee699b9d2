// Paths for flows that are known beforehand, all taken to be equal, so that as few as possible share a link.
//
// Where all paths go by one switch in between (leaves and spines), the flows are the edges of a graph of leaves and the
// ways over spines are colours (edge_colouring.h): no two flows share a link if no leaf sends or receives more of them
// than it has uplinks that all leaves have. What remains, for example where links have failed or tiers are three, is
// moved as long as the fullest link becomes less full (improve). Vendors call this network-level or network-scale load
// balancing.
#pragma once

#include <vector>

#include "control/view.h"

namespace weft::control {

struct ConflictFreeResult {
  Placement placement;
  bool is_coloured = false;     // by colours, before anything was moved
  std::uint32_t conflicts = 0;  // flows that share a link with one before them
};

[[nodiscard]] ConflictFreeResult place_conflict_free(CandidatePaths& candidates, const std::vector<Demand>& flows);

}  // namespace weft::control
