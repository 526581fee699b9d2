#include "transport/uet/pdc_sender.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

void PdcSender::open(const Opening& opening, const UetOptions& options, const FlowPolicies& policies) {
  WEFT_DCHECK(una_ == next_);
  start_ = una_ = next_ = recovery_end_ = alike_from_ = opening.start_psn;
  in_order_ = opening.mode == UetMode::kRod;
  policies_ = policies;
  credit_ = opening.credit;
  if (delivered_.window() != options.psn_window) {
    delivered_ = PsnBitmap(PsnBitmap::window_for(options.psn_window));
  } else {
    delivered_.clear();
  }
  owners_.clear();
  lost_.clear();
  awaited_.clear();
  awaits_others_ = false;
  longest_ = Duration::zero();
  backed_off_at_ = Time::zero();
  doublings_ = 0;
  in_flight_ = lost_bytes_ = 0;
  received_bytes_ = 0;
  largest_ = 0;
  run_ = nullptr;
  not_before_ = Time::zero();
  deadline_ = waiting_until_ = Time::never();
  window_ = ~0ULL;
  read_window(Time::zero());
}

void PdcSender::restart(std::uint32_t start_psn) {
  for (std::uint32_t i = 0; i < awaited_.size(); ++i)
    awaited_[i] += start_psn - una_;
  sent_.rename({.first = una_, .count = next_ - una_}, start_psn);
  next_ = start_psn + (next_ - una_);
  start_ = una_ = recovery_end_ = start_psn;
  alike_from_ = next_;
  end_run();
  delivered_.clear();
  lost_.clear();
  if (credit_ != nullptr)
    credit_->restart();
  for (std::uint32_t psn = una_; psn != next_; ++psn) {
    Sent& sent = record(psn);
    leave_flight(sent);
    sent.state = State::kLost;
    lost_bytes_ += sent.size;
    lost_.push_back(psn);
  }
  deadline_ = waiting_until_ = Time::never();
}

bool PdcSender::poll_transmit(const TransmitSlot& slot, std::uint32_t most, const PdcCall& call) {
  if (!window_open() || not_before_ > call.now)
    return false;
  if (!lost_.empty() && send_again(slot, call))
    return true;
  return window_open() && next_ - una_ < most && send_new(slot, call);
}

bool PdcSender::send_again(const TransmitSlot& slot, const PdcCall& call) {
  while (!lost_.empty()) {
    const std::uint32_t psn = lost_.pop_front();
    if (!was_sent(psn) || record(psn).state != State::kLost)
      continue;
    Sent& sent = record(psn);
    std::uint16_t header = 0;
    if (sent.packet.owner != SesPacket::kNobody)
      header = call.client.make_again(sent.packet, slot, call.now);
    if (header == 0) {
      sent.packet.owner = SesPacket::kNobody;
      slot.packet.uet.request = {};  // no operation
      slot.packet.uet.set_target(wire::UetNextHeader::kNone, 0);
      slot.packet.common.payload_bytes = 0;
    }
    set_uet_sizes(slot.packet, UetSizeClass::kData,
                  {.headers = Bytes(request_bytes() + header), .payload = Bytes(slot.packet.common.payload_bytes)},
                  call.options.sizes);
    slot.packet.uet.flags = wire::kUetRetransmit | wire::kUetAckRequest;
    sent.copies = static_cast<std::uint8_t>(std::min(sent.copies + 1, 255));
    lost_bytes_ -= sent.size;
    ++call.counters.retransmissions;
    depart(slot, sent, psn, call);
    return true;
  }
  return false;
}

bool PdcSender::send_new(const TransmitSlot& slot, const PdcCall& call) {
  end_run();
  while (!owners_.empty()) {
    const std::uint32_t owner = owners_.pop_front();
    const SesNext made = call.client.make_next(owner, slot, call.now);
    if (made.more)
      owners_.push_back(owner);
    if (!made.made)
      continue;
    set_uet_sizes(
        slot.packet, UetSizeClass::kData,
        {.headers = Bytes(request_bytes() + made.header_bytes), .payload = Bytes(slot.packet.common.payload_bytes)},
        call.options.sizes);
    const std::uint32_t psn = next_;
    Sent& sent = new_record();
    sent = {.at = call.now, .packet = made.packet};
    if (made.expects_answer) [[unlikely]]
      await(psn);
    depart(slot, sent, psn, call);
    alike_from_ = next_;
    // With nothing behind it to bring an acknowledgement about, it asks for one.
    if (owners_.empty() || !window_open())
      slot.packet.uet.flags |= wire::kUetAckRequest;
    return true;
  }
  return false;
}

void PdcSender::depart(const TransmitSlot& slot, Sent& sent, std::uint32_t psn, const PdcCall& call) {
  wire::Packet& packet = slot.packet;
  packet.uet.psn = psn;
  sent.at = call.now;
  sent.state = State::kInFlight;
  sent.size = packet.common.frame_bytes;
  sent.after = next_;
  in_flight_ += sent.size;
  if (sent.size > largest_) [[unlikely]] {
    largest_ = sent.size;
    set_room();
  }
  if (policies_.congestion_control != nullptr) {
    packet.common.ecn = wire::Ecn::kEct0;
    const Duration gap = policies_.congestion_control->transmit(Bytes(packet.common.wire_bytes), call.now);
    if (gap > Duration::zero())
      not_before_ = later(not_before_, call.now) + gap;
  }
  if (policies_.path_selector != nullptr)
    packet.common.entropy = policies_.path_selector->entropy_for(short_psn(psn), call.now);
  sent.entropy = packet.common.entropy;
  if (credit_ != nullptr)
    spend_credit(slot, sent.size, call);
  arm(call.now + timeout_of(sent, call.options));
}

Duration PdcSender::timeout_of(const Sent& sent, const UetOptions& options) const {
  const Duration once = std::max(options.timeout, longest_ * 2);
  const unsigned doublings = std::min<unsigned>(std::max(sent.retries, doublings_), 16);
  return std::min(once * (std::int64_t{1} << doublings), std::max(options.max_timeout, once));
}

// Acknowledgements that name no packet sent once have no round trip: not below zero.
void PdcSender::note_round_trip(Duration rtt) {
  constexpr std::int64_t kForgetting = 64;
  longest_ = rtt > longest_ ? rtt : longest_ - (longest_ - rtt) / kForgetting;
  doublings_ = 0;
}

// At most once for what left before: one queue that has grown is the reason for all of it.
//= rfc6298 5
void PdcSender::back_off(Time departed, Time now) {
  constexpr std::uint8_t kMost = 16;
  if (departed >= backed_off_at_) {
    doublings_ = std::min<std::uint8_t>(static_cast<std::uint8_t>(doublings_ + 1), kMost);
    backed_off_at_ = now;
  }
}

void PdcSender::leave_flight(Sent& sent) {
  if (sent.state == State::kInFlight) {
    WEFT_DCHECK(in_flight_ >= sent.size);
    in_flight_ -= sent.size;
  } else if (sent.state == State::kLost) {
    WEFT_DCHECK(lost_bytes_ >= sent.size);
    lost_bytes_ -= sent.size;
  }
}

void PdcSender::lose(std::uint32_t psn, Sent& sent) {
  if (sent.state == State::kDelivered || sent.state == State::kLost)
    return;
  leave_flight(sent);
  sent.state = State::kLost;
  lost_bytes_ += sent.size;
  lost_.push_back(psn);
  alike_from_ = next_;
  end_run();
}

void PdcSender::wait(Sent& sent, Time until) {
  if (sent.state == State::kDelivered)
    return;
  leave_flight(sent);
  sent.state = State::kWaiting;
  alike_from_ = next_;
  sent.at = until;
  waiting_until_ = earlier(waiting_until_, until);
}

// Looks at all packets, which happens at most once per timeout or refusal.
PdcSender::Outcome PdcSender::on_timeout(const PdcCall& call) {
  if (next_timeout() > call.now)
    return Outcome::kGoesOn;
  deadline_ = waiting_until_ = Time::never();
  bool lost_any = false;
  for (std::uint32_t psn = una_; psn != next_; ++psn) {
    Sent& sent = record(psn);
    if (sent.state == State::kWaiting) {
      if (sent.at <= call.now) {
        lose(psn, sent);
      } else {
        waiting_until_ = earlier(waiting_until_, sent.at);
      }
      continue;
    }
    if (sent.state != State::kInFlight)
      continue;
    if (const Time due = sent.at + timeout_of(sent, call.options); due > call.now) {
      arm(due);
      continue;
    }
    if (sent.retries == call.options.max_retries)
      return Outcome::kGivesUp;
    ++sent.retries;
    back_off(sent.at, call.now);
    ++call.counters.timeouts;
    if (policies_.path_selector != nullptr)
      policies_.path_selector->on_loss(sent.entropy, PathLoss::kTimeout, call.now);
    lose(psn, sent);
    lost_any = true;
  }
  if (in_order_ && !lost_.empty())
    go_back_to_first_lost();
  if (lost_any && policies_.congestion_control != nullptr) {
    policies_.congestion_control->on_loss(LossEvent::kTimeout, call.now);
    read_window(call.now);
  }
  return Outcome::kGoesOn;
}

void PdcSender::await(std::uint32_t psn) {
  constexpr std::uint32_t kMost = 256;
  if (awaited_.size() == kMost) {
    (void)awaited_.pop_front();
    awaits_others_ = true;
  }
  awaited_.push_back(psn);
}

std::uint32_t PdcSender::next_awaited() {
  const std::uint32_t psn = awaited_.pop_front();
  awaited_.push_back(psn);
  return psn;
}

void PdcSender::forget_awaited(std::uint32_t psn) {
  for (std::uint32_t left = awaited_.size(); left > 0; --left) {
    if (const std::uint32_t other = awaited_.pop_front(); other != psn)
      awaited_.push_back(other);
  }
}

void PdcSender::close() {
  owners_.clear();
  una_ = next_;
  run_ = nullptr;
  lost_.clear();
  in_flight_ = lost_bytes_ = 0;
  credit_ = nullptr;
  deadline_ = waiting_until_ = Time::never();
}

void PdcSender::forget(std::uint32_t owner) {
  end_run();
  alike_from_ = next_;
  for (std::uint32_t psn = una_; psn != next_; ++psn) {
    if (record(psn).packet.owner == owner)
      record(psn).packet.owner = SesPacket::kNobody;
  }
  for (std::uint32_t left = owners_.size(); left > 0; --left) {
    if (const std::uint32_t other = owners_.pop_front(); other != owner)
      owners_.push_back(other);
  }
}

}  // namespace weft::transport
