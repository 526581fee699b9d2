// Completion queue: a bounded FIFO of completions, with event notification by a flag that its owner polls.
//
// A completion queue overflow is reported: the queue enters the error state, keeps what it holds, refuses everything
// after, and the pusher must move its queue pair to ERR (IBTA 10.2.6.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ring.h"
#include "verbs/completion.h"

namespace weft::verbs {

class CompletionQueue {
 public:
  /// `capacity` is the number of completions it holds, at least 1 (`cqe` of ibv_create_cq).
  explicit CompletionQueue(std::uint32_t capacity);

  /// Appends; false if the queue was full or already in error.
  [[nodiscard]] bool push(const WorkCompletion& completion);

  /// Moves up to `out.size()` of the oldest completions to `out`; the number moved.
  std::size_t poll(std::span<WorkCompletion> out);

  /// What an armed queue waits for, as the `solicited_only` of ibv_req_notify_cq.
  enum class Notify : std::uint8_t { kNone, kSolicited, kNext };
  /// Asks for one event at the next completion that fits, of those pushed from now on. kSolicited also fires on a
  /// completion in error, and does not narrow an earlier kNext; kNone disarms.
  void request_notify(Notify what);
  /// True once after the event that was asked for.
  [[nodiscard]] bool take_event();

  [[nodiscard]] std::size_t size() const { return completions_.size(); }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  [[nodiscard]] bool in_error() const { return in_error_; }

 private:
  Ring<WorkCompletion> completions_;
  std::uint32_t capacity_;
  Notify armed_ = Notify::kNone;
  bool event_ = false;
  bool in_error_ = false;
};

}  // namespace weft::verbs
