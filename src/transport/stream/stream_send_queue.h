// The send requests of a stream queue pair: posted, written to the stream, acknowledged, completed in order.
//
// Requests are numbered from 0 as they are posted. One that was flushed keeps its place while its bytes may still be
// sent, and completes no second time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/ring.h"
#include "transport/send_wqe.h"
#include "transport/stream/stream_types.h"

namespace weft::transport {

struct StreamRequest {
  SendWqe wqe;
  StreamOffset end = 0;       // of its last frame, valid once written
  std::uint32_t written = 0;  // bytes of its message handed to TCP
  bool is_written = false;    // all its frames are
  bool is_answered = true;    // false: a READ whose data have not all come
  bool is_flushed = false;
};

class StreamSendQueue {
 public:
  /// Errors: limits of the queue pair.
  [[nodiscard]] Result<void> post(const verbs::SendWr& request, const StreamCall& call);

  /// Requests posted and not complete.
  [[nodiscard]] std::uint32_t queued() const { return queue_.size() - flushed_; }
  /// The next request to write (its frames are not all written); null if there is none, or if all were flushed.
  [[nodiscard]] StreamRequest* next();
  [[nodiscard]] std::uint32_t next_number() const { return first_ + cursor_; }
  /// All frames of `next` are written; the last ends at `end`.
  void mark_written(StreamOffset end);
  /// Whether `next` is the oldest of all: everything before it is complete.
  [[nodiscard]] bool next_is_oldest() const { return cursor_ == 0; }
  [[nodiscard]] StreamRequest& at(std::uint32_t number);
  [[nodiscard]] const StreamRequest& at(std::uint32_t number) const;
  [[nodiscard]] bool holds(std::uint32_t number) const { return number - first_ < queue_.size(); }

  /// Completes the written requests, oldest first, that end at or before `offset` and are answered. False: the
  /// completion queue overflowed.
  [[nodiscard]] bool complete_to(StreamOffset offset, const StreamCall& call);
  /// Completes the oldest with an error; it is then flushed. Not when none is left.
  void fail_oldest(verbs::WcStatus status, const StreamCall& call);
  /// Completes all with kWrFlushErr.
  void flush(const StreamCall& call);
  void reset();
  [[nodiscard]] std::size_t heap_bytes() const;

 private:
  Ring<StreamRequest> queue_;
  std::uint32_t first_ = 0;    // number of the front
  std::uint32_t cursor_ = 0;   // index of the next to write
  std::uint32_t flushed_ = 0;  // at the front
};

}  // namespace weft::transport
