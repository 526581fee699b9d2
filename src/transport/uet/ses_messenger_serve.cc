// What SesMessenger executes for its peers: WRITEs, READs and their answers, orders to restart or give up a message.
#include <algorithm>
#include <cstring>

#include "transport/segmentation.h"
#include "transport/uet/ses_messenger.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

using wire::UetOperation;

SesMessenger::Code SesMessenger::code_of(const Port& port, std::uint32_t key, std::uint64_t address,
                                         std::uint32_t length, verbs::AccessMask access) const {
  switch (context_.memory()
              .check({.pd = port.setup.pd, .key = key, .address = address, .length = length, .access = access})
              .fault) {
    case verbs::AccessFault::kNone:
      return Code::kOk;
    case verbs::AccessFault::kInvalidKey:
      return Code::kBadMemoryKey;
    case verbs::AccessFault::kOutOfBounds:
      return Code::kBadAddress;
    case verbs::AccessFault::kWrongDomain:
    case verbs::AccessFault::kPermission:
      break;
  }
  return Code::kPermissionViolation;
}

bool SesMessenger::copy_in(const Port& port, const verbs::Sge& local, std::uint64_t offset,
                           const ReceivedPacket& received) const {
  const std::uint64_t address = local.address + offset;
  const std::uint32_t length = received.packet.common.payload_bytes;
  if (length == 0)
    return true;
  const auto checked = context_.memory().check({.pd = port.setup.pd,
                                                .key = local.lkey,
                                                .address = address,
                                                .length = length,
                                                .access = verbs::kAccessLocalWrite});
  if (checked.fault != verbs::AccessFault::kNone)
    return false;
  if (std::byte* const bytes = checked.region->data(address); bytes != nullptr && !received.payload.empty())
    std::memcpy(bytes, received.payload.data(), length);
  return true;
}

bool SesMessenger::copy_out(const Port& port, std::uint32_t key, std::uint64_t address, std::uint32_t length,
                            const TransmitSlot& slot) const {
  const auto checked =
      context_.memory().check({.pd = port.setup.pd, .key = key, .address = address, .length = length, .access = 0});
  if (checked.fault != verbs::AccessFault::kNone)
    return false;
  if (slot.payload.empty() || checked.region == nullptr)
    return true;
  if (const std::byte* const bytes = checked.region->data(address); bytes != nullptr) {
    std::memcpy(slot.payload.data(), bytes, length);
  } else {
    std::memset(slot.payload.data(), 0, length);
  }
  return true;
}

// The payload of a WRITE goes where it belongs.
SesMessenger::Code SesMessenger::put(const ReceivedPacket& received, const SesMessageFields& fields) {
  SesPortId id = 0;
  if (const Code code = find_port(received.packet, fields, id); code != Code::kOk)
    return code;
  const wire::UetRequestFields& request = received.packet.uet.request;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  const Port& port = ports_.at(id);
  if (const Code code = code_of(port, request.memory_key, request.buffer_offset, payload, verbs::kAccessRemoteWrite);
      code != Code::kOk)
    return code;
  const verbs::MemoryRegion* const region = context_.memory().find(request.memory_key);
  if (std::byte* const bytes = region == nullptr || payload == 0 ? nullptr : region->data(request.buffer_offset);
      bytes != nullptr && !received.payload.empty())
    std::memcpy(bytes, received.payload.data(), payload);
  return Code::kOk;
}

SesReception SesMessenger::on_write(const ReceivedPacket& received, const SesMessageFields& fields) {
  const Code code = put(received, fields);
  return code == Code::kOk ? SesReception{} : answer(code);
}

SesReception SesMessenger::on_read(const ReceivedPacket& received, const SesMessageFields& fields, std::uint16_t pdc,
                                   Time now) {
  const wire::Packet& packet = received.packet;
  SesPortId id = 0;
  if (const Code code = find_port(packet, fields, id); code != Code::kOk)
    return answer(code);
  Port& port = ports_.at(id);
  if (port.reads >= port.setup.max_reads)
    return {.nack = wire::UetNack::kNoSesMessage};
  Answer made{.port = id,
              .read = {packet.common.source.value(), packet.uet.request.message_id},
              .address = packet.uet.request.buffer_offset,
              .key = packet.uet.request.memory_key,
              .length = fields.length,
              .serial = next_serial_++,
              .job = fields.job,
              .pdc = pdc};
  made.code = code_of(port, made.key, made.address, made.length, verbs::kAccessRemoteRead);
  if (made.code == Code::kOk)
    made.packets = static_cast<std::uint32_t>(packet_count(made.length, port.setup.mtu));
  if (packet.uet.has_ses(wire::kUetHeaderData)) {
    const auto number = static_cast<std::uint16_t>(fields.header_data);
    const Outgoing* const message = outgoing_to(packet.common.source, number);
    if (message != nullptr && wire::uet::is_rendezvous(message->operation) &&
        message->local.address + message->eager == made.address && message->local.lkey == made.key)
      made.message = number;
  }
  while (next_answer_ == 0 || answers_.contains(next_answer_))
    ++next_answer_;
  const std::uint16_t number = next_answer_++;
  answers_.emplace(number, made);
  ++port.reads;
  endpoint_.enqueue(pdc, kAnswerBits | number, now);
  return {.answer_follows = true};
}

SesNext SesMessenger::next_answer(std::uint32_t owner, const TransmitSlot& slot) {
  const auto found = answers_.find(static_cast<std::uint16_t>(owner));
  if (found == answers_.end() || found->second.cursor == found->second.packets)
    return {};
  Answer& answer = found->second;
  const SesPacket packet{.owner = owner, .message = answer.serial, .index = answer.cursor++};
  const std::uint16_t header = fill(answer, packet.index, slot);
  return {.made = true, .more = answer.cursor < answer.packets, .packet = packet, .header_bytes = header};
}

//= uet-1.0 3.4
std::uint16_t SesMessenger::fill(const Answer& answer, std::uint32_t index, const TransmitSlot& slot) const {
  wire::UetRequestFields& request = slot.packet.uet.request;
  request.operation = static_cast<std::uint8_t>(UetOperation::kRead);
  request.message_id = static_cast<std::uint16_t>(answer.read.second);
  request.memory_key = static_cast<std::uint32_t>(answer.code);
  slot.packet.common.payload_bytes = 0;
  const auto port = ports_.find(answer.port);
  const std::uint32_t mtu = full_payload(port->second.setup.mtu);
  const std::uint32_t offset = index * mtu;
  const std::uint32_t payload = answer.code == Code::kOk ? std::min(answer.length - offset, mtu) : 0;
  request.buffer_offset = offset;
  // The region may have been closed since the READ was accepted.
  if (answer.code != Code::kOk ||
      code_of(port->second, answer.key, answer.address + offset, payload, verbs::kAccessRemoteRead) != Code::kOk ||
      !copy_out(port->second, answer.key, answer.address + offset, payload, slot)) {
    if (answer.code == Code::kOk)
      request.memory_key = static_cast<std::uint32_t>(Code::kPermissionViolation);
    slot.packet.uet.set_target(wire::UetNextHeader::kResponse, 0);
    return kSesResponseBytes;
  }
  slot.packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  slot.packet.uet.set_target(wire::UetNextHeader::kResponseData, 0);
  return kSesResponseDataBytes;
}

void SesMessenger::on_answer_delivered(const SesPacket& packet, Time now) {
  const auto found = answers_.find(static_cast<std::uint16_t>(packet.owner));
  if (found == answers_.end() || found->second.serial != packet.message)
    return;
  if (++found->second.delivered == found->second.packets)
    end_answer(found->first, found->second.code, now);
}

void SesMessenger::end_answer(std::uint16_t number, Code status, Time now) {
  const Answer answer = answers_.at(number);
  answers_.erase(number);
  if (const auto port = ports_.find(answer.port); port != ports_.end())
    --port->second.reads;
  if (answer.message)
    finish(*answer.message, status, now);
}

AnswerState SesMessenger::answer_state(EndpointId peer, std::uint16_t message_id) const {
  const bool under_way = std::ranges::any_of(answers_, [&](const auto& entry) {
    return entry.second.read == Key{peer.value(), message_id};
  });
  return under_way ? AnswerState::kUnderWay : AnswerState::kGiven;
}

SesReception SesMessenger::on_restart(const ReceivedPacket& received, const SesMessageFields& fields, Time now) {
  const auto number = static_cast<std::uint16_t>(fields.restart.initiator);
  Outgoing* const message = outgoing_to(received.packet.common.source, number);
  if (message == nullptr || message->restart.initiator != fields.restart.initiator || message->to.job != fields.job ||
      message->restart.target != 0 || fields.restart.target == 0)
    return answer(Code::kNoMatch);
  message->restart.target = fields.restart.target;
  message->attempt = next_serial_++;
  message->cursor = message->delivered = 0;
  message->stage = Outgoing::Stage::kSending;
  go_on(number, *message, now);
  return {};
}

SesReception SesMessenger::on_message_error(const ReceivedPacket& received, const SesMessageFields& fields, Time now) {
  const auto number = static_cast<std::uint16_t>(fields.header_data >> 8);
  const Outgoing* const message = outgoing_to(received.packet.common.source, number);
  if (message == nullptr || message->to.job != fields.job || message->serves)
    return {};  // it has been given up
  finish(number, static_cast<Code>(fields.header_data & 0xFF), now);
  return {};
}

RudiAnswer SesMessenger::execute(const ReceivedPacket& request) {
  const wire::UetHeader& header = request.packet.uet;
  RudiAnswer made{.address = header.request.buffer_offset,
                  .key = header.request.memory_key,
                  .message_id = header.request.message_id,
                  .return_code = static_cast<std::uint8_t>(Code::kUnsupportedOperation)};
  if (!request.packet.has(wire::kHasCold))
    return made;
  const SesMessageFields fields = load(request);
  made.job = fields.job;
  Code code = Code::kUnsupportedOperation;
  if (header.operation() == UetOperation::kWrite) {
    code = put(request, fields);
  } else if (header.operation() == UetOperation::kRead) {
    SesPortId id = 0;
    code = find_port(request.packet, fields, id);
    if (code == Code::kOk && fields.length > full_payload(ports_.at(id).setup.mtu))
      code = Code::kUnsupportedSize;  // it must fit one packet
    if (code == Code::kOk)
      code = code_of(ports_.at(id), made.key, made.address, fields.length, verbs::kAccessRemoteRead);
    made.domain = id;
    made.length = fields.length;
    made.has_data = code == Code::kOk;
  }
  made.return_code = static_cast<std::uint8_t>(code);
  return made;
}

bool SesMessenger::fill_data(const RudiAnswer& answer, const TransmitSlot& slot) const {
  const auto port = ports_.find(answer.domain);
  return port != ports_.end() &&
         code_of(port->second, answer.key, answer.address, answer.length, verbs::kAccessRemoteRead) == Code::kOk &&
         copy_out(port->second, answer.key, answer.address, answer.length, slot);
}

}  // namespace weft::transport
