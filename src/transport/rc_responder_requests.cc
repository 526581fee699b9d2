// The responder's execution of requests: order, checks, memory, receive requests.
#include <cstring>

#include "base/assert.h"
#include "transport/operations.h"
#include "transport/rc_responder.h"
#include "transport/segmentation.h"

namespace weft::transport {
void RcResponder::observe_mark(const wire::Packet& packet, const RcCore& core, Time now) {
  const CongestionSignal signal = signal_of(packet, core.options.congestion_receiver, now);
  if (signal == CongestionSignal::kCnp)
    hot_.pending |= kPendingCnp;
  if (signal == CongestionSignal::kEcho)
    echo_mark_ = true;
  if (const CongestionReceiver* const receiver = core.options.congestion_receiver;
      receiver != nullptr && receiver->names_marked_paths())
    name_path(packet);
}

// READ data keep to one path: there is nothing to name.
void RcResponder::name_path(const wire::Packet& packet) {
  const wire::Operation operation = wire::operation_of(packet.ib.opcode);
  const bool answer =
      operation >= wire::Operation::kReadResponseFirst && operation <= wire::Operation::kReadResponseOnly;
  if (packet.common.ecn != wire::Ecn::kCe || answer)
    return;
  names_path_ = true;
  marked_entropy_ = packet.common.entropy;
  hot_.pending |= kPendingAck;
}

void RcResponder::on_request(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  observe_mark(received.packet, call);
  if (received.packet.has(wire::kTelemetry)) {
    call.core.cold_state().received = received.cold.telemetry;
    has_telemetry_ = true;
  }
  //= ibta-1.7 9.7.4
  const std::int32_t distance = header.psn - hot_.expected;
  if (distance < 0) {
    on_duplicate(received, call);
  } else if (distance > 0) {
    on_early(received, call);
  } else if (execute(received, false, call) == Verdict::kAccepted && early_ != nullptr && early_->any()) {
    early_->skip(header.psn + 1, hot_.expected);
    drain_early(call);
  }
}

void RcResponder::on_early(const ReceivedPacket& received, const RcCall& call) {
  ++call.counters().out_of_sequence;
  if (call.options().loss_recovery == LossRecovery::kGoBackN) {
    // One NAK for a gap; silence until the expected packet comes.
    //= ibta-1.7 9.7.5
    if (hot_.nak_outstanding)
      return;
    hot_.nak_outstanding = true;
    hot_.nak_syndrome = wire::nak_syndrome(wire::NakCode::kPsnSequenceError);
    hot_.pending |= kPendingNak;
    return;
  }
  // While a receive request is missing, everything is sent again from ePSN.
  const SelectiveRepeatOptions& options = call.options().selective();
  if (hot_.nak_outstanding)
    return;
  if (early_ == nullptr) {
    early_ = std::make_unique<ReorderBuffer>(ReorderBuffer::Options{
        .window = options.tracked_packets, .packets = options.reorder_capacity, .bytes = options.reorder_bytes});
  }
  if (received.packet.ib.psn - hot_.expected >= static_cast<std::int32_t>(options.tracked_packets))
    return on_untracked(call);
  if (early_->contains(received.packet.ib.psn)) {
    ++call.counters().duplicate_request;
    duplicate_ = true;
    hot_.pending |= kPendingAck;
    return;
  }
  const bool placeable = call.options().out_of_order_placement &&
                         wire::service_of(received.packet.ib.opcode) == wire::Service::kManufacturer;
  if (placeable) {
    if (!place_early(received, call))
      return;
    (void)early_->note_placed(received);
  } else if (beyond_buffer(received.packet.ib.psn, call) || early_->hold(received) == ReorderBuffer::Outcome::kNoRoom) {
    return on_untracked(call);
  }
  // Who counts what overtakes a packet must hear of each; who looks at the time asks often enough.
  if (options.loss_detection == LossDetection::kByCount || received.packet.ib.has(wire::kBthAckRequest))
    hot_.pending |= kPendingAck;
}

// Where nothing is placed, the buffer has a place for each of the next PSNs: what lies further ahead must not keep out
// the copies that fill the gap before it, or a flow that has once exceeded the buffer never gets on.
bool RcResponder::beyond_buffer(Psn psn, const RcCall& call) const {
  return !call.options().out_of_order_placement &&
         psn - hot_.expected > static_cast<std::int32_t>(call.options().selective().reorder_capacity);
}

// Beyond what the device can keep track of.
void RcResponder::on_untracked(const RcCall& call) {
  ++call.counters().out_of_tracking;
  if (call.options().selective().reorder_overflow == ReorderOverflow::kDrop || !early_->first_overflow(hot_.expected))
    return;
  hot_.nak_syndrome = wire::nak_syndrome(wire::NakCode::kPsnSequenceError);
  hot_.pending |= kPendingNak;
}

bool RcResponder::may_place(const wire::RethFields& reth, std::uint32_t payload, const RcCall& call) {
  return (call.attributes().access_flags & verbs::kAccessRemoteWrite) != 0 && reth.dma_length == payload &&
         call.context.memory()
                 .check({.pd = call.core.init().pd,
                         .key = reth.remote_key,
                         .address = reth.virtual_address,
                         .length = reth.dma_length,
                         .access = verbs::kAccessRemoteWrite})
                 .fault == verbs::AccessFault::kNone;
}

// Data of a WRITE packet that came early go to memory at once; if they may not, the packet counts as lost and its
// repetition is judged in its turn.
bool RcResponder::place_early(const ReceivedPacket& received, const RcCall& call) {
  const wire::RethFields& reth = received.packet.ib.reth;
  if (!may_place(reth, received.packet.common.payload_bytes, call))
    return false;
  const verbs::MemoryRegion* const region =
      received.payload.empty() ? nullptr : call.context.memory().find(reth.remote_key);
  if (region != nullptr && region->bytes != nullptr)
    std::memcpy(region->data(reth.virtual_address), received.payload.data(), received.payload.size());
  return true;
}

void RcResponder::drain_early(const RcCall& call) {
  const std::uint32_t mtu = full_payload(call.attributes().path_mtu);
  for (std::uint32_t i = 0; i < early_->window() && !failed_ && early_->any(); ++i) {
    if (const std::uint32_t middles = early_->take_middles(hot_.expected); middles != 0) {
      if (hot_.message != Message::kWrite) {
        (void)reject(wire::NakCode::kInvalidRequest, call);
        return;
      }
      hot_.expected += middles;
      hot_.received += middles * mtu;
      hot_.remaining = 0;
    }
    ReorderBuffer::Entry* const entry = early_->find(hot_.expected);
    if (entry == nullptr)
      return;
    WEFT_DCHECK(entry->packet.ib.psn == hot_.expected);
    const Psn psn = hot_.expected;
    const Verdict verdict = execute({entry->packet, entry->cold, entry->payload}, entry->placed, call);
    if (verdict != Verdict::kAccepted)
      return;
    early_->release(psn);
    early_->skip(psn + 1, hot_.expected);
  }
}

//= ibta-1.7 9.7.5
void RcResponder::on_duplicate(const ReceivedPacket& received, const RcCall& call) {
  ++call.counters().duplicate_request;
  duplicate_ = call.options().loss_recovery == LossRecovery::kSelectiveRepeat;
  const wire::Operation operation = wire::operation_of(received.packet.ib.opcode);
  if (operation == wire::Operation::kReadRequest || is_atomic(operation)) {
    replay(received.packet.ib, call);
  } else if ((hot_.pending & kPendingNak) == 0) {
    hot_.pending |= kPendingAck;
  }
}

// Answers from `psn` on are sent again, unless the emission cursor has not passed it yet. The repeated request must be
// the original one, or its rest.
void RcResponder::replay(const wire::IbTransportHeader& header, const RcCall& call) {
  const Bytes mtu = verbs::to_bytes(call.attributes().path_mtu);
  const bool atomic = is_atomic(wire::operation_of(header.opcode));
  for (std::uint32_t i = 0; i < hot_.resources.size(); ++i) {
    const Resource& resource = hot_.resources[i];
    const std::int32_t index = header.psn - resource.first_psn;
    if (index < 0 || index >= static_cast<std::int32_t>(resource.packets))
      continue;
    const std::uint64_t offset = static_cast<std::uint64_t>(index * mtu.count());
    const bool same = resource.atomic == atomic && header.reth.virtual_address == resource.address + offset &&
                      header.reth.remote_key == resource.key &&
                      (atomic || header.reth.dma_length == resource.length - offset);
    if (!same)
      break;
    const auto packet = static_cast<std::uint32_t>(index);
    const bool passed = i < hot_.emit_index || (i == hot_.emit_index && packet < hot_.emit_packet);
    if (passed) {
      hot_.emit_index = i;
      hot_.emit_packet = replay_start_ = packet;
    }
    WEFT_DCHECK(cursor_in_range());
    return;
  }
  ++call.counters().discarded;
}

RcResponder::Verdict RcResponder::execute(const ReceivedPacket& received, bool placed, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  WEFT_DCHECK(header.psn == hot_.expected && !failed_);  // once, in order, and nothing after a failure
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  const wire::Operation operation = wire::operation_of(header.opcode);
  //= ibta-1.7 9.7.4
  if (!fits_sequence(operation, info) || !length_fits(received, info, call)) {
    return reject(wire::NakCode::kInvalidRequest, call);
  }
  if (is_send(operation))
    return execute_send(received, info, call);
  if (is_write(operation))
    return execute_write(received, info, placed, call);
  if (operation == wire::Operation::kReadRequest)
    return execute_read(received, call);
  if (is_atomic(operation))
    return execute_atomic(received, call);
  return reject(wire::NakCode::kInvalidRequest, call);
}

bool RcResponder::fits_sequence(wire::Operation operation, const wire::OpcodeInfo& info) const {
  switch (hot_.message) {
    case Message::kNone:
      return info.first;
    case Message::kSend:
      return is_send(operation) && !info.first;
    case Message::kWrite:
      return is_write(operation) && !info.first;
  }
  return false;
}

// First and middle packets are full, a last one is not empty.
//= ibta-1.7 9.7.4
bool RcResponder::length_fits(const ReceivedPacket& received, const wire::OpcodeInfo& info, const RcCall& call) const {
  const auto mtu = static_cast<std::uint32_t>(verbs::to_bytes(call.attributes().path_mtu).count());
  const std::uint32_t payload = received.packet.common.payload_bytes;
  if (!info.payload)
    return payload == 0;
  if (!info.last)
    return payload == mtu;
  return payload <= mtu && (info.first || payload > 0);
}

RcResponder::Verdict RcResponder::execute_send(const ReceivedPacket& received, const wire::OpcodeInfo& info,
                                               const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  if (info.first && !receives_.take(call.core, call.context))
    return not_ready(call);
  const std::uint32_t payload = received.packet.common.payload_bytes;
  const std::uint32_t offset = info.first ? 0 : hot_.received;
  if (std::uint64_t{offset} + payload > receives_.room()) {
    fail_receive(verbs::WcStatus::kLocLenErr, call);
    return reject(call.options().short_receive_nak == ShortReceiveNak::kInvalidRequest
                      ? wire::NakCode::kInvalidRequest
                      : wire::NakCode::kRemoteOperationalError,
                  call);
  }
  if ((info.first || !received.payload.empty()) && !receives_.writable(call.core, call.context)) {
    fail_receive(verbs::WcStatus::kLocProtErr, call);
    return reject(wire::NakCode::kRemoteOperationalError, call);
  }
  if (!received.payload.empty())
    receives_.write(offset, received.payload, call.context);
  hot_.received = offset + payload;
  hot_.message = Message::kSend;
  if (info.last) {
    if (info.invalidate &&
        call.context.memory().invalidate(call.core.init().pd, header.immediate) != verbs::AccessFault::kNone) {
      fail_receive(verbs::WcStatus::kRemInvReqErr, call);
      return reject(wire::NakCode::kRemoteAccessError, call);
    }
    if (complete_receive(header, info, call) == Verdict::kRejected)
      return Verdict::kRejected;
  }
  accepted(header, 1, info.last);
  return Verdict::kAccepted;
}

RcResponder::Verdict RcResponder::execute_write(const ReceivedPacket& received, const wire::OpcodeInfo& info,
                                                bool placed, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const std::uint32_t payload = received.packet.common.payload_bytes;
  if ((call.attributes().access_flags & verbs::kAccessRemoteWrite) == 0) {
    return reject(wire::NakCode::kInvalidRequest, call);
  }
  // A placeable packet carries its own address and length; otherwise the first packet's hold for the message.
  const bool own_address = wire::service_of(header.opcode) == wire::Service::kManufacturer;
  if (info.first)
    hot_.received = 0;
  if (info.first || own_address) {
    hot_.address = header.reth.virtual_address;
    hot_.key = header.reth.remote_key;
    hot_.remaining = header.reth.dma_length;
  }
  const bool length_agrees = info.last || own_address ? payload == hot_.remaining : payload < hot_.remaining;
  if (!length_agrees || hot_.remaining > kMaxMessageBytes)
    return reject(wire::NakCode::kInvalidRequest, call);
  // The whole range is checked when the message begins, each packet's again where bytes are really written.
  if (!placed && (info.first || own_address || !received.payload.empty())) {
    const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                      .key = hot_.key,
                                                      .address = hot_.address,
                                                      .length = hot_.remaining,
                                                      .access = verbs::kAccessRemoteWrite});
    if (checked.fault != verbs::AccessFault::kNone)
      return reject(wire::NakCode::kRemoteAccessError, call);
    if (info.immediate && !receives_.take(call.core, call.context))
      return not_ready(call);
    if (checked.region != nullptr && checked.region->bytes != nullptr && !received.payload.empty()) {
      std::memcpy(checked.region->data(hot_.address), received.payload.data(), received.payload.size());
    }
  } else if (info.immediate && !receives_.take(call.core, call.context)) {
    return not_ready(call);
  }
  hot_.received += payload;
  hot_.address += payload;
  hot_.remaining -= payload;
  hot_.message = Message::kWrite;
  if (info.last && info.immediate && complete_receive(header, info, call) == Verdict::kRejected) {
    return Verdict::kRejected;
  }
  accepted(header, 1, info.last);
  return Verdict::kAccepted;
}

RcResponder::Verdict RcResponder::execute_read(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  if ((call.attributes().access_flags & verbs::kAccessRemoteRead) == 0 || !make_resource_room(call)) {
    return reject(wire::NakCode::kInvalidRequest, call);
  }
  const auto packets = static_cast<std::int64_t>(packet_count(header.reth.dma_length, call.attributes().path_mtu));
  if (header.reth.dma_length > kMaxMessageBytes || packets >= Psn::kHalf)
    return reject(wire::NakCode::kInvalidRequest, call);
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = header.reth.remote_key,
                                                    .address = header.reth.virtual_address,
                                                    .length = header.reth.dma_length,
                                                    .access = verbs::kAccessRemoteRead});
  if (checked.fault != verbs::AccessFault::kNone)
    return reject(wire::NakCode::kRemoteAccessError, call);
  hot_.resources.push_back({.address = header.reth.virtual_address,
                            .result = 0,
                            .key = header.reth.remote_key,
                            .length = header.reth.dma_length,
                            .packets = static_cast<std::uint32_t>(packets),
                            .first_psn = header.psn,
                            .atomic = false});
  accepted(header, static_cast<std::uint32_t>(packets), true);
  // The data are the acknowledgement.
  hot_.pending = static_cast<std::uint8_t>(hot_.pending & ~kPendingAck);
  return Verdict::kAccepted;
}

//= ibta-1.7 9.4.5
RcResponder::Verdict RcResponder::execute_atomic(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const bool aligned = header.reth.virtual_address % 8 == 0;
  const bool complete = received.packet.has(wire::kHasCold);
  if ((call.attributes().access_flags & verbs::kAccessRemoteAtomic) == 0 || !aligned || !complete ||
      !make_resource_room(call)) {
    return reject(wire::NakCode::kInvalidRequest, call);
  }
  const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                    .key = header.reth.remote_key,
                                                    .address = header.reth.virtual_address,
                                                    .length = 8,
                                                    .access = verbs::kAccessRemoteAtomic});
  if (checked.fault != verbs::AccessFault::kNone)
    return reject(wire::NakCode::kRemoteAccessError, call);
  std::uint64_t original = 0;
  if (std::byte* const bytes = checked.region->data(header.reth.virtual_address); bytes != nullptr) {
    std::memcpy(&original, bytes, sizeof original);
    const wire::AtomicOperands& operands = received.cold.atomic;
    std::uint64_t value = original + operands.swap_or_add;
    if (wire::operation_of(header.opcode) == wire::Operation::kCompareSwap) {
      value = original == operands.compare ? operands.swap_or_add : original;
    }
    std::memcpy(bytes, &value, sizeof value);
  }
  hot_.resources.push_back({.address = header.reth.virtual_address,
                            .result = original,
                            .key = header.reth.remote_key,
                            .length = 8,
                            .packets = 1,
                            .first_psn = header.psn,
                            .atomic = true});
  accepted(header, 1, true);
  hot_.pending = static_cast<std::uint8_t>(hot_.pending & ~kPendingAck);
  return Verdict::kAccepted;
}

// A new READ or atomic means that the requester has the oldest of max_dest_rd_atomic answers, and a repetition of it
// that is still under way is pointless. If that answer was never sent, the requester exceeds its limit.
//= ibta-1.7 9.7.4
bool RcResponder::make_resource_room(const RcCall& call) {
  if (hot_.resources.size() < call.attributes().max_dest_rd_atomic)
    return true;
  if (hot_.resources.empty() || !hot_.resources.front().answered)
    return false;
  (void)hot_.resources.pop_front();
  if (hot_.emit_index > 0) {
    --hot_.emit_index;
  } else {
    hot_.emit_packet = replay_start_ = 0;
  }
  WEFT_DCHECK(cursor_in_range());
  return true;
}

RcResponder::Verdict RcResponder::complete_receive(const wire::IbTransportHeader& header, const wire::OpcodeInfo& info,
                                                   const RcCall& call) {
  verbs::WorkCompletion completion;
  completion.src_qp = call.attributes().destination_qpn;
  completion.byte_len = hot_.received;
  completion.opcode =
      is_write(wire::operation_of(header.opcode)) ? verbs::WcOpcode::kRecvRdmaWithImm : verbs::WcOpcode::kRecv;
  if (info.immediate) {
    completion.imm_data = header.immediate;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (info.invalidate) {
    completion.invalidated_rkey = header.immediate;
    completion.wc_flags |= verbs::kWcWithInv;
  }
  if (header.has(wire::kBthSolicited))
    completion.wc_flags |= verbs::kWcSolicited;
  if (receives_.complete(completion, call.core, call.context))
    return Verdict::kAccepted;
  return reject(wire::NakCode::kRemoteOperationalError, call);
}

void RcResponder::accepted(const wire::IbTransportHeader& header, std::uint32_t psns, bool message_ends) {
  WEFT_DCHECK(psns == 1 || message_ends);  // a READ alone takes several PSNs
  hot_.expected += psns;
  hot_.nak_outstanding = false;
  hot_.pending = static_cast<std::uint8_t>(hot_.pending & ~kPendingNak);
  if (message_ends) {
    ++hot_.msn;
    hot_.message = Message::kNone;
  }
  if (header.has(wire::kBthAckRequest))
    hot_.pending |= kPendingAck;
}

// The request is refused for good: a NAK for it, and the queue pair fails.
//= ibta-1.7 9.9.3
RcResponder::Verdict RcResponder::reject(wire::NakCode code, const RcCall& call) {
  ++call.counters().bad_requests;
  hot_.nak_syndrome = wire::nak_syndrome(code);
  hot_.pending |= kPendingNak;
  hot_.nak_outstanding = true;
  failed_ = true;
  const bool access = code == wire::NakCode::kRemoteAccessError;
  call.context.raise({.type = access ? verbs::AsyncEventType::kQpAccessErr : verbs::AsyncEventType::kQpReqErr,
                      .qp = call.core.identity().qpn,
                      .cq = {},
                      .srq = {}});
  return Verdict::kRejected;
}

//= ibta-1.7 9.7.5.2.8
RcResponder::Verdict RcResponder::not_ready(const RcCall& call) {
  hot_.nak_syndrome = wire::rnr_syndrome(call.attributes().min_rnr_timer);
  hot_.pending |= kPendingNak;
  hot_.nak_outstanding = true;
  if (early_ != nullptr)
    early_->clear();
  return Verdict::kReceiverNotReady;
}

}  // namespace weft::transport
