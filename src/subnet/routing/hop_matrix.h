// Hops from each switch to each other one through each of its ports: what minhop, updn and dnup route by.
//
// A hop count is that from the switch over the port to the destination switch; kNoPath where there is none.
#pragma once

#include <cstdint>
#include <vector>

#include "subnet/routing_view.h"

namespace weft::subnet {

inline constexpr std::uint8_t kNoPath = 255;

/// A port of a switch and the switch that is to be reached.
struct HopEntry {
  SwitchIndex from;
  SwitchIndex to;
  PortNumber port = 0;
};

class HopMatrix {
 public:
  explicit HopMatrix(const RoutingView& view);

  [[nodiscard]] std::uint8_t through(const HopEntry& entry) const { return row(entry.from, entry.to)[entry.port]; }
  /// The least over the ports, 0 for the switch itself.
  [[nodiscard]] std::uint8_t least(SwitchIndex from, SwitchIndex to) const { return row(from, to)[0]; }
  /// The count of a port and, if it is lower, the least.
  void set(const HopEntry& entry, std::uint8_t hops);

 private:
  [[nodiscard]] const std::uint8_t* row(SwitchIndex from, SwitchIndex to) const {
    return &hops_[from.value()][std::size_t{to.value()} * ports_[from.value()]];
  }

  std::vector<std::size_t> ports_;               // per switch, port 0 included
  std::vector<std::vector<std::uint8_t>> hops_;  // per switch: destination, then port; port 0 holds the least
};

/// Shortest paths, without regard to cycles of buffers.
[[nodiscard]] HopMatrix shortest_hops(const RoutingView& view);

}  // namespace weft::subnet
