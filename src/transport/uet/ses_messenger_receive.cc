// Messages of SesMessenger on their way in: matching, placing, and what follows when they are whole.
#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "transport/uet/ses_messenger.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

using wire::UetOperation;

namespace {

bool is_tagged(UetOperation operation) {
  return operation == UetOperation::kTaggedSend || operation == UetOperation::kRendezvousTaggedSend ||
         operation == UetOperation::kDeferrableTaggedSend;
}

}  // namespace

SesReception SesMessenger::answer(Code code, std::uint32_t taken) {
  SesReception reception{.answered = true};
  reception.response.return_code = static_cast<std::uint8_t>(code);
  reception.response.length = taken;
  return reception;
}

SesReception SesMessenger::on_request(const ReceivedPacket& received, std::uint16_t pdc, Time now) {
  if (!received.packet.has(wire::kHasCold))
    return answer(Code::kOperationViolation);
  const SesMessageFields fields = load(received);
  switch (received.packet.uet.operation()) {
    case UetOperation::kSend:
    case UetOperation::kTaggedSend:
    case UetOperation::kRendezvousSend:
    case UetOperation::kRendezvousTaggedSend:
    case UetOperation::kDeferrableSend:
    case UetOperation::kDeferrableTaggedSend:
      return on_send(received, fields, pdc, now);
    case UetOperation::kWrite:
      return on_write(received, fields);
    case UetOperation::kRead:
      return on_read(received, fields, pdc, now);
    case UetOperation::kReadyToRestart:
      return on_restart(received, fields, now);
    case UetOperation::kMessageError:
      return on_message_error(received, fields, now);
    case UetOperation::kNoOperation:
      return {};
    default:
      return answer(Code::kUnsupportedOperation);
  }
}

// A medium header has a whole message, and no number: its packet comes here once.
SesMessenger::Key SesMessenger::key_of(const wire::Packet& packet) {
  Key key{packet.common.source.value(), packet.uet.request.message_id};
  if (packet.uet.next_header() == wire::UetNextHeader::kRequestStandard)
    return key;
  do {
    key.second = kNumberedHere | (next_incoming_++ & 0xFFFF);
  } while (incoming_.contains(key));
  return key;
}

// The job is compared with absolute addresses too: it is what gives the right to the memory.
//= uet-1.0 3.4
SesMessenger::Code SesMessenger::find_port(const wire::Packet& packet, const SesMessageFields& fields,
                                           SesPortId& port) const {
  const SesAddress address = SesAddress::of(packet.uet.resource());
  const auto at = absolute_.find(address.resource());
  if (packet.uet.has_ses(wire::kUetRelative)) {
    const auto found = relative_.find(static_cast<std::uint64_t>(fields.job) << 24 | address.resource());
    if (found == relative_.end()) {
      const auto of_job = [&](const auto& entry) { return entry.first >> 24 == fields.job; };
      const auto of_process = [&](const auto& entry) {
        return of_job(entry) && (entry.first >> 12 & 0xFFF) == address.pid_on_fep;
      };
      return std::ranges::none_of(relative_, of_job)       ? Code::kBadJobId
             : std::ranges::none_of(relative_, of_process) ? Code::kBadPid
                                                           : Code::kBadIndex;
    }
    port = found->second;
  } else if (at == absolute_.end()) {
    return Code::kBadIndex;
  } else {
    port = at->second;
  }
  const SesAddress& own = ports_.at(port).setup.address;
  return own.job != fields.job                 ? Code::kBadJobId
         : own.generation != fields.generation ? Code::kBadGeneration
                                               : Code::kOk;
}

SesReception SesMessenger::on_send(const ReceivedPacket& received, const SesMessageFields& fields, std::uint16_t pdc,
                                   Time now) {
  const wire::Packet& packet = received.packet;
  SesPortId port = 0;
  if (const Code code = find_port(packet, fields, port); code != Code::kOk)
    return answer(code);
  const UetOperation operation = packet.uet.operation();
  const Key key = key_of(packet);
  auto found = incoming_.find(key);
  if (found == incoming_.end()) {
    if (fields.restart.target != 0 && wire::uet::is_deferrable(operation))
      return answer(Code::kNoMatch);  // it has been given up here
    if (incoming_.size() >= kMostMessages)
      return {.nack = wire::UetNack::kNoSesMessage};
    const bool rendezvous = wire::uet::is_rendezvous(operation);
    if (rendezvous && fields.eager_length > fields.length)
      return answer(Code::kOperationViolation);
    Incoming message{.port = port,
                     .fields = fields,
                     .eager = rendezvous ? fields.eager_length : fields.length,
                     .back = common_to({.endpoint = packet.common.source,
                                        .traffic_class = packet.common.traffic_class,
                                        .entropy = packet.common.entropy}),
                     .pdc = pdc,
                     .first_pdc = pdc,
                     .operation = operation,
                     .tagged = is_tagged(operation)};
    bool taken = false;
    const SesReception reception = begin(key, std::move(message), now, taken);
    found = incoming_.find(key);
    if (!taken) {
      // Of a message that is refused, packets may follow; not of one without a number.
      if (found != incoming_.end() && key.second >= kNumberedHere && found->second.stage == Incoming::Stage::kRefused)
        incoming_.erase(found);
      return reception;
    }
    WEFT_DCHECK(found != incoming_.end());
  }
  Incoming& message = found->second;
  if (message.operation != operation || message.port != port)
    return answer(Code::kOperationViolation);
  // What belongs to an attempt that has been deferred comes to nothing.
  if (message.stage == Incoming::Stage::kDeferred || message.stage == Incoming::Stage::kDone ||
      (wire::uet::is_deferrable(operation) && fields.restart.target != message.fields.restart.target &&
       message.stage != Incoming::Stage::kRefused))
    return {};
  message.pdc = pdc;
  return place(key, message, received, now);
}

// `taken`: the message is known now, and its packet is to be placed.
SesReception SesMessenger::begin(Key key, Incoming message, Time now, bool& taken) {
  Port& port = ports_.at(message.port);
  const auto name = port.list(message.tagged)
                        .take_expected({.tag = message.fields.match_bits, .initiator = message.fields.initiator});
  if (!name)
    return begin_unexpected(key, std::move(message), taken);
  (void)now;
  message.receive = receives_.at(*name);
  receives_.erase(*name);
  const std::uint32_t room = message.receive->local.length;
  Incoming& kept = incoming_.emplace(key, std::move(message)).first->second;
  if (kept.fields.length > room) {
    refuse(key, kept, Code::kTooLong);
    return answer(Code::kTooLong);
  }
  taken = true;
  return {};
}

SesReception SesMessenger::begin_unexpected(Key key, Incoming message, bool& taken) {
  Port& port = ports_.at(message.port);
  MatchList& list = port.list(message.tagged);
  // An empty message has nothing that could come later.
  const bool deferrable = wire::uet::is_deferrable(message.operation) && message.fields.length > 0;
  if (!list.has_room_for_unexpected() || (!deferrable && message.eager > port.setup.unexpected_bytes)) {
    message.stage = Incoming::Stage::kRefused;
    incoming_.emplace(key, std::move(message));
    return answer(Code::kNoMatch);
  }
  if (!deferrable && message.eager > port.setup.unexpected_bytes - port.unexpected_bytes)
    return {.nack = wire::UetNack::kNoPacketBuffer};
  const bool added =
      list.add_unexpected(name_of(key), {.tag = message.fields.match_bits, .initiator = message.fields.initiator});
  WEFT_DCHECK(added);
  (void)added;
  if (deferrable) {
    message.stage = Incoming::Stage::kDeferred;
    incoming_.emplace(key, std::move(message));
    return answer(Code::kOk, 0);
  }
  message.reserved = message.eager;
  port.unexpected_bytes += message.eager;
  incoming_.emplace(key, std::move(message));
  taken = true;
  return {};
}

SesReception SesMessenger::place(Key key, Incoming& message, const ReceivedPacket& received, Time now) {
  const std::uint64_t offset = received.packet.uet.request.buffer_offset;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  if (message.stage == Incoming::Stage::kRefused) {
    message.received += payload;
    if (message.received >= message.eager)
      incoming_.erase(key);
    return {};
  }
  if (message.stage != Incoming::Stage::kArriving || offset > message.eager || payload > message.eager - offset ||
      payload > message.eager - message.received) {
    return answer(Code::kOperationViolation);  // more than its sender has announced
  }
  message.received += payload;
  if (received.packet.uet.has_ses(wire::kUetHeaderData))
    message.header_data = load(received).header_data;
  if (message.receive) {
    if (!copy_in(ports_.at(message.port), message.receive->local, offset, received)) {
      refuse(key, message, Code::kDisabled);
      return answer(Code::kDisabled);
    }
  } else if (!received.payload.empty() && payload > 0) {
    message.data.resize(message.eager);
    std::memcpy(message.data.data() + offset, received.payload.data(), payload);
  }
  if (message.received == message.eager)
    on_eager_arrived(key, message, now);
  return {};
}

void SesMessenger::on_eager_arrived(Key key, Incoming& message, Time now) {
  message.stage = Incoming::Stage::kArrived;
  if (!message.receive)
    return;  // it waits for one
  if (message.eager < message.fields.length) {
    read_rest(key, message, now);
    return;
  }
  complete_receive(message, *message.receive, Code::kOk, key);
  forget(key, message);
}

}  // namespace weft::transport
