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
      if (sender_.has_path_selector())
        answer_by_path_of(received.packet);
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

namespace {

// Data that answer a request have a code of their own, which does not tell where they were trimmed.
//= uet-1.0 3.5
wire::UetNack trimmed_code(const wire::Packet& packet) {
  const wire::UetNextHeader next = packet.uet.next_header();
  if (next == wire::UetNextHeader::kResponseData || next == wire::UetNextHeader::kResponseDataSmall)
    return wire::UetNack::kTrimmedAck;
  return packet.has(wire::kTrimmedLastHop) ? wire::UetNack::kTrimmedLastHop : wire::UetNack::kTrimmed;
}

}  // namespace

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
  answer_by_path_of(received.packet);
  if (rod != (key_.mode == UetMode::kRod)) {
    receiver_.refuse({.psn = header.psn, .code = wire::UetNack::kPdcModeMismatch, .marked = marked});
    return;
  }
  if (is_late(header.psn)) {
    ++call.counters.duplicates;
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
      receiver_.note_arrival(
          {.psn = header.psn, .size = 0, .marked = marked, .at_once = true, .again = header.has(wire::kUetRetransmit)},
          call.options);
      return;
    case PdcReceiver::Place::kNew:
      break;
  }
  if (state_ == State::kClosing) {
    receiver_.refuse({.psn = header.psn, .code = wire::UetNack::kClosing, .marked = marked});
    return;
  }
  if (received.packet.has(wire::kTrimmed)) {
    ++call.counters.trimmed;
    receiver_.refuse({.psn = header.psn, .code = trimmed_code(received.packet), .marked = marked});
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
  if (!receiver_.has_room_for_response(header.psn, call.options)) {
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
    end_runs();
  }
  if (reception.answer_follows) [[unlikely]]
    note_data_answer(header, call);
  receiver_.take(header.psn, received.packet.common.frame_bytes);
  if (call.options.infer_loss_after != 0 && receiver_.infers_loss(call.options.infer_loss_after))
    receiver_.refuse({.psn = receiver_.base(), .code = wire::UetNack::kReceiverInferredLoss});
  if (!reception.answered) {
    receiver_.note_arrival({.psn = header.psn,
                            .size = received.packet.common.frame_bytes,
                            .marked = marked,
                            .at_once = header.has(wire::kUetAckRequest),
                            .again = header.has(wire::kUetRetransmit)},
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
  const std::uint32_t answered = PdcSender::answered_by(header);
  if (is_late(header.psn) && is_late(answered)) {
    ++call.counters.duplicates;
    return;
  }
  const bool progresses = psn_distance(sender_.una(), header.psn) >= 0;
  if (!sender_.on_ack(received.packet, response, call)) {
    ++call.counters.discarded;
    return;
  }
  if (!live())
    return;
  if (header.has(wire::kUetProbeReply)) [[unlikely]]
    take_probe_answer(header, call);
  learn_peer(header);
  if (header.mpr_or_header != 0)
    peer_window_ = std::min(std::uint32_t{header.mpr_or_header} * 128, call.options.psn_window);
  if (progresses)
    active_at_ = call.now;
  if (users_ > 0 && response == nullptr) [[unlikely]] {
    // The answer to a packet that has been asked for has been given.
    if (answered == asked_psn_)
      sender_.forget_awaited(asked_psn_);
  }
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
    if (code == wire::UetNack::kClosingInError && psn_distance(sender_.start(), header.psn) >= 0)
      fail(call);
    if (header.psn != close_psn_)
      return;
    // The peer has closed already, or was gone.
    if (code == wire::UetNack::kInvalidDestinationPdc || code == wire::UetNack::kPdcHeaderMismatch)
      finish(call);
    return;
  }
  const bool about_close_request = !notice_due_.is_never() && (code == wire::UetNack::kInvalidDestinationPdc ||
                                                               code == wire::UetNack::kPdcHeaderMismatch);
  // One about a packet of an earlier context says nothing of this one.
  const bool of_this =
      psn_distance(receiver_.start() - 1, header.psn) >= 0 && psn_distance(header.psn, receiver_.base()) > 0;
  if (role_ == Role::kTarget && about_close_request && of_this) {
    finish(call);  // the initiator knows nothing of it any more
    return;
  }
  if (settles_without_packet(code, header.psn, call))
    return;
  if (!sender_.was_sent(header.psn)) {
    ++call.counters.discarded;
    return;
  }
  on_packet_refused(header.psn, header.notice, call);
}

// What is told of the whole context, and of packets that have been delivered and wait for their answer.
bool Pdc::settles_without_packet(wire::UetNack code, std::uint32_t psn, const PdcCall& call) {
  if (code == wire::UetNack::kClosingInError || code == wire::UetNack::kGuaranteedResponseUnavailable) {
    const std::uint32_t start = role_ == Role::kInitiator ? sender_.start() : receiver_.start();
    if (psn_distance(start, psn) >= 0)  // otherwise of an earlier context
      fail(call);
    return true;
  }
  if (users_ == 0 || psn != asked_psn_ || psn_distance(sender_.start(), psn) < 0 || sender_.was_sent(psn))
    return false;
  // The answer to an ACK request. A peer that knows nothing of what it has acknowledged has lost the context.
  if (code == wire::UetNack::kInvalidDestinationPdc || code == wire::UetNack::kPdcHeaderMismatch ||
      code == wire::UetNack::kPacketNotReceived)
    fail(call);
  return true;
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
    case UetNack::kAckWithData:
      sender_.on_inferred_loss(psn, call);
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

}  // namespace weft::transport
