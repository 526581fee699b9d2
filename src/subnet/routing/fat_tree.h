// A subnet taken for a fat-tree: ranks, groups of parallel cables, and an index for each switch.
//
// Rank 0 are the roots, the switches farthest from adapters; leaves, to which all adapters are attached, have the
// highest. An index is a tuple that begins with the rank and is assigned from the first leaf outwards, each neighbour
// getting the first that is free. Source: Zahavi et al., "Optimized InfiniBand fat-tree routing for shift all-to-all
// communication patterns", 2010; choices as OpenSM 3.3.23.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "subnet/routing_view.h"

namespace weft::subnet {

inline constexpr std::size_t kMostTreeRanks = 8;
/// The rank, then a place for each rank above; 255 behind the last.
using TreeIndex = std::array<std::uint8_t, kMostTreeRanks>;

struct TreePort {
  PortNumber port = 0;
  PortNumber remote_port = 0;
  std::uint32_t routes_up = 0;    // that ascend over it
  std::uint32_t routes_down = 0;  // that descend over it
};

/// The cables of a switch to one neighbour.
struct TreeGroup {
  SwitchIndex to_switch;     // valid: to a switch
  EndPortIndex to_end_port;  // valid: to an adapter
  std::vector<TreePort> ports{};
  std::uint32_t routes_up = 0;
  std::uint32_t routes_down = 0;
};

/// Sorted again and again while what it holds stays in place.
using TreeGroups = std::vector<std::unique_ptr<TreeGroup>>;

struct TreeSwitch {
  std::uint32_t rank = ~std::uint32_t{0};
  TreeIndex index{};
  bool is_leaf = false;
  TreeGroups down{};
  TreeGroups level{};  // to switches of the same rank
  TreeGroups up{};
};

struct FatTree {
  std::vector<TreeSwitch> switches;  // as in the view
  std::vector<SwitchIndex> leaves;   // by index, from the first with adapters to the last
  std::uint32_t leaf_rank = 0;
  std::size_t adapters_per_leaf = 0;  // the most that a leaf has

  [[nodiscard]] TreeSwitch& operator[](SwitchIndex at) { return switches[at.value()]; }
  [[nodiscard]] const TreeSwitch& operator[](SwitchIndex at) const { return switches[at.value()]; }
};

/// Errors: what keeps the subnet from being a fat-tree, with the first switch that differs from others of its rank.
[[nodiscard]] Result<FatTree> make_fat_tree(const RoutingView& view);

}  // namespace weft::subnet
