// Which lane of a NIC's port sends its data next, where weights say more than that lanes take turns.
//
// On Ethernet priorities without a weight come first, the highest foremost; the others share by deficit round robin
// (IEEE 802.1Q, enhanced transmission selection; Shreedhar and Varghese, 1995), as at ports of switches. On InfiniBand
// the port has arbitration tables of virtual lanes. Acknowledgements and notifications leave before all data, and take
// no part.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <variant>

#include "fabric/infiniband/vl_arbiter.h"

namespace weft::host {

/// Of the priorities of Ethernet.
struct PriorityWeights {
  std::array<std::uint16_t, 8> of{};  // 0: strict
};
using LaneWeights = std::variant<PriorityWeights, fabric::VlArbitration>;

class LaneScheduler {
 public:
  explicit LaneScheduler(LaneWeights weights);

  /// `open` is not 0; bit l: lane l has data that may go. Virtual lanes that no table has go when no other one can.
  [[nodiscard]] std::uint32_t pick(std::uint32_t open);
  /// A packet of the lane that was picked last leaves, a frame of so many bytes.
  void charge(std::uint32_t bytes);

 private:
  [[nodiscard]] std::uint32_t pick_priority(const PriorityWeights& weights, std::uint32_t open);

  LaneWeights weights_;
  fabric::VlArbiter arbiter_;  // of virtual lanes
  bool arbitrated_ = false;    // the arbiter picked last
  std::uint32_t strict_ = 0;   // of priorities: those without a weight
  std::uint32_t turn_ = 0;
  std::uint32_t picked_ = 0;
  std::array<std::int64_t, 8> deficit_{};
};

}  // namespace weft::host
