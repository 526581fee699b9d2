// Which lane of a NIC's port sends its data next, where weights say more than that lanes take turns.
//
// On Ethernet priorities without a weight come first, and the others share by deficit round robin, as at ports of
// switches. On InfiniBand the port has arbitration tables of virtual lanes. Acknowledgements and notifications leave
// before all data, and take no part.
#pragma once

#include <cstdint>
#include <variant>

#include "fabric/infiniband/vl_arbiter.h"
#include "fabric/priority_scheduler.h"

namespace weft::host {

/// Of the priorities of Ethernet.
struct PriorityWeights {
  fabric::PriorityScheduler::Weights of{};
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
  LaneWeights weights_;
  fabric::PriorityScheduler priorities_;  // of Ethernet
  fabric::VlArbiter arbiter_;             // of virtual lanes
  bool arbitrated_ = false;               // the arbiter picked last
};

}  // namespace weft::host
