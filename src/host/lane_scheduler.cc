#include "host/lane_scheduler.h"

#include <bit>
#include <utility>

#include "base/assert.h"

namespace weft::host {
namespace {

constexpr std::uint32_t kPriorities = 8;
/// Of a unit of weight, as at ports of switches.
constexpr std::int64_t kQuantumBytes = 256;
constexpr std::uint32_t kVlBlockBytes = 64;

}  // namespace

LaneScheduler::LaneScheduler(LaneWeights weights) : weights_(std::move(weights)) {
  if (const auto* const priorities = std::get_if<PriorityWeights>(&weights_); priorities != nullptr) {
    for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
      strict_ |= priorities->of[priority] == 0 ? 1U << priority : 0U;
    }
  }
}

std::uint32_t LaneScheduler::pick(std::uint32_t open) {
  WEFT_DCHECK(open != 0);
  if (const auto* const priorities = std::get_if<PriorityWeights>(&weights_); priorities != nullptr) {
    return pick_priority(*priorities, open);
  }
  const std::uint32_t lane = arbiter_.pick(std::get<fabric::VlArbitration>(weights_), open);
  arbitrated_ = lane != fabric::VlArbiter::kNobody;
  return arbitrated_ ? lane : static_cast<std::uint32_t>(std::countr_zero(open));
}

// How long the next packet is its queue pair tells when it makes it: who has some deficit left sends, and owes what was
// too much. A turn adds at least kQuantumBytes, so the loop ends within (largest frame / quantum + 2) rounds of eight.
std::uint32_t LaneScheduler::pick_priority(const PriorityWeights& weights, std::uint32_t open) {
  WEFT_DCHECK(open < (1U << kPriorities));
  if (const std::uint32_t strict = open & strict_; strict != 0) {
    return picked_ = static_cast<std::uint32_t>(std::bit_width(strict)) - 1;
  }
  for (;;) {
    if (((open >> turn_) & 1U) == 0) {
      deficit_[turn_] = 0;
    } else if (deficit_[turn_] > 0) {
      return picked_ = turn_;
    }
    turn_ = (turn_ + 1) % kPriorities;
    if (((open >> turn_) & 1U) != 0) {
      deficit_[turn_] += kQuantumBytes * weights.of[turn_];
    }
  }
}

void LaneScheduler::charge(std::uint32_t bytes) {
  if (std::holds_alternative<PriorityWeights>(weights_)) {
    deficit_[picked_] -= ((strict_ >> picked_) & 1U) == 0 ? bytes : 0;
  } else if (arbitrated_) {
    arbiter_.charge((bytes + kVlBlockBytes - 1) / kVlBlockBytes);
  }
}

}  // namespace weft::host
