#include "fabric/priority_scheduler.h"

#include <algorithm>
#include <bit>

namespace weft::fabric {

PriorityScheduler::PriorityScheduler(const Weights& weights, std::uint32_t quantum) {
  WEFT_ASSERT(quantum > 0);
  for (std::uint32_t priority = 0; priority < kCount; ++priority) {
    quantum_[priority] = std::int64_t{quantum} * weights[priority];
    strict_ |= weights[priority] == 0 ? 1U << priority : 0U;
  }
}

// The turn goes on, by one priority at a time, until one of those open has some of its quantum left. A small quantum
// takes many rounds to pay for a long packet, so rounds are counted, not walked: of those open the one sends that needs
// the fewest turns, and of several the next one.
std::uint32_t PriorityScheduler::pick_next(std::uint32_t open) {
  if (const std::uint32_t strict = open & strict_; strict != 0) {
    return static_cast<std::uint32_t>(std::bit_width(strict)) - 1;
  }
  std::int64_t fewest = 0;
  std::uint32_t steps = 0;  // from the turn to the priority that needs the fewest turns
  for (std::uint32_t step = 1; step <= kCount; ++step) {
    const std::uint32_t priority = (turn_ + step) % kCount;
    if (((open >> priority) & 1U) != 0) {
      WEFT_DCHECK(deficit_[priority] <= 0);
      const std::int64_t turns = -deficit_[priority] / quantum_[priority] + 1;
      if (steps == 0 || turns < fewest) {
        fewest = turns;
        steps = step;
      }
    }
  }
  for (std::uint32_t step = 1; step <= kCount; ++step) {
    const std::uint32_t priority = (turn_ + step) % kCount;
    const std::int64_t turns = step <= steps ? fewest : fewest - 1;
    const std::int64_t paid = deficit_[priority] + turns * quantum_[priority];
    deficit_[priority] = step == steps ? paid : std::min<std::int64_t>(paid, 0);
  }
  return turn_ = (turn_ + steps) % kCount;
}

}  // namespace weft::fabric
