// The fast path of the Ultra Ethernet engine: data packets from the middle of long messages, in runs without payload
// bytes, through an open context of any order without credit.
//
// Two calls take a packet through all layers: `poll_fast` makes one, `deliver_fast` takes one, in its turn or early,
// and plain acknowledgements besides. Each does exactly what the general code does for that packet, or nothing; tests
// compare the two packet by packet (a run that carries bytes always takes the general code). What acknowledgements
// deliver is counted by the run (PdcSender::take_run). Included by uet_endpoint_input.cc only.
#pragma once

#include "base/assert.h"
#include "transport/segmentation.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

// The sender.

inline bool SesRequester::make_fast(std::uint32_t owner, wire::Packet& packet, SesPacket& made, const QpCore& core) {
  // Of READs under way the queue pair keeps account packet by packet.
  if (cursor_packet_ == 0 || stopped_ || failed_ || refused_.has_value() || reads_ > 0)
    return false;
  const SendWqe& wqe = queue_[cursor_].wqe;
  if (cursor_packet_ + 1 >= wqe.packets)
    return false;
  const std::uint32_t payload = full_payload(core.attributes().path_mtu);
  const std::uint32_t offset = cursor_packet_ * payload;
  const bool write = wqe.is_write();
  made = {.owner = owner, .message = first_ + cursor_, .index = cursor_packet_};
  packet.common.payload_bytes = static_cast<std::uint16_t>(payload);
  packet.uet.request = {
      .buffer_offset = write ? wqe.remote_address + offset : offset,
      .memory_key = write ? wqe.rkey : queue_[cursor_].receive_number,
      .message_id = static_cast<std::uint16_t>(made.message),
      .operation = static_cast<std::uint8_t>(write ? wire::UetOperation::kWrite : wire::UetOperation::kTaggedSend),
      .ses_flags = 0};
  packet.uet.set_target(wire::UetNextHeader::kRequestStandard, core.attributes().destination_qpn.value());
  ++cursor_packet_;
  return true;
}

inline bool UetQueuePair::make_fast(std::uint32_t owner, wire::Packet& packet, SesPacket& made) {
  return half_of(owner) == Half::kRequester && requester_.make_fast(owner, packet, made, core_);
}

inline void PdcSender::send_fast(wire::Packet& packet, const SesPacket& made, const UetOptions& options, Time now) {
  wire::PacketCommon& common = packet.common;
  if (common.payload_bytes != sizes_.payload) [[unlikely]] {
    set_uet_sizes(packet, UetSizeClass::kData,
                  {.headers = Bytes(kPdsRequestBytes + kSesStandardBytes), .payload = Bytes(common.payload_bytes)},
                  options.sizes);
    sizes_ = {.payload = common.payload_bytes, .frame = common.frame_bytes, .wire = common.wire_bytes};
  }
  common.frame_bytes = sizes_.frame;
  common.wire_bytes = sizes_.wire;
  if (owners_.size() > 1)
    owners_.push_back(owners_.pop_front());
  const std::uint32_t psn = next_++;
  packet.uet.psn = psn;
  packet.uet.psn_offset = static_cast<std::int16_t>(una_ - 1 - psn);
  in_flight_ += sizes_.frame;
  if (CongestionControl* const control = policies_.congestion_control; control != nullptr) {
    common.ecn = wire::Ecn::kEct0;
    if (const Duration gap = control->transmit(Bytes(sizes_.wire), now); gap > Duration::zero())
      not_before_ = later(not_before_, now) + gap;
  }
  if (policies_.path_selector != nullptr)
    common.entropy = policies_.path_selector->entropy_for(short_psn(psn), now);
  sent_.push_back({.at = now, .packet = made, .size = sizes_.frame, .entropy = common.entropy, .after = next_});
  arm(now + (doublings_ == 0 ? std::max(options.timeout, longest_ * 2) : timeout_of(sent_.back(), options)));
  // The owner has more, but acknowledgements must make room for it.
  packet.uet.flags = window_open() ? std::uint8_t{0} : std::uint8_t{wire::kUetAckRequest};
}

inline void Pdc::send_fast(wire::Packet& packet, const SesPacket& made, const UetOptions& options, Time now) {
  if (!sender_.in_flight())
    heard_at_ = now;
  active_at_ = now;
  sender_.send_fast(packet, made, options, now);
  packet.uet.type = wire::UetType::kRudRequest;
  packet.uet.source_pdc = id_;
  packet.uet.destination_pdc = peer_id_;
}

inline bool UetEndpoint::poll_fast(Place& place, const TransmitSlot& slot, Time now) {
  Pdc& pdc = place.pdc;
  const UetOptions& options = setup_.options;
  if (!pdc.may_send_fast(now) || !slot.payload.empty() || options.full_headers)
    return false;
  const std::uint32_t owner = pdc.sender().first_owner();
  wire::Packet& packet = slot.packet;
  packet.common = place.common;
  SesPacket made;
  if (is_message(owner) || !queue_pair_of(owner).make_fast(owner, packet, made))
    return false;
  packet.common.flags =
      options.trimming ? std::uint8_t{wire::kUnordered | wire::kTrimmable} : std::uint8_t{wire::kUnordered};
  pdc.send_fast(packet, made, options, now);
  return true;
}

// The receiver.

// What the memory table has allowed once holds until the table changes: most packets need no look at it.
inline bool SesResponder::may_write(const wire::Packet& packet, const QpCore& core, const verbs::MemoryTable& memory) {
  const wire::UetRequestFields& request = packet.uet.request;
  const std::uint64_t payload = packet.common.payload_bytes;
  if ((core.attributes().access_flags & verbs::kAccessRemoteWrite) == 0 || payload == 0)
    return false;
  if (request.memory_key != writable_.key || memory.version() != writable_.version) [[unlikely]] {
    const auto checked = memory.check({.pd = core.init().pd,
                                       .key = request.memory_key,
                                       .address = request.buffer_offset,
                                       .length = payload,
                                       .access = verbs::kAccessRemoteWrite});
    if (checked.fault != verbs::AccessFault::kNone)
      return false;
    writable_ = {.address = checked.region->address,
                 .length = checked.region->length,
                 .key = request.memory_key,
                 .version = memory.version()};
    return true;
  }
  return request.buffer_offset >= writable_.address && payload <= writable_.length &&
         request.buffer_offset - writable_.address <= writable_.length - payload;
}

inline bool SesResponder::take_fast(const wire::Packet& packet, const QpCore& core, const verbs::MemoryTable& memory) {
  constexpr auto kWrite = static_cast<std::uint8_t>(wire::UetOperation::kWrite);
  const wire::UetRequestFields& request = packet.uet.request;
  const auto place = static_cast<std::uint16_t>(request.message_id - static_cast<std::uint16_t>(first_));
  if (place >= incoming_.size() || request.operation != kWrite)
    return false;
  Incoming& message = incoming_[place];
  if (!message.begun || message.operation != kWrite)
    return false;
  // The packet that makes it whole may lead to completions, and one that contradicts the others is refused.
  const std::uint64_t received = std::uint64_t{message.received} + packet.common.payload_bytes;
  if (message.has_start && message.has_end && (message.end < message.start || received >= message.end - message.start))
    return false;
  if (!may_write(packet, core, memory))
    return false;
  message.received = static_cast<std::uint32_t>(received);
  return true;
}

inline bool UetQueuePair::take_fast(const wire::Packet& packet, std::uint16_t pdc, const verbs::MemoryTable& memory) {
  const verbs::QpState state = core_.state();
  // A shared receive queue is looked at after every packet.
  if (!established_ || answer_pdc_ != pdc || (state != verbs::QpState::kRts && state != verbs::QpState::kRtr) ||
      core_.attributes().address.destination != packet.common.source || core_.init().srq.is_valid())
    return false;
  return responder_.take_fast(packet, core_, memory);
}

inline void PdcReceiver::take_fast(const wire::Packet& packet, const UetOptions& options) {
  const std::uint32_t psn = packet.uet.psn;
  const bool marked = packet.common.ecn == wire::Ecn::kCe;
  const bool at_once = packet.uet.has(wire::kUetAckRequest);
  take(psn, packet.common.frame_bytes);
  if (options.infer_loss_after != 0 && infers_loss(options.infer_loss_after)) [[unlikely]]
    refuse({.psn = base_, .code = wire::UetNack::kReceiverInferredLoss});
  bytes_since_ack_ += packet.common.frame_bytes;
  if (at_once && psn_distance(asked_psn_, psn) > 0)
    asked_psn_ = psn;
  if (!ack_due_) {
    ack_psn_ = psn;
    ack_marked_ = marked;
  }
  ack_marked_ |= marked;
  const bool overtaken = psn_distance(psn, asked_psn_) > 0;
  ack_due_ |= at_once || overtaken || marked || !any_ ||
              bytes_since_ack_ >= static_cast<std::uint64_t>(options.ack_every.count());
  any_ = true;
}

inline bool Pdc::may_take_fast(const wire::Packet& packet) const {
  return fast_ && state_ == State::kOpen && !close_wanted_ && key_.peer == packet.common.source &&
         peer_id_ == packet.uet.source_pdc && !receiver_.has_responses() &&
         receiver_.place_of(packet.uet.psn) == PdcReceiver::Place::kNew;
}

inline void Pdc::take_fast(const wire::Packet& packet, const PdcCall& call) {
  heard_at_ = active_at_ = call.now;
  answer_by_path_of(packet);
  notice_retries_ = credit_retries_ = 0;
  if (packet.uet.psn != receiver_.base())
    ++call.counters.out_of_order;
  receiver_.take_fast(packet, call.options);
}

inline bool UetEndpoint::take_fast(const wire::Packet& packet, Pdc& pdc, Time now) {
  const wire::UetHeader& header = packet.uet;
  if ((header.flags & ~wire::kUetAckRequest) != 0 || header.request.ses_flags != 0 ||
      header.next_header() != wire::UetNextHeader::kRequestStandard)
    return false;
  const QpSlot slot = numbers_.find(Qpn(header.resource()));
  if (slot.kind != EngineKind::kUet || !slot.exists() || !pdc.may_take_fast(packet) ||
      !queue_pairs_[Handle(slot.index)].take_fast(packet, pdc.id(), context_.memory()))
    return false;
  pdc.take_fast(packet, call(now));
  return true;
}

// Acknowledgements.

inline bool Pdc::acknowledge_fast(const wire::Packet& packet, const PdcCall& call) {
  const wire::UetHeader& header = packet.uet;
  // Nobody waits for an answer, and nobody wants to close.
  const bool plain = fast_ && state_ == State::kOpen && users_ == 0 && !close_wanted_ &&
                     (header.flags & ~wire::kUetMarked) == 0 && key_.peer == packet.common.source &&
                     peer_id_ == header.source_pdc;
  if (!plain)
    return false;
  heard_at_ = call.now;
  if (sender_.has_path_selector())
    answer_by_path_of(packet);
  credit_retries_ = 0;
  const bool progresses = psn_distance(sender_.una(), header.psn) >= 0;
  if (!sender_.on_ack(packet, nullptr, call)) {
    ++call.counters.discarded;
    return true;
  }
  if (!live())
    return true;
  if (header.mpr_or_header != 0)
    peer_window_ = std::min(std::uint32_t{header.mpr_or_header} * 128, call.options.psn_window);
  if (progresses)
    active_at_ = call.now;
  // What the packets' delivery has led to may have been the context's end.
  if (close_wanted_) [[unlikely]]
    settle(call);
  return true;
}

}  // namespace weft::transport
