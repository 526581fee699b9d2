// A queue pair over Ultra Ethernet: semantics only, for its packets go through contexts that the endpoint's queue pairs
// share.
//
// Driven through RcQueuePair's functions (contract: transport/qp_core.h), of type kRc for the program, with RC's
// states. PIDonFEP and resource index of its address are the 24 bits of its number. Timeout and retry count belong to
// the packet delivery contexts (UetOptions); SEND with invalidate is refused when posted. How verbs are mapped:
// docs/decisions/0040-verbs-over-ultra-ethernet.md.
#pragma once

#include <cstddef>

#include "transport/uet/ses_requester.h"
#include "transport/uet/ses_responder.h"

namespace weft::transport {

class UetEndpoint;

class UetQueuePair {
 public:
  /// The endpoint must outlive it.
  UetQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, UetEndpoint& endpoint);

  [[nodiscard]] Result<void> modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                    verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_send(const verbs::SendWr& request, verbs::Context& context, Time now);
  [[nodiscard]] Result<void> post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now);

  // As an engine of its own it has nothing to send, and no time: the endpoint's contexts do.
  void on_packet(const ReceivedPacket& /*received*/, verbs::Context& /*context*/, Time /*now*/) {}
  void on_timeout(verbs::Context& /*context*/, Time /*now*/) {}
  [[nodiscard]] bool poll_transmit(const TransmitSlot& /*slot*/, verbs::Context& /*context*/, Time /*now*/) {
    return false;
  }
  [[nodiscard]] Time next_transmit() const { return Time::never(); }
  [[nodiscard]] Time next_timeout() const { return Time::never(); }

  // For the endpoint.

  /// What the two owners of a queue pair have to do with contexts.
  enum class Half : std::uint8_t { kRequester, kResponder };
  [[nodiscard]] SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, verbs::Context& context, Time now);
  [[nodiscard]] std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, verbs::Context& context,
                                         Time now);
  // The fast path (transport/uet/uet_fast_path.h).
  [[nodiscard]] SesRequester::Run find_send_run(std::uint32_t owner, const wire::PacketCommon& common) {
    return half_of(owner) == Half::kRequester ? requester_.find_run(owner, common, core_) : SesRequester::Run{};
  }
  /// SesResponder::find_run, and the epoch of the queue pair.
  [[nodiscard]] bool find_take_run(const wire::Packet& packet, std::uint16_t pdc, const verbs::Context& context,
                                   TakeRun& run);
  [[nodiscard]] std::uint32_t count_delivered(const SesPacket& packet, std::uint32_t count) {
    return half_of(packet.owner) == Half::kRequester ? requester_.count_delivered(packet, count) : 0;
  }
  [[nodiscard]] Bytes backlog(std::uint32_t owner, Bytes enough, verbs::Context& context, Time now) const;
  void on_delivered(const SesPacket& packet, verbs::Context& context, Time now);
  void on_response(const SesPacket& packet, const wire::UetExtension& response, verbs::Context& context, Time now);
  [[nodiscard]] Duration on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice,
                                    verbs::Context& context, Time now);
  [[nodiscard]] SesReception on_request(const ReceivedPacket& received, std::uint16_t pdc, verbs::Context& context,
                                        Time now);
  void on_answer(const ReceivedPacket& received, verbs::Context& context, Time now);
  [[nodiscard]] AnswerState answer_state(std::uint16_t message_id) const { return responder_.answer_state(message_id); }
  void on_context_lost(std::uint16_t pdc, verbs::Context& context, Time now);
  /// By its initiator, which has had all answers, though not all of its acknowledgements have come.
  void on_context_closed(std::uint16_t pdc);
  /// The context that its requests, or its answers, go through; 0: none.
  [[nodiscard]] std::uint16_t pdc_of(Half half) const { return half == Half::kRequester ? pdc_ : answer_pdc_; }
  /// It has told its context that it waits for answers.
  [[nodiscard]] bool uses_context() const { return uses_context_; }
  /// It has left its contexts.
  void forget_contexts();
  /// Something has changed that packets in runs are not asked about.
  void end_runs() {
    ++epoch_;
    requester_.end_run();
  }
  /// There may be room for a context now.
  void on_room(verbs::Context& context, Time now) {
    request_queued_ = false;
    settle(call(context, now));
  }
  /// Whether a packet from there may be for it.
  [[nodiscard]] bool admits(EndpointId source) const {
    return core_.may_receive() && core_.attributes().address.destination == source;
  }

  [[nodiscard]] verbs::QpState state() const { return core_.state(); }
  [[nodiscard]] const QpCore& core() const { return core_; }
  [[nodiscard]] const SesResponder& responder() const { return responder_; }
  [[nodiscard]] std::size_t heap_bytes() const { return requester_.heap_bytes() + responder_.heap_bytes(); }

  // The two owners of a queue pair: its place among the endpoint's, and the half.
  void set_place(std::uint32_t place) { place_ = place; }
  [[nodiscard]] std::uint32_t owner_of(Half half) const { return place_ << 1 | (half == Half::kResponder ? 1U : 0U); }
  [[nodiscard]] static Half half_of(std::uint32_t owner) {
    return (owner & 1U) == 0 ? Half::kRequester : Half::kResponder;
  }

 private:
  [[nodiscard]] SesCall call(verbs::Context& context, Time now) const;
  void enter(verbs::QpState state, const SesCall& environment);
  void enter_error(const SesCall& environment);
  void settle(const SesCall& environment);
  void request_transmit(const SesCall& environment);
  void raise(verbs::AsyncEventType type, const SesCall& environment) const;

  QpCore core_;
  UetEndpoint& endpoint_;
  SesRequester requester_;
  SesResponder responder_;
  std::uint32_t place_ = 0;
  std::uint32_t epoch_ = 0;  // runs of packets to be taken hold for one
  std::uint16_t pdc_ = 0;
  std::uint16_t answer_pdc_ = 0;
  bool request_queued_ = false;  // an owner of its context's packets
  bool answer_queued_ = false;
  bool uses_context_ = false;  // has told its context that answers are outstanding
  bool drain_reported_ = false;
  bool established_ = false;
};

}  // namespace weft::transport
