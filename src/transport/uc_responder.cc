#include "transport/uc_responder.h"

#include <cstring>

#include "base/assert.h"
#include "transport/operations.h"
#include "transport/segmentation.h"

namespace weft::transport {
namespace {

// First and middle packets are full, a last one is not empty.
bool length_fits(std::uint32_t payload, const wire::OpcodeInfo& info, verbs::PathMtu mtu) {
  const std::uint32_t full = full_payload(mtu);
  if (!info.last)
    return payload == full;
  return payload <= full && (info.first || payload > 0);
}

}  // namespace

void UcResponder::reset() {
  requests_.reset();
  address_ = 0;
  remaining_ = key_ = received_ = 0;
  expected_ = Psn{};
  message_ = Message::kNone;
  cnp_waits_ = failed_ = false;
}

//= ibta-1.7 9.8.2
void UcResponder::on_request(const ReceivedPacket& received, const UnreliableCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  const wire::Operation operation = wire::operation_of(header.opcode);
  if (needs_cnp(received.packet, call.flow, call.now))
    cnp_waits_ = true;
  if (header.psn != expected_) {
    ++call.counters.out_of_sequence;
    drop_message(call);
  }
  expected_ = header.psn + 1;
  if (info.first || !follows(operation))
    drop_message(call);
  if (!info.first && message_ == Message::kNone) {
    ++call.counters.discarded;
    return;
  }
  if (!length_fits(received.packet.common.payload_bytes, info, call.mtu)) {
    ++call.counters.discarded;
    drop_message(call);
    return;
  }
  if (is_send(operation)) {
    accept_send(received, info, call);
  } else {
    accept_write(received, info, call);
  }
}

bool UcResponder::follows(wire::Operation operation) const {
  switch (message_) {
    case Message::kNone:
      return false;
    case Message::kSend:
      return is_send(operation);
    case Message::kWrite:
      return is_write(operation);
  }
  return false;
}

// The receive request in use stays in use: the next message that needs one gets it.
void UcResponder::drop_message(const UnreliableCall& call) {
  if (message_ == Message::kNone)
    return;
  message_ = Message::kNone;
  ++call.counters.dropped_messages;
}

bool UcResponder::take_receive(const UnreliableCall& call) {
  if (requests_.take(call.core, call.context))
    return true;
  ++call.counters.no_receive;
  drop_message(call);
  return false;
}

void UcResponder::accept_send(const ReceivedPacket& received, const wire::OpcodeInfo& info,
                              const UnreliableCall& call) {
  const std::uint32_t payload = received.packet.common.payload_bytes;
  message_ = Message::kSend;
  if (info.first) {
    received_ = 0;
    if (!take_receive(call))
      return;
  }
  if (std::uint64_t{received_} + payload > requests_.room()) {
    failed_ = !requests_.fail(verbs::WcStatus::kLocLenErr, call.core, call.context);
    drop_message(call);
    return;
  }
  if ((info.first || !received.payload.empty()) && !requests_.writable(call.core, call.context)) {
    (void)requests_.fail(verbs::WcStatus::kLocProtErr, call.core, call.context);
    drop_message(call);
    failed_ = true;
    return;
  }
  if (!received.payload.empty())
    requests_.write(received_, received.payload, call.context);
  received_ += payload;
  if (info.last)
    complete(received.packet.ib, info, call);
}

void UcResponder::accept_write(const ReceivedPacket& received, const wire::OpcodeInfo& info,
                               const UnreliableCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  message_ = Message::kWrite;
  if (info.first) {
    received_ = 0;
    address_ = header.reth.virtual_address;
    key_ = header.reth.remote_key;
    remaining_ = header.reth.dma_length;
  }
  const bool length_agrees = info.last ? payload == remaining_ : payload < remaining_;
  if (!length_agrees) {
    ++call.counters.discarded;
    drop_message(call);
    return;
  }
  if (info.immediate && !take_receive(call))
    return;
  if ((info.first || !received.payload.empty()) && !place(received, call)) {
    ++call.counters.access_violations;
    drop_message(call);
    return;
  }
  received_ += payload;
  address_ += payload;
  remaining_ -= payload;
  if (info.last)
    complete(header, info, call);
}

// The whole range is checked when the message begins, what is left of it again where bytes are really written.
bool UcResponder::place(const ReceivedPacket& received, const UnreliableCall& call) {
  if ((call.attributes().access_flags & verbs::kAccessRemoteWrite) == 0)
    return false;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = key_,
                                                    .address = address_,
                                                    .length = remaining_,
                                                    .access = verbs::kAccessRemoteWrite});
  if (checked.fault != verbs::AccessFault::kNone)
    return false;
  if (checked.region != nullptr && checked.region->bytes != nullptr && !received.payload.empty())
    std::memcpy(checked.region->data(address_), received.payload.data(), received.payload.size());
  return true;
}

// End of a message. Only SEND and WRITE with immediate data have a receive request to complete.
void UcResponder::complete(const wire::IbTransportHeader& header, const wire::OpcodeInfo& info,
                           const UnreliableCall& call) {
  const bool write = message_ == Message::kWrite;
  WEFT_DCHECK(message_ == Message::kSend || (write && remaining_ == 0));
  message_ = Message::kNone;
  if (write && !info.immediate)
    return;
  verbs::WorkCompletion completion;
  completion.src_qp = call.attributes().destination_qpn;
  completion.byte_len = received_;
  completion.opcode = write ? verbs::WcOpcode::kRecvRdmaWithImm : verbs::WcOpcode::kRecv;
  if (info.immediate) {
    completion.imm_data = header.immediate;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (header.has(wire::kBthSolicited))
    completion.wc_flags |= verbs::kWcSolicited;
  failed_ = !requests_.complete(completion, call.core, call.context);
}

bool UcResponder::poll_transmit(TransmitSlot& slot, const UnreliableCall& call) {
  if (!cnp_waits_)
    return false;
  cnp_waits_ = false;
  ++call.counters.cnp_sent;
  call.core.start_packet(slot.packet);
  make_cnp(slot.packet);
  return true;
}

}  // namespace weft::transport
