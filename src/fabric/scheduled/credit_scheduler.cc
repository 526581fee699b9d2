#include "fabric/scheduled/credit_scheduler.h"

#include <bit>

namespace weft::fabric {

void CreditScheduler::request(CreditSource source, std::uint32_t bytes) {
  WEFT_DCHECK(bytes > 0);
  if (source >= queues_.size()) {
    queues_.resize(source + 1);
  }
  const std::uint32_t priority = source % kPriorities;
  if (queues_[source].demand == 0) {
    turns_[priority].push_back(source);
    asking_ = static_cast<std::uint8_t>(asking_ | 1U << priority);
  }
  queues_[source].demand += bytes;
}

// With a weight, a priority may be granted a credit in its turn for each unit of weight.
std::uint32_t CreditScheduler::pick() {
  std::uint32_t strict = 0;
  for (std::uint32_t priority = 0; priority < kPriorities; ++priority) {
    strict |= options_.weights[priority] == 0 ? 1U << priority : 0U;
  }
  if ((asking_ & strict) != 0) {
    return static_cast<std::uint32_t>(std::bit_width(asking_ & strict)) - 1;
  }
  if (std::has_single_bit(asking_)) {
    return static_cast<std::uint32_t>(std::countr_zero(asking_));
  }
  for (;;) {
    const bool asks = ((asking_ >> turn_) & 1U) != 0;
    if (asks && deficit_[turn_] > 0) {
      return turn_;
    }
    if (!asks) {
      deficit_[turn_] = 0;
    }
    turn_ = static_cast<std::uint8_t>((turn_ + 1) % kPriorities);
    if (((asking_ >> turn_) & 1U) != 0) {
      deficit_[turn_] += std::int64_t{options_.credit} * options_.weights[turn_];
    }
  }
}

std::optional<CreditGrant> CreditScheduler::grant() {
  if (asking_ == 0) {
    return std::nullopt;
  }
  const std::uint32_t priority = pick();
  Ring<CreditSource>& turns = turns_[priority];
  const CreditSource source = turns.front();
  Queue& queue = queues_[source];
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(queue.demand, options_.credit));
  const std::int64_t due = std::clamp<std::int64_t>(queue.balance + bytes, 0, bytes);  // to come for it
  if (coming_ + stored_ + static_cast<std::uint64_t>(due) > options_.egress_buffer) {
    return std::nullopt;
  }
  turns.pop_front();
  queue.demand -= bytes;
  move(source, bytes);
  ++granted_;
  deficit_[priority] -= bytes;
  if (queue.demand > 0) {
    turns.push_back(source);
  } else if (turns.empty()) {
    asking_ = static_cast<std::uint8_t>(asking_ & ~(1U << priority));
  }
  return CreditGrant{.source = source, .bytes = bytes};
}

std::size_t CreditScheduler::heap_bytes() const {
  std::size_t bytes = queues_.capacity() * sizeof(queues_[0]);
  for (const Ring<CreditSource>& turns : turns_) {
    bytes += turns.heap_bytes();
  }
  return bytes;
}

}  // namespace weft::fabric
