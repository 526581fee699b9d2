// The fast path of the Ultra Ethernet engine: runs of data packets from the middle of long messages, without payload
// bytes, through an open context of any order without credit, and their acknowledgements.
//
// A run (transport/uet/packet_runs.h) is found once by looking at all layers (device, context, queue pair, message),
// and each of its packets is then made or taken by the context alone. Each function does exactly what the general code
// does for that packet, or nothing; tests compare the two packet by packet (UetOptions::fast_path; a run that carries
// bytes always takes the general code). Included by uet_endpoint_input.cc only.
#pragma once

#include "base/assert.h"
#include "transport/segmentation.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

// The sender.

inline bool PdcSender::may_send_fast(std::uint32_t most, Time now) const {
  const std::uint32_t in_window = next_ - una_;
  const CongestionControl* const control = policies_.congestion_control;
  return run_ != nullptr && run_->goes_on() && not_before_ <= now && in_window < most &&
         in_window != sent_.capacity() && window_has_room() && doublings_ == 0 &&
         (control == nullptr || control->is_steady(Bytes(run_->next.common.wire_bytes), now));
}

inline void PdcSender::send_fast(wire::Packet& packet, const UetOptions& options, Time now) {
  SendRun& run = *run_;
  const std::uint32_t psn = next_;
  packet = run.next;
  packet.uet.psn = psn;
  packet.uet.psn_offset = static_cast<std::int16_t>(una_ - 1 - psn);
  run.next.uet.request.buffer_offset += run.step;
  in_flight_ += run.next.common.frame_bytes;
  if (run.next.common.frame_bytes > largest_) [[unlikely]] {
    largest_ = run.next.common.frame_bytes;
    set_room();
  }
  // The owner has more, but acknowledgements must make room for it.
  if (!window_has_room())
    packet.uet.flags = wire::kUetAckRequest;
  if (CongestionControl* const control = policies_.congestion_control; control != nullptr) {
    if (const Duration gap = control->transmit_steady(Bytes(run.next.common.wire_bytes)); gap > Duration::zero())
      not_before_ = later(not_before_, now) + gap;
  }
  arm(now + std::max(options.timeout, longest_ * 2));
  next_ = psn + 1;
  Sent& sent = record(psn);
  sent.at = now;
  sent.packet = run.packet;
  sent.size = run.next.common.frame_bytes;
  sent.entropy = run.next.common.entropy;
  sent.retries = 0;
  sent.state = State::kInFlight;
  sent.copies = 0;
  sent.after = psn + 1;
  ++run.packet.index;
  if (PathSelector* const paths = policies_.path_selector; paths != nullptr)
    packet.common.entropy = sent.entropy = paths->entropy_for(short_psn(psn), now);
}

inline void PdcSender::take_turns() {
  if (has_several_owners())
    owners_.push_back(owners_.pop_front());
}

inline bool Pdc::may_send_fast(Time now) const {
  return sender_.may_send_fast(peer_window_, now) && notices_ == 0 && !receiver_.has_answer();
}

inline void Pdc::send_fast(wire::Packet& packet, const UetOptions& options, Time now) {
  WEFT_DCHECK(state_ == State::kOpen && fast_ && sender_.run()->next.uet.destination_pdc == peer_id_);
  if (!sender_.in_flight())
    heard_at_ = now;
  active_at_ = now;
  sender_.send_fast(packet, options, now);
}

inline bool Pdc::answer_fast(wire::Packet& packet, const UetOptions& options) {
  if (!receiver_.owes_plain_ack() || !fast_ || state_ != State::kOpen || notices_ != 0)
    return false;
  packet.common = template_;
  packet.common.flags |= wire::kControl;
  packet.uet.source_pdc = id_;
  packet.uet.destination_pdc = peer_id_;
  const bool asks_to_close = close_wanted_ && role_ == Role::kTarget;
  receiver_.fill_plain_ack(packet.uet, asks_to_close ? std::uint8_t{wire::kUetRequestClose} : std::uint8_t{0}, options);
  return true;
}

// The receiver.

inline bool Pdc::is_in_run(const wire::Packet& packet, std::uint32_t memory_version) const {
  const TakeRun& run = take_run_;
  return RunHeader::of(packet.uet) == run.header && packet.common.payload_bytes == run.payload &&
         packet.common.source == run.source && packet.uet.source_pdc == run.source_pdc &&
         memory_version == run.memory_version && *run.epoch_now == run.epoch &&
         packet.uet.request.buffer_offset - run.place <= run.room &&
         std::uint64_t{*run.received} + run.payload < run.length;
}

inline void Pdc::count_in_run(const wire::Packet& packet, Time now) {
  *take_run_.received += take_run_.payload;
  heard_at_ = active_at_ = now;
  answer_by_path_of(packet);
  notice_retries_ = credit_retries_ = 0;
}

inline bool PdcReceiver::take_in_turn(const wire::Packet& packet, const UetOptions& options) {
  const std::uint32_t psn = packet.uet.psn;
  if (psn != base_ || beyond_ != 0 || due_ != kNothing || packet.common.ecn == wire::Ecn::kCe ||
      packet.uet.has(wire::kUetAckRequest) || psn_distance(psn, asked_psn_) > 0)
    return false;
  base_ = psn + 1;
  received_bytes_ += packet.common.frame_bytes;
  bytes_since_ack_ += packet.common.frame_bytes;
  ack_psn_ = psn;
  ack_marked_ = false;
  if (bytes_since_ack_ >= static_cast<std::uint64_t>(options.ack_every.count()))
    due_ = kAck;
  return true;
}

inline bool Pdc::take_in_turn(const wire::Packet& packet, std::uint32_t memory_version, const UetOptions& options,
                              Time now) {
  if (!is_in_run(packet, memory_version) || !receiver_.take_in_turn(packet, options))
    return false;
  count_in_run(packet, now);
  return true;
}

inline bool Pdc::take_in_run(const wire::Packet& packet, const PdcCall& call) {
  if (!receiver_.take_new(packet, call))
    return false;
  count_in_run(packet, call.now);
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
  const bool progresses = psn_distance(sender_.una(), header.psn) >= 0;
  heard_at_ = call.now;
  if (sender_.has_path_selector())
    answer_by_path_of(packet);
  credit_retries_ = 0;
  if (!sender_.acknowledge_fast(packet, call) && !sender_.on_ack(packet, nullptr, call)) {
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
