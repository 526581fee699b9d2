#include "fabric/scheduled/credit_scheduler.h"

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

std::optional<CreditGrant> CreditScheduler::grant() {
  if (asking_ == 0) {
    return std::nullopt;
  }
  const std::uint32_t priority = priorities_.pick(asking_);
  Ring<CreditSource>& turns = turns_[priority];
  const CreditSource source = turns.front();
  Queue& queue = queues_[source];
  const auto bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(queue.demand, credit_));
  const std::int64_t due = std::clamp<std::int64_t>(queue.balance + bytes, 0, bytes);  // to come for it
  if (coming_ + stored_ + static_cast<std::uint64_t>(due) > egress_buffer_) {
    return std::nullopt;
  }
  turns.pop_front();
  queue.demand -= bytes;
  move(source, bytes);
  ++granted_;
  priorities_.charge(bytes);
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
