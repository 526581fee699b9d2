// A queue pair over a scale-up link: WRITE is a store, SEND a store with a flag, READ a load from a peer's memory.
//
// Driven through RcQueuePair's functions (contract: transport/qp_core.h), of type kRc for the program, with RC's
// states. The link is reliable and keeps the order, so nothing is repeated and there are no sequence numbers on it:
// requests are cut into units (wire/memory_format.h), a message of stores is answered once, a load by its data.
// Requests are executed exactly once and in order; SEND with invalidate and atomics are refused when posted. A unit
// that is lost all the same ends in kRetryExcErr when the queue pair's timeout (not multiplied by a retry count) has
// passed without any answer.
#pragma once

#include <cstddef>

#include "transport/memory/memory_requester.h"
#include "transport/memory/memory_responder.h"

namespace weft::transport {

class MemoryQueuePair {
 public:
  MemoryQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const MemoryOptions& options = {});

  [[nodiscard]] Result<void> modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                    verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_send(const verbs::SendWr& request, verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now);
  /// Goes on with a message that waits for a receive request: after posting to a shared receive queue.
  void on_shared_receive(verbs::Context& context, Time now);

  void on_packet(const ReceivedPacket& received, verbs::Context& context, Time now);
  void on_timeout(verbs::Context& context, Time now);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now);
  [[nodiscard]] Time next_transmit() const { return response_pending() ? Time::zero() : next_data(); }
  [[nodiscard]] bool response_pending() const { return core_.may_receive() && responder_.response_pending(); }
  [[nodiscard]] Time next_data() const { return has_data() ? Time::zero() : Time::never(); }
  [[nodiscard]] Time next_timeout() const { return requester_.next_timeout(); }

  [[nodiscard]] verbs::QpState state() const { return core_.state(); }
  [[nodiscard]] const QpCore& core() const { return core_; }
  [[nodiscard]] const MemoryOptions& options() const { return options_; }
  [[nodiscard]] const MemoryCounters& counters() const { return counters_; }
  [[nodiscard]] bool waits_for_receive() const { return responder_.waits_for_receive(); }
  [[nodiscard]] std::size_t heap_bytes() const { return requester_.heap_bytes() + responder_.heap_bytes(); }

 private:
  [[nodiscard]] MemoryCall call(verbs::Context& context, Time now) {
    return {core_, options_, context, counters_, now};
  }
  [[nodiscard]] bool has_data() const {
    return (core_.may_receive() && responder_.data_wait()) ||
           (core_.may_request() && requester_.ready(core_, options_));
  }
  void enter(verbs::QpState state, const MemoryCall& environment);
  void enter_error(const MemoryCall& environment);
  void settle(const MemoryCall& environment);
  void raise(verbs::AsyncEventType type, const MemoryCall& environment) const;

  QpCore core_;
  MemoryOptions options_;
  MemoryRequester requester_;
  MemoryResponder responder_;
  MemoryCounters counters_;
  bool request_turn_ = false;  // requests and data of loads take turns
  bool drain_reported_ = false;
  bool established_ = false;
};

}  // namespace weft::transport
