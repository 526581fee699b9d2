#include "host/lane_scheduler.h"

#include <bit>
#include <utility>

#include "base/assert.h"

namespace weft::host {
namespace {

/// Of a unit of weight, as at ports of switches.
constexpr std::uint32_t kQuantumBytes = 256;
constexpr std::uint32_t kVlBlockBytes = 64;

}  // namespace

LaneScheduler::LaneScheduler(LaneWeights weights) : weights_(std::move(weights)) {
  if (const auto* const priorities = std::get_if<PriorityWeights>(&weights_); priorities != nullptr) {
    priorities_ = fabric::PriorityScheduler(priorities->of, kQuantumBytes);
  }
}

std::uint32_t LaneScheduler::pick(std::uint32_t open) {
  WEFT_DCHECK(open != 0);
  if (std::holds_alternative<PriorityWeights>(weights_)) {
    return priorities_.pick(open);
  }
  const std::uint32_t lane = arbiter_.pick(std::get<fabric::VlArbitration>(weights_), open);
  arbitrated_ = lane != fabric::VlArbiter::kNobody;
  return arbitrated_ ? lane : static_cast<std::uint32_t>(std::countr_zero(open));
}

void LaneScheduler::charge(std::uint32_t bytes) {
  if (std::holds_alternative<PriorityWeights>(weights_)) {
    priorities_.charge(bytes);
  } else if (arbitrated_) {
    arbiter_.charge((bytes + kVlBlockBytes - 1) / kVlBlockBytes);
  }
}

}  // namespace weft::host
