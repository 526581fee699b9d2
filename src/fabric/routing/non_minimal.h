// Routing of a dragonfly over an intermediate group: Valiant's, which always takes one at random, and UGAL with local
// information, which takes one where its queues say that the direct way is slower.
//
// A packet begins at a switch of its source group with nothing decided, is bound for a group, or has been there and
// goes the shortest way (State, in PacketCommon::hop_scratch). Valiant decides at the packet's first switch. UGAL
// decides there between the ports to the destination's group and those to one group at random, and where it stayed
// direct, once more at the spine whose global cables it sees: the bytes that wait, times the hops that remain, and a
// threshold in favour of the direct way. Only groups that cables join directly to the source's and to the destination's
// are intermediate, so that a path crosses two global cables at most. Traffic within a group is not led out of it.
// Needs lanes in two phases where buffers are lossless (lane_phases.h). Sources: Valiant, "A scheme for fast parallel
// communication", 1982; Singh, "Load-balanced routing in interconnection networks", 2005 (UGAL); Shpiner et al.,
// "Dragonfly+", HiPINEB 2017 (decisions at leaf and spine).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/data_size.h"
#include "fabric/routing/path_policy.h"
#include "fabric/routing/routes.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

class NonMinimal {
 public:
  /// What a packet carries: kUndecided, the number of a group, or kDirect.
  using State = std::uint8_t;
  static constexpr State kUndecided = 0;
  static constexpr State kDirect = 0xFF;  // has been at its intermediate group, or needs none
  static constexpr std::uint32_t kMaxGroups = 0xFE;
  [[nodiscard]] static constexpr bool is_group(State state) { return state != kUndecided && state != kDirect; }

  /// No dragonfly: not to be asked.
  NonMinimal() = default;
  /// Switches have groups from 1 to kMaxGroups. Keeps nothing of `graph`; link states are those of `routes`.
  NonMinimal(const Graph& graph, const Routes& routes);

  [[nodiscard]] bool empty() const { return group_of_.empty(); }

  struct Place {
    std::uint32_t switch_ordinal = 0;
    std::uint32_t leaf = 0;  // ordinal of the destination's switch
  };
  [[nodiscard]] bool is_in_group(std::uint32_t switch_ordinal, State group) const {
    return group_of_[switch_ordinal] == group;
  }
  /// Whether a switch in whose hands an undecided packet is may send it through another group: it is in the source
  /// group, and that is not the destination's.
  [[nodiscard]] bool leaves_group(const Place& place) const {
    return group_of_[place.switch_ordinal] != group_of_[place.leaf];
  }
  /// One of the groups by which a packet may go on from here; the hash chooses, uniformly. None: there is no such
  /// group.
  [[nodiscard]] std::optional<State> intermediate(const Place& place, std::uint32_t hash) const;
  /// Ports of a switch towards a group over one global cable, without going down before; empty if there are none.
  [[nodiscard]] NextHops towards(std::uint32_t switch_ordinal, State group) const {
    return hops_of(sets_[at(switch_ordinal, group)]);
  }
  /// The same to the destination's group; a spine without such a cable goes down to leaves that have one above them,
  /// where a shortest path might cross a third group. Empty within the group, and where no cable joins the two.
  [[nodiscard]] NextHops directly(const Place& place) const {
    const State group = group_of_[place.leaf];
    const NextHops up = towards(place.switch_ordinal, group);
    return up.empty() ? hops_of(descents_[at(place.switch_ordinal, group)]) : up;
  }

  /// UGAL's comparison, with the least depth of each side in bytes.
  struct Depths {
    std::uint64_t direct = 0;
    std::uint64_t detour = 0;
  };
  [[nodiscard]] bool prefers_detour(std::uint32_t switch_ordinal, const Depths& depths, Bytes threshold) const {
    const Hops& hops = hops_[is_spine(switch_ordinal) ? 1 : 0];
    return depths.direct * hops.direct > depths.detour * hops.detour + static_cast<std::uint64_t>(threshold.count());
  }

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Set {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  /// Hops to the destination's switch that remain, the longest of each kind.
  struct Hops {
    std::uint32_t direct = 0;
    std::uint32_t detour = 0;
  };
  /// A switch behind a port, over a cable that is up.
  struct Neighbour {
    std::uint32_t at = 0;
    std::uint16_t port = 0;
  };
  using Neighbours = std::vector<std::vector<Neighbour>>;  // per switch
  [[nodiscard]] Neighbours read_links(const Graph& graph, const Routes& routes);
  /// Appends the ports to those neighbours of which leads(ordinal) is true.
  template <class Leads>
  [[nodiscard]] Set add_ports(const std::vector<Neighbour>& neighbours, Leads&& leads);
  [[nodiscard]] std::size_t at(std::uint32_t switch_ordinal, std::uint32_t group) const {
    return std::size_t{switch_ordinal} * (groups_ + 1) + group;
  }
  [[nodiscard]] bool is_spine(std::uint32_t switch_ordinal) const { return is_spine_[switch_ordinal] != 0; }
  [[nodiscard]] NextHops hops_of(const Set& set) const { return {ports_.data() + set.first, set.count}; }
  [[nodiscard]] bool joins(std::uint32_t a, std::uint32_t b) const { return joined_[a * (groups_ + 1) + b] != 0; }
  [[nodiscard]] bool is_usable(const Place& place, std::uint32_t group) const;

  std::uint32_t groups_ = 0;
  std::vector<std::uint8_t> group_of_;  // per switch
  std::vector<std::uint8_t> is_spine_;  // per switch: has a global cable
  std::vector<Set> sets_;               // per switch and group
  std::vector<Set> descents_;           // likewise, of spines
  std::vector<std::uint16_t> ports_;
  std::vector<std::uint8_t> joined_;  // per pair of groups: by a cable that is up
  std::array<Hops, 2> hops_{};        // at a leaf, at a spine
};

}  // namespace weft::fabric
