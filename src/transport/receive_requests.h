// The receive requests of one queue pair: its own queue or a shared one, and the request in use by the message that is
// arriving.
//
// A request taken stays in use until it completes or fails; a message that is abandoned leaves it in use, and the next
// message gets it. That holds for a request from a shared queue too: it is not given back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/assert.h"
#include "transport/qp_core.h"
#include "verbs/receive_queue.h"

namespace weft::transport {

class ReceiveRequests {
 public:
  explicit ReceiveRequests(const verbs::QpInitAttributes& init);

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return own_.post(request); }
  /// Requests of the own queue, the one in use included: what end-to-end credits count.
  [[nodiscard]] std::size_t size() const { return own_.size() + (in_use_.has_value() ? 1 : 0); }
  /// Makes sure that a request is in use; false if none is posted.
  [[nodiscard]] bool take(const QpCore& core, verbs::Context& context);

  // Only while a request is in use:

  /// Bytes it has room for.
  [[nodiscard]] std::uint64_t room() const {
    WEFT_DCHECK(in_use_.has_value());
    return in_use_->sg_list.total_bytes();
  }
  /// Whether its memory may be written. Requests of a shared queue are judged by that queue's domain.
  [[nodiscard]] bool writable(const QpCore& core, const verbs::Context& context) const;
  /// Writes to its memory, which must be writable and have the room.
  void write(std::uint64_t offset, std::span<const std::byte> bytes, verbs::Context& context) const;
  /// Completes it; `wr_id` and `qp_num` are filled in here. False: the completion queue overflowed.
  [[nodiscard]] bool complete(verbs::WorkCompletion completion, const QpCore& core, verbs::Context& context);
  [[nodiscard]] bool fail(verbs::WcStatus status, const QpCore& core, verbs::Context& context);

  /// Completes the request in use and all of the own queue with kWrFlushErr.
  void flush(const QpCore& core, verbs::Context& context);
  /// Forgets all requests.
  void reset() { *this = ReceiveRequests(own_.limits()); }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  explicit ReceiveRequests(verbs::ReceiveQueue::Limits limits) : own_(limits) {}

  verbs::ReceiveQueue own_;
  std::optional<verbs::ReceiveWqe> in_use_;
};

}  // namespace weft::transport
