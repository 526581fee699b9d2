// What acknowledgements and NACKs do to the sending half of a context.
#include <algorithm>
#include <bit>

#include "base/assert.h"
#include "transport/uet/pdc_sender.h"

namespace weft::transport {

// An acknowledgement with credit does not say what was received.
wire::uet::NsccState PdcSender::state_of(const wire::UetHeader& header) const {
  if (header.cc_type != static_cast<std::uint8_t>(wire::uet::CcType::kCredit))
    return wire::uet::NsccState::unpack(header.ack.cc_state);
  return {.rcvd_bytes = received_bytes_, .ooo_count = wire::uet::CreditState::unpack(header.ack.cc_state).ooo_count};
}

bool PdcSender::on_ack(const wire::Packet& packet, const wire::UetExtension* response, const PdcCall& call) {
  const wire::UetHeader& header = packet.uet;
  const std::uint32_t answered = answered_by(header);
  const std::uint32_t from = header.psn + static_cast<std::uint32_t>(std::int32_t{header.sack_offset});
  if (psn_distance(header.psn, next_) <= 0 || psn_distance(header.psn, una_) > 65'536)
    return false;
  std::uint64_t bits = header.ack.sack_bitmap;
  if (bits != 0) {
    const std::uint32_t highest = from + static_cast<std::uint32_t>(std::bit_width(bits)) - 1;
    if (psn_distance(highest, next_) <= 0)
      return false;
  }
  if (credit_ != nullptr)
    take_credit(header);
  Tally tally;
  if (was_sent(answered)) {
    const Sent& sent = record(answered);
    tally.entropy = sent.entropy;
    tally.known = true;
    // Sent once, or twice and it is the second one that has come: then it is known when that one left.
    const std::uint8_t copies = header.has(wire::kUetRetransmit) ? 1 : 0;
    if (sent.copies == copies && sent.state == State::kInFlight) {
      tally.rtt = call.now - sent.at;
      note_round_trip(tally.rtt);
    }
    if (response != nullptr && sent.state != State::kDelivered) {
      if (sent.packet.owner != SesPacket::kNobody)
        call.client.on_response(sent.packet, *response, call.now);
      // The client may have forgotten its packets meanwhile; the place is the same.
      record(answered).packet.owner = SesPacket::kNobody;
      alike_from_ = next_;
      delivered_.set(short_psn(answered));
      deliver(record(answered), tally, call);
    }
  }
  take_cumulative(header.psn, tally, call);
  if (bits != 0)
    take_bitmap(from, bits, tally, call);
  drop_delivered();
  wire::uet::NsccState state = state_of(header);
  report(packet, state, tally, call);
  // Those before the oldest one, which a response or a later acknowledgement has delivered, have not overtaken it.
  const std::uint32_t passed = una_ - (header.psn + 1);
  state.ooo_count = static_cast<std::uint16_t>(state.ooo_count - std::min<std::uint32_t>(state.ooo_count, passed));
  if (bits != 0)
    detect_by_count(state, from + static_cast<std::uint32_t>(std::bit_width(bits)) - 1, call);
  return true;
}

// on_ack, where there is no bitmap to look at, and no response.
bool PdcSender::acknowledge_fast(const wire::Packet& packet, const PdcCall& call) {
  const wire::UetHeader& header = packet.uet;
  const std::uint32_t answered = answered_by(header);
  const std::uint32_t in_window = next_ - una_;
  if (header.ack.sack_bitmap != 0 || header.cc_type != 0 || header.psn - una_ >= in_window ||
      answered - una_ >= in_window)
    return false;
  const Sent& sent = record(answered);
  Tally tally{.entropy = sent.entropy, .known = true};
  if (sent.copies == 0 && sent.state == State::kInFlight) {
    tally.rtt = call.now - sent.at;
    note_round_trip(tally.rtt);
  }
  take_cumulative(header.psn, tally, call);
  drop_delivered();
  report(packet, wire::uet::NsccState::unpack(header.ack.cc_state), tally, call);
  return true;
}

// Whoever calls it keeps the bitmap.
void PdcSender::deliver(Sent& sent, Tally& tally, const PdcCall& call) {
  leave_flight(sent);
  tally.bytes += sent.size;
  sent.state = State::kDelivered;
  if (sent.packet.owner != SesPacket::kNobody) {
    const SesPacket packet = sent.packet;
    call.client.on_delivered(packet, call.now);
  }
}

void PdcSender::take_cumulative(std::uint32_t cumulative, Tally& tally, const PdcCall& call) {
  while (una_ != next_ && psn_distance(una_, cumulative) >= 0) {
    if (call.options.fast_path && take_run(cumulative, tally, call)) [[likely]]
      continue;
    take_front(tally, call);
  }
}

void PdcSender::take_front(Tally& tally, const PdcCall& call) {
  if (Sent& sent = record(una_); sent.state != State::kDelivered) {
    deliver(sent, tally, call);
  } else {
    delivered_.reset(short_psn(una_));
  }
  ++una_;
}

// Packets in a row of one message, none of them its last: SES counts them, and nothing else follows.
bool PdcSender::take_run(std::uint32_t cumulative, Tally& tally, const PdcCall& call) {
  const SesPacket first = record(una_).packet;
  const std::uint32_t end = una_ + std::min(cumulative - una_ + 1, next_ - una_);
  const bool alike = psn_distance(alike_from_, una_) >= 0;
  std::uint64_t bytes = alike ? std::uint64_t{end - una_} * record(una_).size : 0;
  std::uint32_t psn = alike ? end : una_;
  for (; psn != end; ++psn) {
    const Sent& sent = record(psn);
    if (sent.state != State::kInFlight || sent.packet.whole() != first.whole())
      break;
    bytes += sent.size;
  }
  std::uint32_t count = psn - una_;
  if (count == 0 || first.owner == SesPacket::kNobody)
    return false;
  const std::uint32_t taken = call.client.count_delivered(first, count);
  for (; count > taken; --count)
    bytes -= record(una_ + count - 1).size;
  WEFT_DCHECK(in_flight_ >= bytes);
  in_flight_ -= bytes;
  tally.bytes += bytes;
  una_ += taken;
  return taken > 0;
}

// Only what is new in the bitmap is looked at: most of it has been told before.
void PdcSender::take_bitmap(std::uint32_t from, std::uint64_t bits, Tally& tally, const PdcCall& call) {
  if (const std::int32_t behind = psn_distance(from, una_); behind > 0) {
    if (behind >= 64)
      return;
    bits >>= behind;
    from = una_;
  }
  if (const std::int32_t left = psn_distance(from, next_); left < 64)
    bits &= low_bits(static_cast<std::uint32_t>(std::max(left, 0)));
  bits &= ~delivered_.bits_from(short_psn(from));
  if (bits != 0)
    alike_from_ = next_;
  while (bits != 0) {
    const std::uint32_t psn = from + static_cast<std::uint32_t>(std::countr_zero(bits));
    bits &= bits - 1;
    delivered_.set(short_psn(psn));
    deliver(record(psn), tally, call);
  }
}

void PdcSender::drop_delivered() {
  while (una_ != next_ && record(una_).state == State::kDelivered) {
    delivered_.reset(short_psn(una_));
    ++una_;
  }
}

void PdcSender::report(const wire::Packet& packet, const wire::uet::NsccState& state, const Tally& tally,
                       const PdcCall& call) {
  const bool marked = packet.uet.has(wire::kUetMarked);
  if (PathSelector* const paths = policies_.path_selector; tally.known && paths != nullptr && paths->wants_feedback())
    paths->on_ack(tally.entropy, marked ? PathMark::kMarked : PathMark::kNone, call.now);
  // The running count wraps; what an older acknowledgement tells has been counted already.
  const std::uint32_t received = (state.rcvd_bytes - received_bytes_) & 0xFFFFFFU;
  const bool older = received >= 0x800000U;
  if (!older)
    received_bytes_ = state.rcvd_bytes;
  if (policies_.congestion_control == nullptr || !policies_.congestion_control->wants_acks())
    return;
  policies_.congestion_control->on_ack({.rtt = tally.rtt,
                                        .acknowledged = Bytes(static_cast<std::int64_t>(tally.bytes)),
                                        .marked = marked,
                                        .receiver_penalty = state.rcv_cwnd_pend,
                                        .entropy = tally.entropy,
                                        .out_of_order = state.ooo_count,
                                        .received = Bytes(older ? 0 : received),
                                        .in_flight = Bytes(static_cast<std::int64_t>(in_flight_))},
                                       call.now);
  read_window(call.now);
}

void PdcSender::read_window(Time now) {
  if (policies_.congestion_control != nullptr)
    window_ = static_cast<std::uint64_t>(std::max<std::int64_t>(policies_.congestion_control->window(now).count(), 1));
  set_room();
}

// SLEEK: once enough others have overtaken the oldest packet, everything that any has overtaken counts as lost. One
// that was sent again is overtaken by what departed later still. Congestion control is told once per window.
void PdcSender::detect_by_count(const wire::uet::NsccState& state, std::uint32_t highest, const PdcCall& call) {
  if (!call.options.loss_by_count || una_ == next_ || record(una_).state != State::kInFlight)
    return;
  const Sent& oldest = record(una_);
  const std::uint32_t after = oldest.after;
  const std::uint32_t overtaking = oldest.copies > 0 ? delivered_between(after, highest) : state.ooo_count;
  const std::uint64_t size = std::max<std::uint64_t>(oldest.size, 1);
  const std::uint64_t window = window_ == ~0ULL ? in_flight_ : window_;
  const std::uint64_t allowed =
      std::min(window + window / 2, static_cast<std::uint64_t>(call.options.loss_window.count()));
  if (overtaking <= std::max<std::uint64_t>(allowed / size, call.options.least_out_of_order))
    return;
  for (std::uint32_t psn = una_; psn_distance(psn, highest) > 0; ++psn) {
    const Sent& sent = record(psn);
    if (sent.state == State::kInFlight && (sent.copies == 0 || psn_distance(sent.after, after) >= 0))
      infer_loss(psn, call);
  }
  tell_of_inferred_loss(call);
}

std::uint32_t PdcSender::delivered_between(std::uint32_t first, std::uint32_t last) const {
  std::uint32_t sum = 0;
  for (std::int32_t left = psn_distance(first, last) + 1; left > 0; left -= 64, first += 64) {
    const std::uint64_t bits = delivered_.bits_from(short_psn(first)) & low_bits(static_cast<std::uint32_t>(left));
    sum += static_cast<std::uint32_t>(std::popcount(bits));
  }
  return sum;
}

void PdcSender::infer_loss(std::uint32_t psn, const PdcCall& call) {
  Sent& sent = record(psn);
  if (policies_.path_selector != nullptr)
    policies_.path_selector->on_loss(sent.entropy, PathLoss::kOther, call.now);
  lose(psn, sent);
}

void PdcSender::tell_of_inferred_loss(const PdcCall& call) {
  if (psn_distance(recovery_end_, una_) < 0)
    return;
  recovery_end_ = next_;
  if (policies_.congestion_control != nullptr) {
    policies_.congestion_control->on_loss(LossEvent::kDetected, call.now);
    read_window(call.now);
  }
}

// Like a timeout, it counts: a packet that only ever probes miss would otherwise be sent for ever.
void PdcSender::on_probe_answer(const wire::UetHeader& header, Time departed, const PdcCall& call) {
  const std::uint32_t first = header.psn + static_cast<std::uint32_t>(std::int32_t{header.sack_offset});
  bool any = false;
  for (std::uint32_t psn = psn_distance(first, una_) > 0 ? una_ : first; psn - first < 64 && was_sent(psn); ++psn) {
    Sent& sent = record(psn);
    if (sent.state != State::kInFlight || sent.at > departed || sent.retries == call.options.max_retries)
      continue;
    ++sent.retries;
    infer_loss(psn, call);
    any = true;
  }
  if (any)
    tell_of_inferred_loss(call);
  if (in_order_ && any)
    go_back_to_first_lost();
}

void PdcSender::on_trimmed(std::uint32_t psn, TrimmedAt place, const PdcCall& call) {
  Sent& sent = record(psn);
  if (sent.state != State::kInFlight)
    return;
  const Duration rtt = sent.copies > 0 ? Duration::picoseconds(-1) : call.now - sent.at;
  lose(psn, sent);
  // A packet trimmed at the link to its receiver has shown that its path is good.
  const bool last_hop = place == TrimmedAt::kLastHop;
  if (PathSelector* const paths = policies_.path_selector; paths != nullptr && paths->wants_feedback()) {
    if (last_hop) {
      paths->on_ack(sent.entropy, PathMark::kNone, call.now);
    } else {
      paths->on_loss(sent.entropy, PathLoss::kTrimmed, call.now);
    }
  }
  if (policies_.congestion_control != nullptr) {
    policies_.congestion_control->on_trim({.rtt = rtt,
                                           .size = Bytes(sent.size),
                                           .in_flight = Bytes(static_cast<std::int64_t>(in_flight_)),
                                           .entropy = sent.entropy,
                                           .last_hop = last_hop},
                                          call.now);
    read_window(call.now);
  }
}

void PdcSender::on_inferred_loss(std::uint32_t psn, const PdcCall& call) {
  Sent& sent = record(psn);
  const bool news = sent.state == State::kInFlight;
  lose(psn, sent);
  if (!news)
    return;
  if (policies_.path_selector != nullptr)
    policies_.path_selector->on_loss(sent.entropy, PathLoss::kOther, call.now);
  if (policies_.congestion_control != nullptr) {
    policies_.congestion_control->on_loss(LossEvent::kDetected, call.now);
    read_window(call.now);
  }
}

void PdcSender::on_refused(std::uint32_t psn, const wire::UetNoticeFields& notice, const PdcCall& call) {
  if (record(psn).state == State::kDelivered)
    return;
  const SesPacket packet = record(psn).packet;
  const Duration pause =
      packet.owner == SesPacket::kNobody ? Duration::zero() : call.client.on_refused(packet, notice, call.now);
  // The client may have failed, and forgotten its packets; what is left of this one is its place.
  if (pause == Duration::max())
    record(psn).packet.owner = SesPacket::kNobody;
  wait(record(psn), call.now + (pause == Duration::max() ? Duration::zero() : pause));
}

PdcSender::Outcome PdcSender::on_refused_for_now(std::uint32_t psn, const PdcCall& call) {
  Sent& sent = record(psn);
  if (sent.state != State::kInFlight)
    return Outcome::kGoesOn;
  if (sent.retries == call.options.max_retries)
    return Outcome::kGivesUp;
  wait(sent, call.now + timeout_of(sent, call.options));
  ++sent.retries;
  return Outcome::kGoesOn;
}

void PdcSender::go_back_to_first_lost() {
  for (std::uint32_t psn = una_; psn != next_; ++psn) {
    if (record(psn).state == State::kLost)
      return go_back(psn);
  }
}

void PdcSender::go_back(std::uint32_t psn) {
  lost_.clear();
  for (std::uint32_t other = una_; other != next_; ++other) {
    Sent& sent = record(other);
    if (sent.state == State::kLost) {
      lost_.push_back(other);
    } else if (sent.state == State::kInFlight && psn_distance(psn, other) >= 0) {
      lose(other, sent);
    }
  }
}

}  // namespace weft::transport
