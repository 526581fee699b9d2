// Which priority of a port sends next where the length of its next packet is not known beforehand: at NICs, whose queue
// pairs make a packet when they are asked, and for credits of a scheduled fabric.
//
// Priorities without a weight come first, the highest foremost. The others share by deficit round robin (IEEE 802.1Q,
// enhanced transmission selection; Shreedhar and Varghese, 1995) without a look at the next packet: a priority may send
// while some of its quantum is left, and owes what was too much. Turns pay what a priority owes whether it has
// something to send or not, so whoever runs empty between two packets has no more than its share; nobody saves turns.
// Ports of Ethernet switches know the packet at the head of a queue, and have a round robin of their own.
#pragma once

#include <array>
#include <cstdint>

#include "base/assert.h"

namespace weft::fabric {

class PriorityScheduler {
 public:
  static constexpr std::uint32_t kCount = 8;
  using Weights = std::array<std::uint16_t, kCount>;  // 0: strict

  PriorityScheduler() : PriorityScheduler({}, 1) {}
  /// A turn of weight w is worth w times `quantum` bytes; not 0.
  PriorityScheduler(const Weights& weights, std::uint32_t quantum);

  /// `open` is not 0; bit p: priority p has something that may go. Asking again without a charge changes nothing.
  [[nodiscard]] std::uint32_t pick(std::uint32_t open) {
    WEFT_DCHECK(open != 0 && open < (1U << kCount));
    if (((open >> turn_) & 1U) != 0 && deficit_[turn_] > 0 && (open & strict_) == 0) {
      return picked_ = turn_;
    }
    return picked_ = pick_next(open);
  }
  /// The priority that was picked last sends so many bytes.
  void charge(std::uint32_t bytes) { deficit_[picked_] -= ((strict_ >> picked_) & 1U) == 0 ? bytes : 0; }

 private:
  [[nodiscard]] std::uint32_t pick_next(std::uint32_t open);

  std::array<std::int64_t, kCount> quantum_{};  // of a turn, by priority
  // Bytes that may still be sent in the turn; negative: owed. Positive only where the turn is.
  std::array<std::int64_t, kCount> deficit_{};
  std::uint32_t strict_ = 0;
  std::uint32_t turn_ = 0;
  std::uint32_t picked_ = 0;
};

}  // namespace weft::fabric
