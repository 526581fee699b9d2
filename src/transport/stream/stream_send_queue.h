// The send requests of a stream queue pair: posted, written to the stream, acknowledged, completed in order.
//
// Requests are numbered from 0 as they are posted. One that was flushed when part of it was in the stream already keeps
// its place for as long as those bytes may be sent.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ring.h"
#include "transport/send_wqe.h"
#include "transport/stream/stream_types.h"

namespace weft::transport {

struct StreamRequest {
  SendWqe wqe;
  StreamOffset end = 0;       // of its last frame, valid once `is_written`
  std::uint32_t written = 0;  // bytes of its message handed to TCP
  bool is_written = false;    // all its frames are
  bool is_responded = true;   // false: a READ whose data have not all come
};

class StreamSendQueue {
 public:
  /// Errors: limits of the queue pair; READ inline.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const StreamCall& call);

  /// Requests posted and not complete.
  [[nodiscard]] std::uint32_t queued() const { return queue_.size(); }
  /// The next request to write, or to go on writing; null if there is none.
  [[nodiscard]] StreamRequest* next() { return cursor_ < queue_.size() ? &queue_[cursor_] : nullptr; }
  [[nodiscard]] const StreamRequest* next() const { return cursor_ < queue_.size() ? &queue_[cursor_] : nullptr; }
  /// Number of the oldest not complete.
  [[nodiscard]] std::uint32_t first_number() const { return first_; }
  [[nodiscard]] std::uint32_t next_number() const { return first_ + cursor_; }
  /// Everything before `next` is complete.
  [[nodiscard]] bool next_is_oldest() const { return cursor_ == 0; }
  /// All frames of `next` are written; the last ends at `end`.
  void mark_written(StreamOffset end);
  /// Nothing is written and not complete, and nothing is half written.
  [[nodiscard]] bool is_idle() const { return cursor_ == 0 && (queue_.empty() || !queue_[0].wqe.started); }

  /// A request that is in the stream, flushed or not.
  [[nodiscard]] const StreamRequest& at(std::uint32_t number) const;
  /// Not complete, not flushed.
  [[nodiscard]] bool is_pending(std::uint32_t number) const { return number - first_ < queue_.size(); }
  [[nodiscard]] StreamRequest& pending(std::uint32_t number) { return queue_[number - first_]; }

  /// Completes the oldest requests that are written, end at or before `offset`, and are answered. False: the completion
  /// queue overflowed.
  [[nodiscard]] bool complete_acknowledged(StreamOffset offset, const StreamCall& call);
  /// Completes those before `number`, which the peer says it has executed.
  [[nodiscard]] bool complete_before(std::uint32_t number, const StreamCall& call);
  /// Completes the oldest with `first`, all others with kWrFlushErr.
  void flush(verbs::WcStatus first, const StreamCall& call);
  void reset() { *this = StreamSendQueue{}; }
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  [[nodiscard]] bool complete_front(const StreamCall& call);

  Ring<StreamRequest> queue_;
  Ring<StreamRequest> flushed_;      // in the stream
  std::uint32_t first_ = 0;          // number of the front
  std::uint32_t flushed_first_ = 0;  // the same of the flushed ones
  std::uint32_t cursor_ = 0;         // index of the next to write
};

}  // namespace weft::transport
