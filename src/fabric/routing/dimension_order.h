// Dimension-order routing of a torus: a packet first reaches its place in the first dimension, then in the second, and
// so on, the shorter way around each ring. Deterministic, but for parallel cables, which are equally good.
//
// Halfway around a ring of even size both directions are as short; switches at even places go up, the others down,
// which spreads uniform traffic. Where a cable is down, a ring is taken the other way around by all switches whose way
// it was: still one dimension after the other. A ring that is broken in two places, or a line that is broken, reaches
// no further: such destinations have no next hop. Rings of buffers need two lanes (lane_phases.h). Source: Dally and
// Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", 1987.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "fabric/topology/graph.h"

namespace weft::fabric {

class DimensionOrder {
 public:
  using IsUp = std::function<bool(std::uint32_t link)>;
  /// Ports, ascending, of a switch.
  using Found = std::function<void(std::uint32_t switch_ordinal, const std::vector<std::uint16_t>& ports)>;

  /// Keeps nothing of `graph`, whose links say their rings (Link::ring).
  explicit DimensionOrder(const Graph& graph);

  /// Calls found() for every other switch from which the leaf is reached.
  void route_to(std::uint32_t leaf, const IsUp& is_up, const Found& found) const;

  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  enum Direction : std::uint8_t { kUpwards, kDownwards };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  struct Cable {
    std::uint32_t link = 0;
    std::uint16_t port = 0;  // of the switch that it is listed for
  };
  /// The neighbour of a switch in one direction of one dimension.
  struct Step {
    std::uint32_t to = kNone;
    std::vector<Cable> cables;  // by port
  };
  /// A switch of a ring, as seen from the one that is to be reached.
  struct Member {
    std::uint32_t at = 0;
    bool reaches_up = false;  // going upwards leads there over cables that are up
    bool reaches_down = false;
  };
  struct Ring {
    std::vector<Member> members;  // upwards from the one that is to be reached, which is not among them
    bool closed = false;
  };

  [[nodiscard]] const Step& step(std::uint32_t node, std::uint32_t dimension, Direction direction) const {
    return steps_[(std::size_t{node} * dimensions_ + dimension) * 2 + direction];
  }
  [[nodiscard]] static bool has_cable(const Step& step, const IsUp& is_up);
  [[nodiscard]] Ring ring_of(std::uint32_t node, std::uint32_t dimension, const IsUp& is_up) const;

  std::uint32_t dimensions_ = 0;
  std::vector<Step> steps_;            // per switch, dimension and direction
  std::vector<std::uint32_t> places_;  // per switch and dimension
};

}  // namespace weft::fabric
