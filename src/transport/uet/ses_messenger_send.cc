// Messages of SesMessenger on their way out.
#include <algorithm>

#include "base/assert.h"
#include "transport/segmentation.h"
#include "transport/uet/ses_messenger.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

using wire::UetOperation;

namespace {

constexpr std::uint16_t kRendezvousBytes = 24;

bool is_read(UetOperation operation) { return operation == UetOperation::kRead; }

std::optional<SesCompletion::Kind> kind_of(UetOperation operation) {
  if (operation == UetOperation::kReadyToRestart || operation == UetOperation::kMessageError)
    return std::nullopt;
  return operation == UetOperation::kWrite ? SesCompletion::Kind::kWrite
         : is_read(operation)              ? SesCompletion::Kind::kRead
                                           : SesCompletion::Kind::kSend;
}

}  // namespace

Result<void> SesMessenger::start(Outgoing message, Time now) {
  if (outgoing_.size() >= kMostMessages)
    return fail("{} messages are under way, as many as there may be", outgoing_.size());
  while (next_number_ == 0 || outgoing_.contains(next_number_))
    ++next_number_;
  const std::uint16_t number = next_number_++;
  message.attempt = next_serial_++;
  // The number is the low half, so that the message is found by it.
  if (wire::uet::is_deferrable(message.operation))
    message.restart = {.initiator = message.attempt << 16 | number, .target = 0};
  go_on(number, outgoing_.emplace(number, message).first->second, now);
  return {};
}

// Its packets wait in a context, for a context, or with RUDI for their turn.
void SesMessenger::go_on(std::uint16_t number, Outgoing& message, Time now) {
  const std::uint32_t owner = kOwnerBit | number;
  if (message.delivery == SesDelivery::kRudi) {
    endpoint_.enqueue_rudi(owner, message.common);
    return;
  }
  const UetMode mode = message.delivery == SesDelivery::kRod ? UetMode::kRod : UetMode::kRud;
  message.pdc = endpoint_.context_for(message.common, mode, now);
  if (message.pdc == 0) {
    endpoint_.wait_for_context(owner);
    return;
  }
  if (is_read(message.operation)) {
    message.uses_context = true;
    endpoint_.add_user(message.pdc);
  }
  endpoint_.enqueue(message.pdc, owner, now);
}

void SesMessenger::on_room(std::uint32_t owner, Time now) {
  const auto found = outgoing_.find(static_cast<std::uint16_t>(owner));
  if (found != outgoing_.end() && found->second.pdc == 0 && found->second.cursor == 0)
    go_on(found->first, found->second, now);
}

SesMessenger::Outgoing* SesMessenger::find(const SesPacket& packet) {
  const auto found = outgoing_.find(static_cast<std::uint16_t>(packet.owner));
  return found == outgoing_.end() || found->second.attempt != packet.message ? nullptr : &found->second;
}

SesMessenger::Outgoing* SesMessenger::outgoing_to(EndpointId peer, std::uint16_t number) {
  const auto found = outgoing_.find(number);
  return found == outgoing_.end() || found->second.common.destination != peer ? nullptr : &found->second;
}

SesNext SesMessenger::make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) {
  if ((owner & kAnswerBits) == kAnswerBits)
    return next_answer(owner, slot);
  const auto number = static_cast<std::uint16_t>(owner);
  const auto found = outgoing_.find(number);
  if (found == outgoing_.end() || found->second.stage != Outgoing::Stage::kSending ||
      found->second.cursor == found->second.packets)
    return {};
  Outgoing& message = found->second;
  const SesPacket packet{.owner = owner, .message = message.attempt, .index = message.cursor};
  const std::uint16_t header = fill(message, number, packet.index, slot);
  if (header == 0) {
    finish(number, Code::kInitiatorError, now);
    return {};
  }
  ++message.cursor;
  return {.made = true,
          .more = message.cursor < message.packets,
          .packet = packet,
          .header_bytes = header,
          .expects_answer = is_read(message.operation)};
}

std::uint16_t SesMessenger::make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) {
  if ((packet.owner & kAnswerBits) == kAnswerBits) {
    const auto found = answers_.find(static_cast<std::uint16_t>(packet.owner));
    return found == answers_.end() || found->second.serial != packet.message ? std::uint16_t{0}
                                                                             : fill(found->second, packet.index, slot);
  }
  const Outgoing* const message = find(packet);
  if (message == nullptr)
    return 0;
  const auto number = static_cast<std::uint16_t>(packet.owner);
  const std::uint16_t header = fill(*message, number, packet.index, slot);
  if (header == 0)
    finish(number, Code::kInitiatorError, now);
  return header;
}

Bytes SesMessenger::backlog(std::uint32_t owner) const {
  const auto number = static_cast<std::uint16_t>(owner);
  const auto left = [this](const auto& table, std::uint16_t which) {
    const auto found = table.find(which);
    if (found == table.end())
      return Bytes::zero();
    const auto port = ports_.find(found->second.port);
    const std::int64_t packets = found->second.packets - found->second.cursor;
    return port == ports_.end() ? Bytes::zero() : Bytes(packets * full_payload(port->second.setup.mtu));
  };
  return (owner & kAnswerBits) == kAnswerBits ? left(answers_, number) : left(outgoing_, number);
}

// 0: its memory may not be read any more.
//= uet-1.0 3.4
std::uint16_t SesMessenger::fill(const Outgoing& message, std::uint16_t number, std::uint32_t index,
                                 const TransmitSlot& slot) {
  const auto port = ports_.find(message.port);
  if (port == ports_.end())
    return 0;
  const bool alone = message.delivery == SesDelivery::kRudi;  // each packet is a request of its own
  const std::uint32_t mtu = full_payload(port->second.setup.mtu);
  const std::uint32_t offset = index * mtu;
  const std::uint32_t payload = std::min(message.eager - std::min(offset, message.eager), mtu);
  wire::UetRequestFields& request = slot.packet.uet.request;
  request.operation = static_cast<std::uint8_t>(message.operation);
  request.message_id = number;
  request.memory_key = message.remote_key;
  request.buffer_offset = message.remote_address + offset;
  request.ses_flags = static_cast<std::uint8_t>((alone || index == 0 ? wire::kUetStartOfMessage : 0) |
                                                (alone || index + 1 == message.packets ? wire::kUetEndOfMessage : 0) |
                                                (message.to.relative ? wire::kUetRelative : 0) |
                                                (message.header_data && index == 0 ? wire::kUetHeaderData : 0));
  slot.packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  store(fields_of(message, &port->second, index), slot);
  if (payload > 0 && !copy_out(port->second, message.local.lkey, message.local.address + offset, payload, slot))
    return 0;
  const bool rendezvous = wire::uet::is_rendezvous(message.operation);
  const bool medium = message.packets == 1 && !rendezvous && !message.header_data && !is_read(message.operation) &&
                      !wire::uet::is_deferrable(message.operation) && kind_of(message.operation).has_value();
  slot.packet.uet.set_target(medium ? wire::UetNextHeader::kRequestMedium : wire::UetNextHeader::kRequestStandard,
                             message.to.resource());
  if (medium) {
    if (wire::has_match_bits(message.operation))
      request.message_id = static_cast<std::uint16_t>(message.tag >> 48);  // there is no other field for them
    return kSesMediumBytes;
  }
  return static_cast<std::uint16_t>(kSesStandardBytes + (rendezvous ? kRendezvousBytes : 0));
}

SesMessageFields SesMessenger::fields_of(const Outgoing& message, const Port* port, std::uint32_t index) const {
  SesMessageFields fields{.job = message.to.job,
                          .generation = message.to.generation,
                          .initiator = port->setup.initiator,
                          .length = message.local.length,
                          .offset = index * full_payload(port->setup.mtu),
                          .match_bits = message.tag,
                          .header_data = message.header_data.value_or(0),
                          .restart = message.restart};
  if (message.delivery == SesDelivery::kRudi) {
    const std::uint32_t mtu = full_payload(port->setup.mtu);
    fields.length = std::min(message.local.length - index * mtu, mtu);
    fields.offset = 0;
  }
  if (wire::uet::is_rendezvous(message.operation)) {
    fields.eager_length = message.eager;
    fields.read_from = port->setup.address;
    fields.read_offset = message.local.address + message.eager;
    fields.read_key = message.local.lkey;
  }
  return fields;
}

void SesMessenger::on_delivered(const SesPacket& packet, Time now) {
  if ((packet.owner & kAnswerBits) == kAnswerBits) {
    on_answer_delivered(packet, now);
    return;
  }
  Outgoing* const message = find(packet);
  if (message == nullptr || message->stage != Outgoing::Stage::kSending)
    return;
  if (++message->delivered < message->packets)
    return;
  if (is_read(message->operation)) {
    message->stage = Outgoing::Stage::kAnswered;
  } else if (wire::uet::is_rendezvous(message->operation) && message->eager < message->local.length) {
    message->stage = Outgoing::Stage::kServed;
  } else {
    finish(static_cast<std::uint16_t>(packet.owner), Code::kOk, now);
  }
}

void SesMessenger::on_response(const SesPacket& packet, const wire::UetExtension& response, Time now) {
  Outgoing* const message = (packet.owner & kAnswerBits) == kAnswerBits ? nullptr : find(packet);
  if (message == nullptr)
    return;
  const auto code = static_cast<Code>(response.return_code);
  if (code != Code::kOk && code != Code::kNull) {
    finish(static_cast<std::uint16_t>(packet.owner), code, now);
  } else if (wire::uet::is_deferrable(message->operation) && response.length < message->local.length) {
    message->stage = Outgoing::Stage::kDeferred;  // until the receiver asks for it
  } else {
    on_delivered(packet, now);
  }
}

Duration SesMessenger::on_refused(const SesPacket& packet) const {
  const bool answer = (packet.owner & kAnswerBits) == kAnswerBits;
  const auto number = static_cast<std::uint16_t>(packet.owner);
  const bool wanted = answer ? answers_.contains(number) : outgoing_.contains(number);
  return wanted ? endpoint_.options().timeout : Duration::max();
}

void SesMessenger::finish(std::uint16_t number, Code status, Time now) {
  const auto found = outgoing_.find(number);
  if (found == outgoing_.end())
    return;
  const Outgoing message = found->second;
  outgoing_.erase(found);
  if (message.uses_context)
    endpoint_.remove_user(message.pdc);
  if (message.serves) {
    end_service(*message.serves, status, now);
  } else if (const auto kind = kind_of(message.operation)) {
    complete({.id = message.id, .port = message.port, .kind = *kind, .status = status});
  }
}

// The READ of a rendezvous' rest, or the order to restart: what becomes of it, becomes of the message.
void SesMessenger::end_service(Key key, Code status, Time /*now*/) {
  const auto found = incoming_.find(key);
  if (found == incoming_.end() || !found->second.receive)
    return;
  const bool reading = found->second.stage == Incoming::Stage::kReading;
  if (status == Code::kOk && !reading)
    return;  // the order has been taken: the message will come
  complete_receive(found->second, *found->second.receive, status, key);
  forget(key, found->second);
}

void SesMessenger::on_answer(const ReceivedPacket& received, Time now) {
  const wire::UetRequestFields& answer = received.packet.uet.request;
  Outgoing* const message = outgoing_to(received.packet.common.source, answer.message_id);
  if (message == nullptr || !is_read(message->operation) || message->delivery == SesDelivery::kRudi)
    return;
  const auto code = static_cast<Code>(answer.memory_key);
  if (code != Code::kOk && code != Code::kNull) {
    finish(answer.message_id, code, now);
    return;
  }
  const std::uint32_t length = received.packet.common.payload_bytes;
  const std::uint64_t offset = answer.buffer_offset;
  const auto port = ports_.find(message->port);
  if (port == ports_.end() || offset > message->local.length || length > message->local.length - offset ||
      !copy_in(port->second, message->local, offset, received)) {
    finish(answer.message_id, Code::kInitiatorError, now);
    return;
  }
  message->received += length;
  if (message->received >= message->local.length)
    finish(answer.message_id, Code::kOk, now);
}

void SesMessenger::on_rudi_response(const SesPacket& packet, const ReceivedPacket& response, Time now) {
  Outgoing* const message = find(packet);
  if (message == nullptr)
    return;
  const auto number = static_cast<std::uint16_t>(packet.owner);
  auto code = static_cast<Code>(response.packet.uet.request.memory_key);
  const auto port = ports_.find(message->port);
  if (code == Code::kOk && is_read(message->operation)) {
    const std::uint32_t mtu = full_payload(port->second.setup.mtu);
    const std::uint32_t offset = packet.index * mtu;
    const bool fits = response.packet.common.payload_bytes == std::min(message->local.length - offset, mtu);
    if (!fits || !copy_in(port->second, message->local, offset, response))
      code = Code::kInitiatorError;
  }
  if (code != Code::kOk || ++message->delivered == message->packets)
    finish(number, code, now);
}

void SesMessenger::on_rudi_failure(const SesPacket& packet, Time now) {
  if (find(packet) != nullptr)
    finish(static_cast<std::uint16_t>(packet.owner), Code::kUndeliverable, now);
}

}  // namespace weft::transport
