#include "transport/memory/memory_responder.h"

#include <cstring>

#include "base/assert.h"

namespace weft::transport {

using wire::MemoryOperation;

void MemoryResponder::reset() {
  requests_.reset();
  loads_.clear();
  held_.clear();
  executed_ = offset_ = placed_ = 0;
  refused_.reset();
  response_pending_ = broken_ = failed_ = false;
}

void MemoryResponder::on_request(const ReceivedPacket& received, const MemoryCall& call) {
  if (refused_.has_value() || broken_) {
    ++call.counters.discarded;
    return;
  }
  const wire::Packet& packet = received.packet;
  const Unit unit{packet.memory, packet.common.payload_bytes, received.payload};
  if (held_.empty()) {
    if (execute(unit, call) == Verdict::kTaken)
      return;
    ++call.counters.waits;
    response_pending_ = true;
  }
  held_.push_back({.header = packet.memory, .payload = unit.payload, .bytes = {unit.bytes.begin(), unit.bytes.end()}});
}

void MemoryResponder::on_receive_posted(const MemoryCall& call) {
  while (!held_.empty() && !failed_) {
    const Held& first = held_.front();
    if (execute({first.header, first.payload, first.bytes}, call) == Verdict::kNoReceive)
      return;
    (void)held_.pop_front();
    // The peer's deadline stands still while it is told to wait.
    response_pending_ = true;
  }
}

// Message by message, and in one message all units of one operation, the first of them marked.
bool MemoryResponder::continues(const wire::MemoryHeader& header) const {
  const bool first = offset_ == 0;
  return header.message == executed_ && header.offset == offset_ && header.has(wire::kMemoryFirst) == first &&
         (first || header.operation == operation_);
}

MemoryResponder::Verdict MemoryResponder::execute(const Unit& unit, const MemoryCall& call) {
  const wire::MemoryHeader& header = unit.header;
  if (!continues(header)) {
    broken_ = true;
    ++call.counters.discarded;
    return Verdict::kTaken;
  }
  const bool needs_receive = header.operation == MemoryOperation::kSend
                                 ? header.has(wire::kMemoryFirst)
                                 : header.has(wire::kMemoryLast) && header.has(wire::kMemoryImmediate);
  if (needs_receive && !requests_.take(call.core, call.context))
    return Verdict::kNoReceive;
  placed_ = header.has(wire::kMemoryFirst) ? 0 : placed_;
  operation_ = header.operation;
  switch (header.operation) {
    case MemoryOperation::kStore:
      accept_store(unit, call);
      break;
    case MemoryOperation::kSend:
      accept_send(unit, call);
      break;
    case MemoryOperation::kLoad:
      accept_load(unit, call);
      break;
    case MemoryOperation::kLoadData:
    case MemoryOperation::kStoreAck:
    case MemoryOperation::kRefusal:
    case MemoryOperation::kWait:
      break;
  }
  return Verdict::kTaken;
}

void MemoryResponder::accept_store(const Unit& unit, const MemoryCall& call) {
  const bool allowed = (call.attributes().access_flags & verbs::kAccessRemoteWrite) != 0;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = unit.header.remote_key,
                                                    .address = unit.header.address,
                                                    .length = unit.payload,
                                                    .access = verbs::kAccessRemoteWrite});
  if (!allowed || checked.fault != verbs::AccessFault::kNone) {
    refuse(verbs::WcStatus::kRemAccessErr, call);
    return;
  }
  if (checked.region != nullptr && checked.region->bytes != nullptr && !unit.bytes.empty())
    std::memcpy(checked.region->data(unit.header.address), unit.bytes.data(), unit.bytes.size());
  end_of_message(unit, call);
}

void MemoryResponder::accept_send(const Unit& unit, const MemoryCall& call) {
  if (std::uint64_t{placed_} + unit.payload > requests_.room()) {
    failed_ = !requests_.fail(verbs::WcStatus::kLocLenErr, call.core, call.context);
    refuse(verbs::WcStatus::kRemInvReqErr, call);
    return;
  }
  if (!requests_.writable(call.core, call.context)) {
    failed_ = !requests_.fail(verbs::WcStatus::kLocProtErr, call.core, call.context);
    refuse(verbs::WcStatus::kRemOpErr, call);
    return;
  }
  if (!unit.bytes.empty())
    requests_.write(placed_, unit.bytes, call.context);
  end_of_message(unit, call);
}

void MemoryResponder::accept_load(const Unit& unit, const MemoryCall& call) {
  if (unit.header.argument > call.options.format.unit) {
    refuse(verbs::WcStatus::kRemInvReqErr, call);
    return;
  }
  const bool allowed = (call.attributes().access_flags & verbs::kAccessRemoteRead) != 0;
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = unit.header.remote_key,
                                                    .address = unit.header.address,
                                                    .length = unit.header.argument,
                                                    .access = verbs::kAccessRemoteRead});
  if (!allowed || checked.fault != verbs::AccessFault::kNone) {
    refuse(verbs::WcStatus::kRemAccessErr, call);
    return;
  }
  loads_.push_back({.address = unit.header.address,
                    .key = unit.header.remote_key,
                    .asked = unit.header.argument,
                    .message = executed_,
                    .offset = offset_});
  offset_ += unit.header.argument;
  if (unit.header.has(wire::kMemoryLast)) {
    ++executed_;
    offset_ = 0;
  }
}

void MemoryResponder::end_of_message(const Unit& unit, const MemoryCall& call) {
  placed_ += unit.payload;
  offset_ += unit.payload;
  if (!unit.header.has(wire::kMemoryLast))
    return;
  ++executed_;
  offset_ = 0;
  response_pending_ = true;
  if (unit.header.operation == MemoryOperation::kSend || unit.header.has(wire::kMemoryImmediate))
    complete(unit, call);
}

void MemoryResponder::complete(const Unit& unit, const MemoryCall& call) {
  verbs::WorkCompletion completion;
  completion.src_qp = call.attributes().destination_qpn;
  completion.byte_len = placed_;
  completion.opcode =
      unit.header.operation == MemoryOperation::kSend ? verbs::WcOpcode::kRecv : verbs::WcOpcode::kRecvRdmaWithImm;
  if (unit.header.has(wire::kMemoryImmediate)) {
    completion.imm_data = unit.header.argument;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (unit.header.has(wire::kMemorySolicited))
    completion.wc_flags |= verbs::kWcSolicited;
  if (!requests_.complete(completion, call.core, call.context))
    failed_ = true;
}

void MemoryResponder::refuse(verbs::WcStatus status, const MemoryCall& call) {
  refused_ = status;
  response_pending_ = true;
  if (status == verbs::WcStatus::kRemAccessErr) {
    ++call.counters.access_violations;
    call.context.raise(
        {.type = verbs::AsyncEventType::kQpAccessErr, .qp = call.core.identity().qpn, .cq = {}, .srq = {}});
  }
}

void MemoryResponder::fill_response(wire::Packet& packet, const MemoryCall& call) {
  WEFT_DCHECK(response_pending_);
  response_pending_ = false;
  start_unit(call.core, packet);
  packet.common.flags |= wire::kControl;
  packet.memory.operation = refused_.has_value()  ? MemoryOperation::kRefusal
                            : waits_for_receive() ? MemoryOperation::kWait
                                                  : MemoryOperation::kStoreAck;
  packet.memory.message = executed_;
  packet.memory.status = static_cast<std::uint8_t>(refused_.value_or(verbs::WcStatus::kSuccess));
  set_memory_sizes(packet, 0, wire::ack_wire_bytes(call.options.format));
}

bool MemoryResponder::fill_load_data(const TransmitSlot& slot, const MemoryCall& call) {
  const Load load = loads_.pop_front();
  WEFT_DCHECK(load.asked <= call.options.format.unit);
  start_unit(call.core, slot.packet);
  slot.packet.memory.operation = MemoryOperation::kLoadData;
  slot.packet.memory.message = load.message;
  slot.packet.memory.offset = load.offset;
  if (!slot.payload.empty() && load.asked > 0) {
    // The region may have been closed since the load was accepted.
    const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                      .key = load.key,
                                                      .address = load.address,
                                                      .length = load.asked,
                                                      .access = verbs::kAccessRemoteRead});
    if (checked.fault != verbs::AccessFault::kNone) {
      executed_ = load.message;
      loads_.clear();
      refuse(verbs::WcStatus::kRemAccessErr, call);
      return false;
    }
    if (const std::byte* const bytes = checked.region->data(load.address); bytes != nullptr) {
      std::memcpy(slot.payload.data(), bytes, load.asked);
    } else {
      std::memset(slot.payload.data(), 0, load.asked);
    }
  }
  set_memory_sizes(slot.packet, load.asked, wire::data_wire_bytes(call.options.format, load.asked));
  return true;
}

void MemoryResponder::flush(const MemoryCall& call) {
  held_.clear();
  loads_.clear();
  requests_.flush(call.core, call.context);
}

std::size_t MemoryResponder::heap_bytes() const {
  return requests_.heap_bytes() + loads_.heap_bytes() + held_.heap_bytes();
}

}  // namespace weft::transport
