// What contexts ask of the endpoint, which passes it on to queue pairs and to the messages of jobs.
#include "base/stable_hash.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

UetEndpoint::Jobs::Jobs(UetEndpoint& endpoint, verbs::Context& context, std::uint32_t first_id)
    : messenger(endpoint, context),
      rudi({.endpoint = endpoint.endpoint(), .encapsulation = endpoint.encapsulation(), .first_id = first_id},
           messenger) {}

SesMessenger& UetEndpoint::messenger() {
  if (jobs_ == nullptr) {
    const auto first_id = static_cast<std::uint32_t>(stable_hash(setup_.seed, "uet rudi packet id"));
    jobs_ = std::make_unique<Jobs>(*this, context_, first_id);
  }
  return jobs_->messenger;
}

void UetEndpoint::enqueue_rudi(std::uint32_t owner, const wire::PacketCommon& common) {
  jobs_->rudi.enqueue(owner, common);
  touch(0);
}

/// False: it is not of a kind that needs no context.
bool UetEndpoint::deliver_without_context(const ReceivedPacket& received, Time now) {
  const wire::UetHeader& header = received.packet.uet;
  if (jobs_ == nullptr)
    return false;
  const RudiExchange::Call environment = rudi_call(now);
  if (header.type == wire::UetType::kRudiRequest) {
    jobs_->rudi.on_request(received, environment);
  } else if (header.type == wire::UetType::kRudiResponse) {
    jobs_->rudi.on_response(received, environment);
  } else if (header.type == wire::UetType::kNack && header.has(wire::kUetNackRudi)) {
    jobs_->rudi.on_nack(received.packet, environment);
  } else {
    return false;
  }
  touch(0);
  return true;
}

SesReception UetEndpoint::deliver_to_job(const ReceivedPacket& received, std::uint16_t pdc, Time now) {
  switch (received.packet.uet.next_header()) {
    case wire::UetNextHeader::kRequestSmall:
    case wire::UetNextHeader::kRequestMedium:
    case wire::UetNextHeader::kRequestStandard:
      return jobs_->messenger.on_request(received, pdc, now);
    case wire::UetNextHeader::kResponse:
    case wire::UetNextHeader::kResponseData:
    case wire::UetNextHeader::kResponseDataSmall:
      jobs_->messenger.on_answer(received, now);
      break;
    case wire::UetNextHeader::kNone:
      break;
  }
  return {};
}

// PdsClient.

SesNext UetEndpoint::make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) {
  if (is_message(owner)) [[unlikely]]
    return jobs_->messenger.make_next(owner, slot, now);
  return queue_pair_of(owner).make_next(owner, slot, context_, now);
}

std::uint16_t UetEndpoint::make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) {
  if (is_message(packet.owner)) [[unlikely]]
    return jobs_->messenger.make_again(packet, slot, now);
  return queue_pair_of(packet.owner).make_again(packet, slot, context_, now);
}

void UetEndpoint::on_delivered(const SesPacket& packet, Time now) {
  if (is_message(packet.owner)) [[unlikely]] {
    jobs_->messenger.on_delivered(packet, now);
    return;
  }
  queue_pair_of(packet.owner).on_delivered(packet, context_, now);
}

std::uint32_t UetEndpoint::count_delivered(const SesPacket& packet, std::uint32_t count) {
  return is_message(packet.owner) ? 0 : queue_pair_of(packet.owner).count_delivered(packet, count);
}

void UetEndpoint::on_response(const SesPacket& packet, const wire::UetExtension& response, Time now) {
  if (is_message(packet.owner)) [[unlikely]] {
    jobs_->messenger.on_response(packet, response, now);
    return;
  }
  queue_pair_of(packet.owner).on_response(packet, response, context_, now);
}

Duration UetEndpoint::on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, Time now) {
  if (is_message(packet.owner)) [[unlikely]]
    return jobs_->messenger.on_refused(packet);
  return queue_pair_of(packet.owner).on_refused(packet, notice, context_, now);
}

Bytes UetEndpoint::backlog(std::uint32_t owner, Bytes enough, Time now) {
  if (is_message(owner)) [[unlikely]]
    return jobs_->messenger.backlog(owner);
  return queue_pair_of(owner).backlog(owner, enough, context_, now);
}

SesReception UetEndpoint::deliver(const ReceivedPacket& received, std::uint16_t pdc, Time now) {
  const wire::UetHeader& header = received.packet.uet;
  const QpSlot slot = numbers_.find(Qpn(header.resource()));
  if (jobs_ != nullptr && !slot.exists()) [[unlikely]]
    return deliver_to_job(received, pdc, now);
  SesReception refusal{.answered = true};
  refusal.response.message_id = header.request.message_id;
  refusal.response.return_code = static_cast<std::uint8_t>(wire::uet::SesReturnCode::kBadIndex);
  if (!slot.exists() || slot.kind != EngineKind::kUet)
    return refusal;
  UetQueuePair& qp = queue_pairs_[Handle(slot.index)];
  last_srq_ = qp.core().init().srq;
  switch (header.next_header()) {
    case wire::UetNextHeader::kRequestSmall:
    case wire::UetNextHeader::kRequestMedium:
    case wire::UetNextHeader::kRequestStandard:
      if (qp.state() == verbs::QpState::kReset || qp.state() == verbs::QpState::kInit) {
        // Its program has not brought it up yet.
        return {.nack = wire::UetNack::kNoSesMessage};
      }
      if (!qp.admits(received.packet.common.source)) {
        refusal.response.return_code = static_cast<std::uint8_t>(wire::uet::SesReturnCode::kDisabled);
        return refusal;
      }
      return qp.on_request(received, pdc, context_, now);
    case wire::UetNextHeader::kResponse:
    case wire::UetNextHeader::kResponseData:
    case wire::UetNextHeader::kResponseDataSmall:
      if (qp.admits(received.packet.common.source))
        qp.on_answer(received, context_, now);
      return {};
    case wire::UetNextHeader::kNone:
      break;
  }
  return {};
}

AnswerState UetEndpoint::answer_state(const Asked& asked) const {
  const QpSlot slot = numbers_.find(Qpn(asked.resource));
  if (jobs_ != nullptr && jobs_->messenger.has(asked.resource))
    return jobs_->messenger.answer_state(asked.peer, asked.message_id);
  if (!slot.exists() || slot.kind != EngineKind::kUet)
    return AnswerState::kUnavailable;
  const UetQueuePair& qp = queue_pairs_[Handle(slot.index)];
  return qp.admits(asked.peer) ? qp.answer_state(asked.message_id) : AnswerState::kUnavailable;
}

}  // namespace weft::transport
