// The scheduler of an egress port: virtual output queues ask it for bytes, it says whose turn it is.
//
// Queues of one priority take turns, a credit each, or what a queue has asked for where that is less. Priorities
// without a weight come first; the others share by deficit round robin, a credit in its turn for each unit of weight. A
// queue sends a packet as soon as some of its bytes are granted, and the next credit pays for the rest of it first: of
// each queue the scheduler knows what it is ahead with. What is granted and has not come, and what has come and not
// left, never exceeds the egress buffer when a credit is given. When credits are due is the port's business.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/assert.h"
#include "base/ring.h"
#include "fabric/ethernet/options.h"
#include "fabric/priority_scheduler.h"

namespace weft::fabric {

/// A virtual output queue as its egress port knows it: the ingress leaf's number times kPriorities, plus the priority.
using CreditSource = std::uint32_t;

struct CreditGrant {
  CreditSource source = 0;
  std::uint32_t bytes = 0;
};

class CreditScheduler {
 public:
  struct Options {
    std::uint32_t credit = 8192;      // bytes
    std::uint32_t egress_buffer = 0;  // bytes, a credit or more
    PriorityScheduler::Weights weights{};
  };
  CreditScheduler() = default;
  explicit CreditScheduler(const Options& options)
      : credit_(options.credit), egress_buffer_(options.egress_buffer), priorities_(options.weights, options.credit) {
    WEFT_ASSERT(options.credit > 0 && options.egress_buffer >= options.credit);
  }

  /// The queue has so many bytes more than it has asked for so far.
  void request(CreditSource source, std::uint32_t bytes);
  /// Whose turn it is; none if nobody asks, or there is no room for what it would get.
  [[nodiscard]] std::optional<CreditGrant> grant();
  /// A packet of the queue is here.
  void arrive(CreditSource source, std::uint32_t bytes) {
    move(source, -std::int64_t{bytes});
    stored_ += bytes;
  }
  /// Bytes that were here have left the port, or were discarded.
  void release(std::uint32_t bytes) {
    WEFT_DCHECK(bytes <= stored_);
    stored_ -= bytes;
  }

  [[nodiscard]] bool wants() const { return asking_ != 0; }
  /// Granted, and not here yet; what came before it was granted does not count against it.
  [[nodiscard]] std::uint64_t coming() const { return coming_; }
  [[nodiscard]] std::uint64_t stored() const { return stored_; }
  /// Granted to the queue less what has come of it: negative where a packet came ahead of its credit.
  [[nodiscard]] std::int64_t balance(CreditSource source) const {
    return source < queues_.size() ? queues_[source].balance : 0;
  }
  /// Asked for, and not granted.
  [[nodiscard]] std::uint64_t demand(CreditSource source) const {
    return source < queues_.size() ? queues_[source].demand : 0;
  }
  [[nodiscard]] std::uint64_t granted() const { return granted_; }  // credits
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  struct Queue {
    std::uint64_t demand = 0;  // bytes asked for, and not granted
    std::int64_t balance = 0;
  };
  void move(CreditSource source, std::int64_t bytes) {
    std::int64_t& balance = queues_[source].balance;
    coming_ -= static_cast<std::uint64_t>(std::max<std::int64_t>(balance, 0));
    balance += bytes;
    coming_ += static_cast<std::uint64_t>(std::max<std::int64_t>(balance, 0));
  }

  std::uint32_t credit_ = 0;
  std::uint32_t egress_buffer_ = 0;
  PriorityScheduler priorities_;
  std::vector<Queue> queues_;  // by source
  std::array<Ring<CreditSource>, kPriorities> turns_;
  std::uint8_t asking_ = 0;   // bit p: queues of priority p ask
  std::uint64_t coming_ = 0;  // positive balances together
  std::uint64_t stored_ = 0;
  std::uint64_t granted_ = 0;
};

}  // namespace weft::fabric
