// Receive requests that messages under way have been given, in the order of the sender's messages.
//
// A message says its place among those that consume a request; all places up to it get theirs at once, since the
// packets of the messages before it are on their way. Requests come from the queue pair's own queue or a shared one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ring.h"
#include "transport/qp_core.h"
#include "verbs/receive_queue.h"

namespace weft::transport {

class ReceiveWindow {
 public:
  explicit ReceiveWindow(const verbs::QpInitAttributes& init);
  void reset();

  [[nodiscard]] Result<void> post(const verbs::RecvWr& request) { return own_.post(request); }
  /// Number of the message that completes next.
  [[nodiscard]] std::uint32_t first() const { return first_; }
  /// Gives requests to all messages up to `number`, which is not before first(). False: one is missing.
  [[nodiscard]] bool provide(std::uint32_t number, const QpCore& core, verbs::Context& context);
  /// The message has its request.
  [[nodiscard]] bool has(std::uint32_t number) const { return number - first_ < given_.size(); }

  // Of a message that has its request:

  [[nodiscard]] std::uint64_t room(std::uint32_t number) const { return at(number).sg_list.total_bytes(); }
  /// Requests of a shared queue are judged by that queue's domain.
  [[nodiscard]] bool writable(std::uint32_t number, const QpCore& core, const verbs::Context& context) const;
  void write(std::uint32_t number, std::uint64_t offset, std::span<const std::byte> bytes,
             verbs::Context& context) const;
  /// Completes the request of first(); false: the completion queue overflowed.
  [[nodiscard]] bool complete(verbs::WorkCompletion completion, const QpCore& core, verbs::Context& context);

  /// Completes all, those of the own queue too, with kWrFlushErr.
  void flush(const QpCore& core, verbs::Context& context);
  [[nodiscard]] std::size_t heap_bytes() const { return own_.heap_bytes() + given_.heap_bytes(); }

 private:
  [[nodiscard]] const verbs::ReceiveWqe& at(std::uint32_t number) const { return given_[number - first_]; }

  verbs::ReceiveQueue own_;
  Ring<verbs::ReceiveWqe> given_;
  std::uint32_t first_ = 0;
};

}  // namespace weft::transport
