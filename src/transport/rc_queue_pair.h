// A reliable connected queue pair: requester and responder joined, with the states of verbs around them.
//
// The one RC engine of weft: simulated NICs and sockets drive the same class (contract of the functions:
// transport/qp_core.h). Requests are executed exactly once and in order; a lost or damaged packet is repeated until
// the retry count is exhausted, then the queue pair goes to ERR and every request left is flushed.
// Source: IBTA chapter 9.7. Extensions, both off by default: transport/rc_options.h.
#pragma once

#include <span>

#include "transport/rc_requester.h"
#include "transport/rc_responder.h"

namespace weft::transport {

class RcQueuePair {
 public:
  RcQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const RcOptions& options = {});

  /// As ibv_modify_qp. Errors name the attribute and what would be right; nothing has changed then.
  [[nodiscard]] Result<void> modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                    verbs::Context& context, Time now);
  /// In ERR a request is accepted and flushed at once.
  [[nodiscard]] Result<void> post_send(const verbs::SendWr& request, verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now);

  void on_packet(const ReceivedPacket& received, verbs::Context& context, Time now);
  void on_timeout(verbs::Context& context, Time now);
  [[nodiscard]] bool poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now);
  [[nodiscard]] Time next_transmit() const {
    const Time answer = responder_.next_transmit();
    return core_.may_request() ? earlier(answer, requester_.next_transmit(core_)) : answer;
  }
  /// An acknowledgement or CNP is pending; it is sent before any data.
  [[nodiscard]] bool response_pending() const {
    return responder_.has_response() && (!responder_.sends_data() || responder_.cnp_pending());
  }
  /// The first pending response is a CNP.
  [[nodiscard]] bool cnp_first() const { return responder_.cnp_pending(); }
  /// When a data packet may be sent, acknowledgements and CNPs aside.
  [[nodiscard]] Time next_data() const {
    const Time read = responder_.sends_data() ? responder_.next_transmit() : Time::never();
    return core_.may_request() ? earlier(read, requester_.next_transmit(core_)) : read;
  }
  [[nodiscard]] Time next_timeout() const { return requester_.next_timeout(); }

  [[nodiscard]] verbs::QpState state() const { return core_.state(); }
  [[nodiscard]] const QpCore& core() const { return core_; }
  [[nodiscard]] const RcOptions& options() const { return core_.options; }
  [[nodiscard]] const RcRequester& requester() const { return requester_; }
  [[nodiscard]] const RcResponder& responder() const { return responder_; }
  [[nodiscard]] RcCounters counters() const { return core_.counters(); }
  /// Heap memory held, posted requests included.
  [[nodiscard]] std::size_t heap_bytes() const {
    return core_.heap_bytes() + requester_.heap_bytes() + responder_.heap_bytes();
  }

 private:
  [[nodiscard]] RcCall call(verbs::Context& context, Time now) { return {core_, context, now}; }
  // Out of line, so that the fast path saves no registers for the slow path.
  [[gnu::noinline]] void on_packet_slow(const ReceivedPacket& received, verbs::Context& context, Time now);
  [[nodiscard, gnu::noinline]] bool poll_transmit_slow(const TransmitSlot& slot, verbs::Context& context, Time now);
  [[nodiscard]] bool on_packet_fast(const ReceivedPacket& received, verbs::Context& context, Time now);
  [[nodiscard]] bool place_middle(const ReceivedPacket& received, const RcCall& environment);
  [[nodiscard]] bool admits(const wire::Packet& packet) const;
  void on_request(const ReceivedPacket& received, const RcCall& environment);
  [[nodiscard]] bool share_wire(const TransmitSlot& slot, const RcCall& environment);
  void enter(verbs::QpState state, const RcCall& environment);
  void enter_error(const RcCall& environment);
  [[nodiscard]] bool unsettled() const {
    return requester_.failed() || responder_.failed() || core_.state() == verbs::QpState::kSqd;
  }
  void settle(const RcCall& environment);

  RcCore core_;
  RcRequester requester_;
  RcResponder responder_;
};

}  // namespace weft::transport
