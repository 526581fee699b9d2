// What arriving control packets do to a packet delivery context.
#include <algorithm>

#include "transport/uet/pdc.h"

namespace weft::transport {

void Pdc::on_control(const ReceivedPacket& received, const PdcCall& call) {
  const wire::UetHeader& header = received.packet.uet;
  switch (static_cast<wire::UetControl>(header.notice.code)) {
    case wire::UetControl::kAckRequest:
      on_ack_request(header.psn, call);
      break;
    case wire::UetControl::kProbe:
      receiver_.note_arrival({.psn = receiver_.base() - 1, .at_once = true, .probe = true, .opaque = header.psn_offset},
                             call.options);
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

// What had been on its way for as long when the last probe left, and was not there before it, is lost. An answer that
// took longer comes from a path with queues, in which packets may still wait.
void Pdc::take_probe_answer(const wire::UetHeader& header, const PdcCall& call) {
  if (header.psn_offset == probe_ && call.now <= probed_at_ + probe_after_ && call.options.loss_by_count)
    sender_.on_probe_answer(header, probed_at_ - probe_after_, call);
}

// What has become of one packet, and of its answer.
//= uet-1.0 3.5
void Pdc::on_ack_request(std::uint32_t psn, const PdcCall& call) {
  wire::UetNack code = wire::UetNack::kNone;
  if (receiver_.place_of(psn) != PdcReceiver::Place::kDuplicate) {
    code = wire::UetNack::kPacketNotReceived;
  } else {
    switch (answer_to(psn, call)) {
      case AnswerState::kGiven:
        receiver_.note_arrival({.psn = psn, .at_once = true}, call.options);
        return;
      case AnswerState::kProcessing:
        code = wire::UetNack::kReceivedSesProcessing;
        break;
      case AnswerState::kUnderWay:
        code = wire::UetNack::kAckWithData;
        break;
      case AnswerState::kUnavailable:
        code = wire::UetNack::kGuaranteedResponseUnavailable;
        break;
    }
  }
  receiver_.refuse({.psn = psn, .code = code, .payload = receiver_.base()});
}

AnswerState Pdc::answer_to(std::uint32_t psn, const PdcCall& call) const {
  const auto found = std::ranges::find(data_answers_, psn, &DataAnswer::psn);
  return found == data_answers_.end()
             ? AnswerState::kGiven
             : call.client.answer_state(
                   {.peer = key_.peer, .resource = found->resource, .message_id = found->message_id});
}

// Only what may not have been given is kept: SES bounds how many those are.
void Pdc::note_data_answer(const wire::UetHeader& header, const PdcCall& call) {
  constexpr std::size_t kLookThrough = 64;
  if (data_answers_.size() >= kLookThrough && data_answers_.size() == data_answers_.capacity()) {
    std::erase_if(data_answers_,
                  [&](const DataAnswer& answer) { return answer_to(answer.psn, call) == AnswerState::kGiven; });
  }
  data_answers_.push_back({.psn = header.psn, .resource = header.resource(), .message_id = header.request.message_id});
}

// The target may be sure that all its answers have come, for the initiator closes only then.
void Pdc::on_close(const wire::Packet& packet, const PdcCall& call) {
  const std::uint32_t psn = packet.uet.psn;
  if (role_ != Role::kTarget) {
    receiver_.refuse({.psn = psn, .code = wire::UetNack::kUnexpectedEvent});
    return;
  }
  // A second copy of the CLOSE of an earlier context with the same numbers.
  if (psn_distance(receiver_.start(), psn) < 0) {
    ++call.counters.duplicates;
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
