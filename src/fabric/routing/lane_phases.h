// Lanes that keep credits from closing a cycle of buffers: which of several sets of virtual lanes, its phases, a packet
// takes behind a switch, by the ports it came in and goes out by.
//
// In a torus (routing in dimension order) a packet begins each ring in phase 0 and is in phase 1 from the cable that
// closes the ring on (the dateline): no lane of a ring is waited for all around it. Elsewhere a packet that came from
// above, or from another group, and goes up or to another group again takes the next phase: within a phase paths go up,
// then across, then down. Packets to an endpoint are in phase 0, so that hosts need no further lanes. Sources: Dally
// and Seitz 1987 (dateline); Shpiner et al., "Dragonfly+", HiPINEB 2017.
#pragma once

#include <cstdint>
#include <vector>

#include "fabric/port_map.h"
#include "fabric/topology/graph.h"

namespace weft::fabric {

class LanePhases {
 public:
  /// No phases but 0; next() is not to be called.
  LanePhases() = default;
  /// Keeps nothing of either; `ports` is of the graph.
  LanePhases(const Graph& graph, const PortMap& ports);

  struct Hop {
    PortIndex in = 0;  // ports of one switch
    PortIndex out = 0;
    std::uint32_t phase = 0;  // in which the packet came
  };
  /// The phase in which it goes on; it may be one that there are no lanes for.
  [[nodiscard]] std::uint32_t next(const Hop& hop) const {
    const std::uint8_t in = ports_[hop.in];
    const std::uint8_t out = ports_[hop.out];
    if ((out & kDimension) != 0) {
      const bool same_ring = ((in ^ out) & kDimension) == 0;
      return (same_ring ? hop.phase : 0) | ((out & kCloses) != 0 ? 1U : 0U);
    }
    return (out & kEndpoint) != 0 ? 0 : hop.phase + ((in & out & kRises) != 0 ? 1U : 0U);
  }

  [[nodiscard]] std::size_t heap_bytes() const { return ports_.capacity(); }

 private:
  enum : std::uint8_t {
    kDimension = 3,      // of a torus, from 1
    kCloses = 1 << 2,    // by the cable that closes its ring
    kRises = 1 << 3,     // to a switch above, or of another group
    kEndpoint = 1 << 4,  // to an endpoint
  };
  std::vector<std::uint8_t> ports_;  // what lies behind each
};

}  // namespace weft::fabric
