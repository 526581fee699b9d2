#include "transport/uet/ses_responder.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace weft::transport {

using verbs::WcStatus;
using wire::UetOperation;

void SesResponder::reset() {
  receives_.reset();
  incoming_.clear();
  answers_.clear();
  first_ = first_answer_ = cursor_ = cursor_packet_ = 0;
  failed_ = access_violation_ = false;
}

SesReception SesResponder::not_ready(const SesCall& call) {
  return {.nack = wire::UetNack::kNoResource, .nack_payload = call.attributes().min_rnr_timer};
}

SesReception SesResponder::refusal(wire::uet::SesReturnCode code) {
  SesReception reception{.answered = true};
  reception.response.return_code = static_cast<std::uint8_t>(code);
  return reception;
}

SesReception SesResponder::on_request(const ReceivedPacket& received, const SesCall& call) {
  const wire::UetRequestFields& request = received.packet.uet.request;
  const auto place = static_cast<std::uint16_t>(request.message_id - static_cast<std::uint16_t>(first_));
  if (place >= 0x8000)
    return {};  // executed already, as far as anybody can tell
  if (place >= call.options.max_messages)
    return {.nack = wire::UetNack::kNoSesMessage};
  while (incoming_.size() <= place)
    incoming_.push_back({});
  Incoming& message = incoming_[place];
  if (message.begun && (message.operation != request.operation || is_whole(message)))
    return refusal(wire::uet::SesReturnCode::kOperationViolation);
  SesReception reception = accept(message, received, call);
  reception.response.message_id = request.message_id;
  if (place == 0 && reception.nack == wire::UetNack::kNone)
    execute_in_order(call);
  return reception;
}

bool SesResponder::find_run(const wire::Packet& packet, const QpCore& core, const verbs::Context& context,
                            TakeRun& run) {
  const wire::UetRequestFields& request = packet.uet.request;
  const std::uint64_t payload = packet.common.payload_bytes;
  const auto place = static_cast<std::uint16_t>(request.message_id - static_cast<std::uint16_t>(first_));
  if (place >= incoming_.size() || payload == 0)
    return false;
  Incoming& message = incoming_[place];
  if (!message.begun || message.operation != request.operation)
    return false;
  // The packet that makes it whole may lead to completions, and one that contradicts the others is refused.
  const bool bounded = message.has_start && message.has_end;
  if (bounded && message.end < message.start)
    return false;
  Room room;
  if (packet.uet.operation() == UetOperation::kWrite) {
    room = room_for_write(packet, core, context.memory());
  } else if (packet.uet.operation() == UetOperation::kTaggedSend) {
    room = room_for_send(message, packet, core, context);
  }
  if (room.length < payload)
    return false;
  run.place = room.place;
  run.room = room.length - payload;
  run.received = &message.received;
  run.length = bounded ? message.end - message.start : ~std::uint64_t{0};
  return true;
}

SesResponder::Room SesResponder::room_for_write(const wire::Packet& packet, const QpCore& core,
                                                const verbs::MemoryTable& memory) const {
  if ((core.attributes().access_flags & verbs::kAccessRemoteWrite) == 0)
    return {};
  const auto checked = memory.check({.pd = core.init().pd,
                                     .key = packet.uet.request.memory_key,
                                     .address = packet.uet.request.buffer_offset,
                                     .length = packet.common.payload_bytes,
                                     .access = verbs::kAccessRemoteWrite});
  if (checked.fault != verbs::AccessFault::kNone)
    return {};
  return {.place = checked.region->address, .length = checked.region->length};
}

SesResponder::Room SesResponder::room_for_send(const Incoming& message, const wire::Packet& packet, const QpCore& core,
                                               const verbs::Context& context) const {
  const std::uint32_t number = packet.uet.request.memory_key;
  const bool contradicts = message.has_start && message.start != 0;
  if (!message.consumes || contradicts || !receives_.has(number) || !receives_.writable(number, core, context))
    return {};
  return {.place = 0, .length = receives_.room(number)};
}

SesReception SesResponder::accept(Incoming& message, const ReceivedPacket& received, const SesCall& call) {
  switch (received.packet.uet.operation()) {
    case UetOperation::kSend:
    case UetOperation::kTaggedSend:
      return accept_send(message, received, call);
    case UetOperation::kWrite:
      return accept_write(message, received, call);
    case UetOperation::kRead:
    case UetOperation::kFetchingAtomic:
      return accept_fetch(message, received, call);
    case UetOperation::kNoOperation:
      return {};
    case UetOperation::kAtomic:
    case UetOperation::kRendezvousSend:
    case UetOperation::kDatagramSend:
    case UetOperation::kDeferrableSend:
    case UetOperation::kRendezvousTaggedSend:
    case UetOperation::kDeferrableTaggedSend:
    case UetOperation::kReadyToRestart:
    case UetOperation::kTaggedSendAtomic:
    case UetOperation::kTaggedSendFetchingAtomic:
    case UetOperation::kMessageError:
    case UetOperation::kSyncWrite:
    case UetOperation::kSyncAtomic:
      break;
  }
  return refusal(wire::uet::SesReturnCode::kUnsupportedOperation);
}

// What a packet tells of its message; false: it contradicts what another has told.
bool SesResponder::note(Incoming& message, const wire::Packet& packet) {
  const wire::UetRequestFields& request = packet.uet.request;
  const std::uint64_t begin = request.buffer_offset;
  const std::uint64_t end = begin + packet.common.payload_bytes;
  message.begun = true;
  message.operation = request.operation;
  message.received += packet.common.payload_bytes;
  if (packet.uet.has_ses(wire::kUetStartOfMessage)) {
    if (message.has_start)
      return false;
    message.has_start = true;
    message.start = begin;
  }
  if (packet.uet.has_ses(wire::kUetEndOfMessage)) {
    if (message.has_end)
      return false;
    message.has_end = true;
    message.end = end;
  }
  return !message.has_start || !message.has_end ||
         (message.end >= message.start && message.received <= message.end - message.start);
}

bool SesResponder::completes(Incoming message, const wire::Packet& packet) {
  return note(message, packet) && is_whole(message);
}

bool SesResponder::is_whole(const Incoming& message) {
  return message.has_start && message.has_end && message.received == message.end - message.start;
}

void SesResponder::take_header_data(Incoming& message, const ReceivedPacket& received) const {
  if (!received.packet.uet.has_ses(wire::kUetHeaderData) || !received.packet.has(wire::kHasCold))
    return;
  const VerbsHeaderData data = unpack_header_data(received.cold.uet.header_data);
  message.immediate = data.immediate;
  message.receive_number = data.receive_number;
  message.has_immediate = data.has_immediate;
  message.solicited = data.solicited;
}

SesReception SesResponder::accept_send(Incoming& message, const ReceivedPacket& received, const SesCall& call) {
  const wire::UetRequestFields& request = received.packet.uet.request;
  const std::uint32_t number = request.memory_key;
  if (number - receives_.first() >= 0x8000'0000U)
    return refusal(wire::uet::SesReturnCode::kNoMatch);
  if (number - receives_.first() >= call.options.max_messages)
    return {.nack = wire::UetNack::kNoSesMessage};
  if (!receives_.provide(number, call.core, call.context))
    return not_ready(call);
  if (!note(message, received.packet) || (message.has_start && message.start != 0))
    return refusal(wire::uet::SesReturnCode::kOperationViolation);
  message.consumes = true;
  const std::uint64_t offset = request.buffer_offset;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  if (offset > receives_.room(number) || payload > receives_.room(number) - offset) {
    message.fault = WcStatus::kLocLenErr;
  } else if (!receives_.writable(number, call.core, call.context)) {
    message.fault = WcStatus::kLocProtErr;
  } else if (!received.payload.empty()) {
    receives_.write(number, offset, received.payload.first(payload), call.context);
  }
  take_header_data(message, received);
  if (message.fault == WcStatus::kSuccess)
    return {};
  // The message ends here, in error on both sides.
  message.has_start = message.has_end = true;
  message.start = 0;
  message.end = message.received;
  return refusal(message.fault == WcStatus::kLocLenErr ? wire::uet::SesReturnCode::kTooLong
                                                       : wire::uet::SesReturnCode::kDisabled);
}

SesReception SesResponder::accept_write(Incoming& message, const ReceivedPacket& received, const SesCall& call) {
  const wire::UetRequestFields& request = received.packet.uet.request;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  take_header_data(message, received);
  // It takes its receive request when it is whole, as a WRITE of verbs does with its last packet.
  if (message.has_immediate && !message.consumes && completes(message, received.packet)) {
    const auto ahead =
        static_cast<std::uint16_t>(message.receive_number - static_cast<std::uint16_t>(receives_.first()));
    if (ahead >= call.options.max_messages)
      return {.nack = wire::UetNack::kNoSesMessage};
    if (!receives_.provide(receives_.first() + ahead, call.core, call.context))
      return not_ready(call);
    message.consumes = true;
  }
  const bool allowed = (call.attributes().access_flags & verbs::kAccessRemoteWrite) != 0;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = request.memory_key,
                                                    .address = request.buffer_offset,
                                                    .length = payload,
                                                    .access = verbs::kAccessRemoteWrite});
  if (!allowed || checked.fault != verbs::AccessFault::kNone) {
    access_violation_ = true;
    return refusal(checked.fault == verbs::AccessFault::kInvalidKey ? wire::uet::SesReturnCode::kBadMemoryKey
                                                                    : wire::uet::SesReturnCode::kPermissionViolation);
  }
  if (!note(message, received.packet))
    return refusal(wire::uet::SesReturnCode::kOperationViolation);
  if (checked.region != nullptr && checked.region->bytes != nullptr && !received.payload.empty())
    std::memcpy(checked.region->data(request.buffer_offset), received.payload.data(), payload);
  return {};
}

SesReception SesResponder::accept_fetch(Incoming& message, const ReceivedPacket& received, const SesCall& call) {
  const wire::UetRequestFields& request = received.packet.uet.request;
  if (!received.packet.has(wire::kHasCold) || message.begun || received.cold.uet.length > kMaxMessageBytes)
    return refusal(wire::uet::SesReturnCode::kOperationViolation);
  // Those that wait for their turn or to be sent are bounded; one that waits never keeps others from being executed.
  const auto limit = std::max<std::uint32_t>(call.attributes().max_dest_rd_atomic, 1);
  if (answers_.size() > limit * 4)
    return {.nack = wire::UetNack::kNoSesMessage};
  const wire::UetExtension& extension = received.cold.uet;
  message.begun = message.has_start = message.has_end = true;
  message.operation = request.operation;
  message.start = request.buffer_offset;
  message.received = extension.length;
  message.end = message.start + extension.length;
  message.key = request.memory_key;
  message.operand = extension.operand;
  message.compare = extension.compare;
  message.atomic_code = extension.atomic_code;
  return {.answer_follows = true};
}

void SesResponder::execute_in_order(const SesCall& call) {
  while (!incoming_.empty() && !failed_ && is_whole(incoming_.front())) {
    const Incoming message = incoming_.pop_front();
    ++first_;
    switch (static_cast<UetOperation>(message.operation)) {
      case UetOperation::kRead:
        execute_read(message, call);
        break;
      case UetOperation::kFetchingAtomic:
        execute_atomic(message, call);
        break;
      default:
        if (message.consumes)
          complete(message, call);
        break;
    }
  }
}

void SesResponder::complete(const Incoming& message, const SesCall& call) {
  verbs::WorkCompletion completion;
  completion.status = message.fault;
  completion.src_qp = call.attributes().destination_qpn;
  completion.byte_len = message.received;
  completion.opcode = message.operation == static_cast<std::uint8_t>(UetOperation::kWrite)
                          ? verbs::WcOpcode::kRecvRdmaWithImm
                          : verbs::WcOpcode::kRecv;
  if (message.has_immediate) {
    completion.imm_data = message.immediate;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (message.solicited)
    completion.wc_flags |= verbs::kWcSolicited;
  if (!receives_.complete(completion, call.core, call.context) || message.fault != WcStatus::kSuccess)
    failed_ = true;
}

void SesResponder::flush(const SesCall& call) {
  incoming_.clear();
  answers_.clear();
  cursor_ = cursor_packet_ = 0;
  receives_.flush(call.core, call.context);
}

std::size_t SesResponder::heap_bytes() const {
  return receives_.heap_bytes() + incoming_.heap_bytes() + answers_.heap_bytes();
}

}  // namespace weft::transport
