// What the members of a communicator share in the network: uplinks of leaves, of pods, of groups of a dragonfly.
//
// A cut parts those behind such uplinks from all others. Where the uplinks carry less than the rails behind them (an
// oversubscribed network), an algorithm is no faster than what it sends across allows: a ring leaves a leaf once, an
// exchange with all peers as often as there are ranks behind it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rate.h"
#include "workload/collective/collectives.h"

namespace weft::workload {

struct NetworkCut {
  std::int64_t members = 0;     // behind it
  std::int64_t groups = 0;      // that have some of them
  std::int64_t rings = 0;       // times that a ring through all groups leaves it
  std::int64_t tree_edges = 0;  // that join a group behind it with another, of both trees of a pair
  Rate share{};                 // of the uplinks' rate, for each rail of a member

  friend bool operator==(const NetworkCut&, const NetworkCut&) = default;
};

/// A member of a communicator: its group (workload/collective/member_layout.h), counted from 0, and what it shares.
struct MemberUplinks {
  std::uint32_t group = 0;
  std::span<const SharedUplinks> uplinks{};
};

/// Of cuts with as many members, groups and share behind them one stands for all, crossed as often as that which is
/// crossed most. Cuts with all members behind them are none. Time: O(n log n) in the members.
[[nodiscard]] std::vector<NetworkCut> cuts_of(std::span<const MemberUplinks> members);

}  // namespace weft::workload
