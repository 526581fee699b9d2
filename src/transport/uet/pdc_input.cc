// What arriving packets do to a packet delivery context.
#include "base/assert.h"
#include "transport/uet/pdc.h"

namespace weft::transport {

void Pdc::on_packet(const ReceivedPacket& received, const PdcCall& call) {
  if (!live()) {
    ++call.counters.discarded;
    return;
  }
  heard_at_ = call.now;
  switch (received.packet.uet.type) {
    case wire::UetType::kRudRequest:
    case wire::UetType::kRodRequest:
    case wire::UetType::kRudCcRequest:
    case wire::UetType::kRodCcRequest:
      on_request(received, call);
      break;
    case wire::UetType::kAck:
    case wire::UetType::kAckCc:
    case wire::UetType::kAckCcx:
      on_acknowledge(received, call);
      break;
    case wire::UetType::kNack:
    case wire::UetType::kNackCcx:
      on_nack(received, call);
      break;
    case wire::UetType::kControl:
      on_control(received, call);
      break;
    case wire::UetType::kSecurity:
    case wire::UetType::kRudiRequest:
    case wire::UetType::kRudiResponse:
    case wire::UetType::kUudRequest:
      ++call.counters.discarded;
      break;
  }
  credit_retries_ = 0;
  watch_credit(call.now);
  settle(call);
}

// Whatever the target sends tells its number: SYN is over.
void Pdc::learn_peer(const wire::UetHeader& header) {
  if (state_ == State::kSyn) {
    state_ = State::kOpen;
    peer_id_ = header.source_pdc;
  }
}

void Pdc::on_request(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  const bool marked = received.packet.common.ecn == wire::Ecn::kCe;
  const bool rod = header.type == wire::UetType::kRodRequest || header.type == wire::UetType::kRodCcRequest;
  if (rod != (key_.mode == UetMode::kRod)) {
    receiver_.refuse({.psn = header.psn, .code = wire::UetNack::kPdcModeMismatch, .marked = marked});
    return;
  }
  active_at_ = call.now;
  // A target asks its initiator to close for as long as that one sends; two targets would ask each other for ever.
  notice_retries_ = 0;
  learn_peer(header);
  if (!header.has(wire::kUetSyn) && receiver_.has_responses())
    receiver_.clear_up_to(header.psn + static_cast<std::uint32_t>(std::int32_t{header.psn_offset}));
  switch (receiver_.place_of(header.psn)) {
    case PdcReceiver::Place::kBeyondWindow:
      receiver_.refuse(
          {.psn = header.psn, .code = wire::UetNack::kPsnOutsideWindow, .payload = receiver_.base(), .marked = marked});
      return;
    case PdcReceiver::Place::kDuplicate:
      ++call.counters.duplicates;
      receiver_.note_arrival({.psn = header.psn, .size = 0, .marked = marked, .at_once = true}, call.options);
      return;
    case PdcReceiver::Place::kNew:
      break;
  }
  if (received.packet.has(wire::kTrimmed)) {
    ++call.counters.trimmed;
    const bool last_hop = received.packet.has(wire::kTrimmedLastHop);
    receiver_.refuse({.psn = header.psn,
                      .code = last_hop ? wire::UetNack::kTrimmedLastHop : wire::UetNack::kTrimmed,
                      .marked = marked});
    return;
  }
  if (header.psn != receiver_.base()) {
    ++call.counters.out_of_order;
    if (key_.mode == UetMode::kRod) {
      if (receiver_.first_gap())
        receiver_.refuse({.psn = receiver_.base(), .code = wire::UetNack::kRodOutOfOrder, .marked = marked});
      return;
    }
  }
  take(received, call);
}

void Pdc::take(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  const bool marked = received.packet.common.ecn == wire::Ecn::kCe;
  if (!receiver_.has_room_for_response(call.options)) {
    receiver_.refuse({.psn = header.psn, .code = wire::UetNack::kNoGuaranteedDelivery, .marked = marked});
    return;
  }
  SesReception reception;
  if (header.next_header() != wire::UetNextHeader::kNone)
    reception = call.client.deliver(received, id_, call.now);
  if (!live())
    return;
  if (reception.nack != wire::UetNack::kNone) {
    receiver_.refuse({.psn = header.psn, .code = reception.nack, .payload = reception.nack_payload, .marked = marked});
    return;
  }
  if (reception.answered) {
    if (received.packet.has(wire::kHasCold))
      reception.response.job = received.cold.uet.job;
    receiver_.keep_response(header.psn, reception.response);
  }
  receiver_.take(header.psn, received.packet.common.frame_bytes);
  if (!reception.answered) {
    receiver_.note_arrival({.psn = header.psn,
                            .size = received.packet.common.frame_bytes,
                            .marked = marked,
                            .at_once = header.has(wire::kUetAckRequest)},
                           call.options);
  }
}

void Pdc::on_acknowledge(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  if (state_ == State::kClosing) {
    if (psn_distance(close_psn_, header.psn) == 0)
      finish(call);
    return;
  }
  const wire::UetExtension* const response = received.packet.has(wire::kHasCold) ? &received.cold.uet : nullptr;
  const bool progresses = psn_distance(sender_.una(), header.psn) >= 0;
  if (!sender_.on_ack(received.packet, response, call)) {
    ++call.counters.discarded;
    return;
  }
  if (!live())
    return;
  learn_peer(header);
  if (header.mpr_or_header != 0)
    peer_window_ = std::min(std::uint32_t{header.mpr_or_header} * 128, call.options.psn_window);
  if (progresses)
    active_at_ = call.now;
  if (header.has(wire::kUetRequestClear))
    notices_ |= kClear;
  if (header.has(wire::kUetRequestClose) && role_ == Role::kInitiator)
    want_close(call);
}

void Pdc::on_nack(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  const auto code = static_cast<wire::UetNack>(header.notice.code);
  if (header.notice.code < wire::kUetNackCodes)
    ++call.counters.nacks_received[header.notice.code];
  on_refusal_with_credit(header);
  if (state_ == State::kClosing) {
    if (header.psn != close_psn_)
      return;
    // The peer has closed already, or was gone.
    if (code == wire::UetNack::kInvalidDestinationPdc || code == wire::UetNack::kPdcHeaderMismatch)
      finish(call);
    return;
  }
  const bool about_close_request = !notice_due_.is_never() && (code == wire::UetNack::kInvalidDestinationPdc ||
                                                               code == wire::UetNack::kPdcHeaderMismatch);
  if (role_ == Role::kTarget && about_close_request) {
    finish(call);  // the initiator knows nothing of it any more
    return;
  }
  if (!sender_.was_sent(header.psn)) {
    ++call.counters.discarded;
    return;
  }
  on_packet_refused(header.psn, header.notice, call);
}

void Pdc::on_packet_refused(std::uint32_t psn, const wire::UetNoticeFields& notice, const PdcCall& call) {
  using wire::UetNack;
  PdcSender::Outcome outcome = PdcSender::Outcome::kGoesOn;
  switch (static_cast<UetNack>(notice.code)) {
    case UetNack::kTrimmed:
    case UetNack::kTrimmedAck:
      sender_.on_trimmed(psn, PdcSender::TrimmedAt::kOnTheWay, call);
      break;
    case UetNack::kTrimmedLastHop:
      sender_.on_trimmed(psn, PdcSender::TrimmedAt::kLastHop, call);
      break;
    case UetNack::kReceiverInferredLoss:
    case UetNack::kPacketNotReceived:
      sender_.on_inferred_loss(psn);
      break;
    case UetNack::kRodOutOfOrder:
      sender_.go_back(psn);
      break;
    case UetNack::kNoResource:
    case UetNack::kNoSesMessage:
    case UetNack::kReceivedSesProcessing:
      sender_.on_refused(psn, notice, call);
      break;
    case UetNack::kNoPdc:
    case UetNack::kNoCcc:
    case UetNack::kNoBitmap:
    case UetNack::kNoPacketBuffer:
    case UetNack::kNoGuaranteedDelivery:
    case UetNack::kPsnOutsideWindow:
    case UetNack::kClosing:
      outcome = sender_.on_refused_for_now(psn, call);
      break;
    case UetNack::kNewStartPsn:
      if (state_ == State::kSyn && notice.payload != sender_.start())
        sender_.restart(notice.payload);
      if (state_ == State::kSyn)
        receiver_.open(sender_.start(), call.options);
      break;
    case UetNack::kInvalidDestinationPdc:
    case UetNack::kPdcHeaderMismatch:
    case UetNack::kClosingInError:
    case UetNack::kGuaranteedResponseUnavailable:
    case UetNack::kAckWithData:
    case UetNack::kInvalidSyn:
    case UetNack::kPdcModeMismatch:
    case UetNack::kUnexpectedEvent:
      outcome = PdcSender::Outcome::kGivesUp;
      break;
    case UetNack::kNone:
      ++call.counters.discarded;
      break;
    default:  // reserved and experimental codes
      ++call.counters.discarded;
      break;
  }
  if (outcome == PdcSender::Outcome::kGivesUp)
    fail(call);
}

void Pdc::on_control(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  switch (static_cast<wire::UetControl>(header.notice.code)) {
    case wire::UetControl::kAckRequest:
    case wire::UetControl::kProbe:
      receiver_.note_arrival({.psn = receiver_.base() - 1, .at_once = true, .probe = true}, call.options);
      break;
    case wire::UetControl::kClear:
      receiver_.clear_up_to(header.psn);
      break;
    case wire::UetControl::kClearRequest:
      notices_ |= kClear;
      break;
    case wire::UetControl::kClose:
      on_close(received.packet, call);
      break;
    case wire::UetControl::kCloseRequest:
      if (role_ == Role::kInitiator) {
        want_close(call);
      } else {
        receiver_.refuse({.psn = header.psn, .code = wire::UetNack::kUnexpectedEvent});
      }
      break;
    case wire::UetControl::kCredit:
    case wire::UetControl::kCreditRequest:
      on_credit_control(header, call);
      break;
    case wire::UetControl::kNoOperation:
    case wire::UetControl::kNegotiation:
      break;
    default:
      ++call.counters.discarded;
      break;
  }
}

// The target may be sure that all its answers have come, for the initiator closes only then.
void Pdc::on_close(const wire::Packet& packet, const PdcCall& call) {
  const std::uint32_t psn = packet.uet.psn;
  if (role_ != Role::kTarget) {
    receiver_.refuse({.psn = psn, .code = wire::UetNack::kUnexpectedEvent});
    return;
  }
  receiver_.clear_up_to(psn);
  if (receiver_.base() != psn) {
    receiver_.refuse({.psn = psn, .code = wire::UetNack::kPacketNotReceived, .payload = receiver_.base()});
    return;
  }
  receiver_.take(psn, 0);
  closed_by_peer_ = true;
  finish(call);
}

}  // namespace weft::transport
