// The fast path of the RC engine: the middle of long messages and its acknowledgements, in runs without payload bytes.
//
// Each function does exactly what the slow path does for that packet, or nothing; tests compare the two packet by
// packet (a run that carries bytes always takes the slow path). Included by rc_queue_pair.cc only.
#pragma once

#include "base/assert.h"
#include "transport/rc_requester.h"
#include "transport/rc_responder.h"
#include "transport/segmentation.h"

namespace weft::transport {

/// What a WRITE packet with its own address is longer: whole words, so nothing else changes.
inline constexpr int kRethBytes = 16;

inline bool RcRequester::poll_fast(const TransmitSlot& slot, RcCore& core, Time now) {
  const auto in_flight = static_cast<std::uint32_t>(hot_.next - hot_.una);
  const bool middle_of_first_sending = on_fast_path() && hot_.next == hot_.end;
  if (!middle_of_first_sending || !slot.payload.empty() || now < hot_.not_before) {
    return false;
  }
  const SendWqe& wqe = hot_.queue[hot_.cursor];
  // A packet is sent here for the first time: its place in the message follows from its PSN alone.
  WEFT_DCHECK(wqe.started && !wqe.expects_response() && hot_.next == wqe.first_psn + hot_.cursor_packet);
  if (hot_.cursor_packet + 1 == wqe.packets) {
    return false;
  }
  wire::Packet& packet = slot.packet;
  core.start_packet(packet);
  packet.common.payload_bytes = full_payload_;
  packet.common.frame_bytes = full_frame_;
  packet.common.wire_bytes = full_wire_;
  packet.ib.opcode = wire::make_opcode(wire::Service::kRc,
                                       wqe.is_write() ? wire::Operation::kWriteMiddle : wire::Operation::kSendMiddle);
  packet.ib.psn = hot_.next;
  if (in_flight == 0) {
    hot_.deadline = ack_timeout_ == Duration::max() ? Time::never() : now + ack_timeout_;
  }
  if (selective_ != nullptr) {
    track_fast(packet, wqe, core, now);
  }
  hot_.end = ++hot_.next;
  ++hot_.cursor_packet;
  if (++hot_.since_ack_request >= core.options.ack_request_interval || in_flight + 1 >= window_packets_) {
    packet.ib.flags = wire::kBthAckRequest;
    hot_.since_ack_request = 0;
  }
  if (has_policies_) {
    finish_fast(slot, core, now);
  }
  return true;
}

// Selective repeat by time, with or without placement.
inline void RcRequester::track_fast(wire::Packet& packet, const SendWqe& wqe, const RcCore& core, Time now) {
  if (hot_.next == hot_.una) {
    restart_deadline(now);
  }
  selective_->on_sent(hot_.next, now);
  if (core.options.out_of_order_placement && wqe.is_write()) {
    packet.ib.opcode = wire::make_opcode(wire::Service::kManufacturer, wire::Operation::kWriteMiddle);
    packet.ib.reth = {wqe.remote_address + (std::uint64_t{hot_.cursor_packet} * full_payload_), wqe.rkey,
                      full_payload_};
    packet.common.frame_bytes = static_cast<std::uint16_t>(full_frame_ + kRethBytes);
    packet.common.wire_bytes = static_cast<std::uint16_t>(full_wire_ + kRethBytes);
  }
}

// The gap after a packet is kept until the rate can change, so that most packets need no virtual call.
inline void RcRequester::finish_fast(const TransmitSlot& slot, const RcCore& core, Time now) {
  wire::Packet& packet = slot.packet;
  CongestionControl* const control = core.options.congestion_control;
  WEFT_DCHECK(!paces_only_ || control != nullptr);
  const Bytes size(packet.common.wire_bytes);
  if (!paces_only_ || !control->is_steady(size, now)) {
    finish_packet(slot, core, now);
    return;
  }
  packet.common.ecn = wire::Ecn::kEct0;
  if (const Duration gap = control->transmit_steady(size); gap > Duration::zero()) {
    hot_.not_before = now + gap;
  }
}

inline bool RcRequester::acknowledge_fast(const wire::Packet& packet, const RcCore& core, Time now) {
  const wire::IbTransportHeader& header = packet.ib;
  const std::int32_t progress = header.psn - hot_.una;
  // Flags and syndrome are compared whole: whatever else they hold is the slow path's.
  const bool plain_progress = progress >= 0 && header.psn < hot_.next && slow_path_reasons_ == 0 &&
                              incomplete_reads_ == 0 && header.flags == 0 &&
                              header.aeth.syndrome == wire::kSyndromeAckNoCredits;
  // What is in flight belongs to a request in the queue.
  WEFT_DCHECK(hot_.next == hot_.una || hot_.queue.front().started);
  if (!plain_progress || header.psn + 1 >= hot_.queue.front().end_psn()) {
    return false;
  }
  hot_.una = header.psn + 1;
  hot_.gap_handled = false;
  retries_left_ = core.attributes().retry_count;
  rnr_retries_left_ = core.attributes().rnr_retry;
  if (selective_ != nullptr) {
    selective_->acknowledged = hot_.una;
    selective_->advance(hot_.una, hot_.end, now);
    restart_deadline(now);
  } else {
    hot_.deadline = ack_timeout_ == Duration::max() ? Time::never() : now + ack_timeout_;
  }
  if (wants_acks_) {
    echoed_mark_ = false;
    echoed_entropy_ = packet.common.entropy;
    report_ack(progress + 1, core, now);
  }
  WEFT_DCHECK(consistent());
  return true;
}

// Rights and memory were checked for the whole message when it began: its middle looks at neither.
inline bool RcResponder::continue_message(const ReceivedPacket& received, const RcCore& core, Time now) {
  const wire::Packet& packet = received.packet;
  const std::uint32_t payload = packet.common.payload_bytes;
  if (packet.ib.psn != hot_.expected || !received.payload.empty() ||
      payload != full_payload(core.attributes().path_mtu) || (early_ != nullptr && early_->any())) {
    return false;
  }
  if (packet.ib.opcode == wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteMiddle)) {
    if (hot_.message != Message::kWrite || hot_.remaining <= payload) {
      return false;
    }
    hot_.address += payload;
    hot_.remaining -= payload;
  } else if (packet.ib.opcode != wire::make_opcode(wire::Service::kRc, wire::Operation::kSendMiddle) ||
             hot_.message != Message::kSend || std::uint64_t{hot_.received} + payload > receives_.room()) {
    return false;
  }
  hot_.received += payload;
  ++hot_.expected;
  hot_.nak_outstanding = false;
  hot_.pending = static_cast<std::uint8_t>((hot_.pending & ~kPendingNak) |
                                           (packet.ib.has(wire::kBthAckRequest) ? kPendingAck : 0));
  // Most packets carry no mark, and most receivers hear of marked ones alone: no call for them.
  if (receiver_needs(packet, core.options.congestion_receiver)) {
    observe_mark(packet, core, now);
  }
  return true;
}

// A full packet from the middle of a WRITE that carries its own address, early or in its turn.
inline bool RcResponder::place_middle(const ReceivedPacket& received, const RcCall& call) {
  const wire::Packet& packet = received.packet;
  const std::uint32_t payload = packet.common.payload_bytes;
  const std::int32_t ahead = packet.ib.psn - hot_.expected;
  if (packet.ib.opcode != wire::make_opcode(wire::Service::kManufacturer, wire::Operation::kWriteMiddle) ||
      !received.payload.empty() || payload != full_payload(call.attributes().path_mtu) || failed_ || ahead < 0 ||
      ahead >= static_cast<std::int32_t>(call.options().selective().tracked_packets) || hot_.nak_outstanding) {
    return false;
  }
  if (ahead == 0 ? hot_.message != Message::kWrite : early_ == nullptr || early_->contains(packet.ib.psn)) {
    return false;
  }
  if (!may_place(packet.ib.reth, payload, call)) {
    return false;
  }
  if (ahead == 0) {
    hot_.received += payload;
    hot_.remaining = 0;
    ++hot_.expected;
    hot_.pending = static_cast<std::uint8_t>(hot_.pending & ~kPendingNak);
    if (early_ != nullptr && early_->any()) {
      drain_early(call);
    }
  } else {
    ++call.counters().out_of_sequence;
    early_->note_middle(packet.ib.psn);
  }
  if (packet.ib.has(wire::kBthAckRequest)) {
    hot_.pending |= kPendingAck;
  }
  if (receiver_needs(packet, call.options().congestion_receiver)) {
    observe_mark(packet, call.core, call.now);
  }
  return true;
}

inline bool RcResponder::poll_ack_fast(const TransmitSlot& slot, const RcCore& core) {
  // One comparison says that neither a NAK nor a CNP waits.
  if (hot_.pending != kPendingAck || sends_data() || (early_ != nullptr && early_->any()) || duplicate_ ||
      names_path_ || echo_mark_ || has_telemetry_ || core.options.end_to_end_credits) {
    return false;
  }
  WEFT_DCHECK(!failed_);  // the NAK of a failed responder is still pending, or has left in ERR
  wire::Packet& packet = slot.packet;
  core.start_packet(packet);
  packet.common.flags = wire::kControl;
  packet.ib.opcode = wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge);
  packet.ib.psn = hot_.expected - 1;
  packet.ib.aeth.msn = hot_.msn;
  packet.ib.aeth.syndrome = wire::kSyndromeAckNoCredits;
  hot_.pending = 0;
  set_payload(packet, 0);
  return true;
}

}  // namespace weft::transport
