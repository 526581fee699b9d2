// A queue pair of an unreliable service: requester and responder joined, with the states of verbs around them. UC and
// UD are this class with their own requests, packets and responder (transport/uc_queue_pair.h, ud_queue_pair.h).
//
// Contract of the functions: transport/qp_core.h. Nothing is acknowledged, so there is no timeout. A send request that
// fails stops the send queue alone: the others are flushed, the state is SQE, receiving goes on, and modify to RTS
// starts it again. A receive request whose memory may not be written, and an overflow of a completion queue, lead to
// ERR. Source: IBTA 9.8, 10.3.1.
#pragma once

#include <cstddef>

#include "transport/packet_io.h"
#include "transport/unreliable_requester.h"
#include "transport/unreliable_types.h"

namespace weft::transport {

template <class Service>
class UnreliableQueuePair {
 public:
  using Options = typename Service::Options;
  using Requester = UnreliableRequester<Service>;
  using Responder = typename Service::Responder;

  UnreliableQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const Options& options = {});

  /// As ibv_modify_qp. Errors name the attribute and what would be right; nothing has changed then.
  [[nodiscard]] Result<void> modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                    verbs::Context& context, Time now);
  /// In ERR and SQE a request is accepted and flushed at once.
  [[nodiscard]] Result<void> post_send(const verbs::SendWr& request, verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now);

  void on_packet(const ReceivedPacket& received, verbs::Context& context, Time now);
  void on_timeout(verbs::Context&, Time) {}
  [[nodiscard]] bool poll_transmit(TransmitSlot slot, verbs::Context& context, Time now);
  [[nodiscard]] Time next_transmit() const;
  [[nodiscard]] Time next_timeout() const { return Time::never(); }

  [[nodiscard]] verbs::QpState state() const { return core_.state(); }
  [[nodiscard]] const QpCore& core() const { return core_; }
  [[nodiscard]] const Options& options() const { return options_; }
  [[nodiscard]] const Requester& requester() const { return requester_; }
  [[nodiscard]] const Responder& responder() const { return responder_; }
  [[nodiscard]] const UnreliableCounters& counters() const { return counters_; }
  /// Heap memory held, posted requests included.
  [[nodiscard]] std::size_t heap_bytes() const { return requester_.heap_bytes() + responder_.heap_bytes(); }

 private:
  [[nodiscard]] UnreliableCall call(verbs::Context& context, Time now);
  [[nodiscard]] bool may_request() const {
    return core_.state() == verbs::QpState::kRts || core_.state() == verbs::QpState::kSqd;
  }
  void enter(verbs::QpState state, const UnreliableCall& environment);
  void enter_error(const UnreliableCall& environment);
  void settle(const UnreliableCall& environment);
  void raise(verbs::AsyncEventType type, verbs::Context& context) const {
    context.raise({.type = type, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }

  QpCore core_;
  Options options_;
  Requester requester_;
  Responder responder_;
  UnreliableCounters counters_;
  bool drain_reported_ = false;
  bool established_ = false;
};

}  // namespace weft::transport
