#include "transport/uet/pdc.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"

namespace weft::transport {

void Pdc::open(const Opening& opening, const PdcCall& call) {
  WEFT_DCHECK(!live());
  template_ = opening.common;
  key_ = opening.key;
  role_ = opening.role;
  id_ = opening.id;
  peer_id_ = opening.peer_id;
  state_ = role_ == Role::kInitiator ? State::kSyn : State::kOpen;
  credit_ = opening.credit;
  fast_ = credit_ == nullptr && key_.mode == UetMode::kRud && call.options.fast_path;
  take_run_ = {};
  granted_ = {};
  sender_.open({.start_psn = opening.start_psn, .mode = key_.mode, .credit = credit_}, call.options, opening.policies);
  receiver_.open(opening.start_psn, call.options);
  active_at_ = heard_at_ = call.now;
  notice_due_ = credit_due_ = Time::never();
  credit_wait_ = call.options.timeout;
  idle_close_ = call.options.idle_close;
  probe_after_ = call.options.probe_after;
  probe_ = 0;
  ask_after_ = std::max(call.options.max_timeout, call.options.timeout);
  data_answers_.clear();
  asked_psn_ = opening.start_psn - 1;
  peer_window_ = call.options.psn_window;
  users_ = 0;
  notices_ = notice_retries_ = credit_retries_ = 0;
  close_wanted_ = failed_ = closed_by_peer_ = closing_failed_ = cut_short_ = false;
  // The sizes of what most often leaves without being asked for; all other packets get theirs when they are made.
  wire::Packet ack;
  ack.common = template_;
  set_uet_sizes(ack, UetSizeClass::kControl, {.headers = Bytes(kPdsAckCcBytes)}, call.options.sizes);
  template_ = ack.common;
  ++call.counters.opened;
}

std::uint32_t Pdc::end_psn() const {
  if (role_ == Role::kTarget)
    return failed_ ? receiver_.base() + peer_window_ : receiver_.base();
  // CLOSE takes one; what comes late of the return direction must not look like that of the next context either.
  const std::uint32_t next = sender_.next() + 1;
  return psn_distance(next, receiver_.base()) > 0 ? receiver_.base() : next;
}

void Pdc::prepare(SendRun& run, const UetOptions& options) const {
  wire::Packet& packet = run.next;
  packet.uet.type = wire::UetType::kRudRequest;
  packet.uet.source_pdc = id_;
  packet.uet.destination_pdc = peer_id_;
  packet.common.flags =
      options.trimming ? std::uint8_t{wire::kUnordered | wire::kTrimmable} : std::uint8_t{wire::kUnordered};
  if (sender_.has_congestion_control())
    packet.common.ecn = wire::Ecn::kEct0;
  set_uet_sizes(packet, UetSizeClass::kData,
                {.headers = Bytes(kPdsRequestBytes + kSesStandardBytes), .payload = Bytes(packet.common.payload_bytes)},
                options.sizes);
}

bool Pdc::may_have_take_run(const wire::Packet& packet) const {
  return fast_ && state_ == State::kOpen && !close_wanted_ && key_.peer == packet.common.source &&
         peer_id_ == packet.uet.source_pdc && receiver_.may_have_run() &&
         receiver_.place_of(packet.uet.psn) == PdcReceiver::Place::kNew;
}

// Out of line: the fast path is to save no registers for it.
[[gnu::noinline]] bool Pdc::poll_transmit(const TransmitSlot& slot, const PdcCall& call) {
  if (!live())
    return false;
  start(slot);
  if (notices_ != 0) {
    fill_notice(slot, call);
    return true;
  }
  if (receiver_.has_answer()) {
    slot.packet.common.flags |= wire::kControl;
    const bool asks_to_close = close_wanted_ && role_ == Role::kTarget;
    receiver_.fill_answer(slot, static_cast<std::uint8_t>(asks_to_close ? wire::kUetRequestClose : 0), call);
    return true;
  }
  if (state_ != State::kOpen && state_ != State::kSyn)
    return false;
  const bool quiet = !sender_.in_flight();
  if (!sender_.poll_transmit(slot, most_in_flight(), call)) {
    settle(call);
    return false;
  }
  if (quiet)
    heard_at_ = call.now;
  watch_credit(call.now);
  finish_request(slot, call);
  return true;
}

void Pdc::start(const TransmitSlot& slot) const {
  slot.packet.common = template_;
  std::memset(static_cast<void*>(&slot.packet.uet), 0, sizeof(slot.packet.uet));
  slot.packet.uet.source_pdc = id_;
  slot.packet.uet.destination_pdc = peer_id_;
}

//= uet-1.0 3.5
void Pdc::finish_request(const TransmitSlot& slot, const PdcCall& call) {
  wire::UetHeader& header = slot.packet.uet;
  const bool rud = key_.mode == UetMode::kRud;
  if (credit_ == nullptr) {
    header.type = rud ? wire::UetType::kRudRequest : wire::UetType::kRodRequest;
  } else {
    header.type = rud ? wire::UetType::kRudCcRequest : wire::UetType::kRodCcRequest;
  }
  if (state_ == State::kSyn) {
    header.flags |= wire::kUetSyn;
    header.psn_offset = static_cast<std::int16_t>(header.psn - sender_.start());
  } else {
    header.psn_offset = static_cast<std::int16_t>(sender_.una() - 1 - header.psn);
  }
  if (key_.mode == UetMode::kRud)
    slot.packet.common.flags |= wire::kUnordered;
  if (call.options.trimming && slot.packet.common.payload_bytes > 0)
    slot.packet.common.flags |= wire::kTrimmable;
  active_at_ = call.now;
}

void Pdc::fill_notice(const TransmitSlot& slot, const PdcCall& call) {
  wire::UetHeader& header = slot.packet.uet;
  const auto bit = static_cast<std::uint8_t>(notices_ & -notices_);
  notices_ = static_cast<std::uint8_t>(notices_ & ~bit);
  slot.packet.common.flags |= wire::kControl;
  header.type = wire::UetType::kControl;
  header.flags = static_cast<std::uint8_t>(key_.mode == UetMode::kRod ? wire::kUetControlRod : 0);
  wire::UetControl what = wire::UetControl::kNoOperation;
  switch (static_cast<Notice>(bit)) {
    case kClear:
      what = wire::UetControl::kClear;
      header.psn = sender_.una() - 1;
      break;
    case kClose:
      what = wire::UetControl::kClose;
      header.psn = close_psn_;
      break;
    case kCloseRequest:
      what = wire::UetControl::kCloseRequest;
      header.psn = receiver_.base() - 1;
      break;
    case kProbe:
      what = wire::UetControl::kProbe;
      header.psn = sender_.next() - 1;
      header.flags |= wire::kUetAckRequest;
      ++call.counters.probes;
      header.psn_offset = ++probe_;
      probed_at_ = call.now;
      break;
    case kCredit:
      what = wire::UetControl::kCredit;
      header.psn = receiver_.base() - 1;
      header.notice.payload = granted_.value();
      break;
    case kCreditRequest:
      what = wire::UetControl::kCreditRequest;
      header.psn = sender_.next() - 1;
      header.flags |= wire::kUetAckRequest;
      header.notice.payload = sender_.credit_target(call).value();
      ++call.counters.credit_requests;
      break;
    case kAckRequest:
      what = wire::UetControl::kAckRequest;
      header.psn = asked_psn_;
      header.flags |= wire::kUetAckRequest;
      break;
  }
  header.notice.code = static_cast<std::uint8_t>(what);
  set_uet_sizes(slot.packet, UetSizeClass::kControl, {.headers = Bytes(kPdsNoticeBytes)}, call.options.sizes);
}

Time Pdc::close_due() const {
  if (state_ == State::kClosing || !notice_due_.is_never())
    return notice_due_;
  // The target waits longer, since the initiator should be the one to close.
  const Duration span = role_ == Role::kInitiator ? idle_close_ : idle_close_ * 4;
  return idle() ? active_at_ + span : Time::never();
}

// A request that has been delivered, and whose answer is late: the target may have nobody left who could give it.
Time Pdc::ask_due() const {
  const bool can = sender_.awaits() || sender_.knows_all_awaited();
  return users_ > 0 && state_ == State::kOpen && sender_.drained() && can ? heard_at_ + ask_after_ : Time::never();
}

Time Pdc::next_timeout_of_all() const {
  if (!live())
    return Time::never();
  Time soonest = earlier(sender_.next_timeout(), credit_due_);
  // With packets to send or under way none of the others is due, but for the notice of a target that asks to close.
  if (sender_.drained() || state_ == State::kClosing || !notice_due_.is_never())
    soonest = earlier(soonest, earlier(close_due(), ask_due()));
  if (probe_after_ > Duration::zero() && sender_.in_flight() && state_ == State::kOpen)
    soonest = earlier(soonest, heard_at_ + probe_after_);
  return soonest;
}

void Pdc::on_timeout(const PdcCall& call) {
  if (!live())
    return;
  if (sender_.on_timeout(call) == PdcSender::Outcome::kGivesUp) {
    fail(call);
    return;
  }
  if (probe_after_ > Duration::zero() && sender_.in_flight() && state_ == State::kOpen &&
      heard_at_ + probe_after_ <= call.now) {
    notices_ |= kProbe;
    heard_at_ = call.now;
  }
  ask_for_credit(call);
  if (!live())
    return;
  if (ask_due() <= call.now) {
    if (!sender_.awaits()) {
      fail(call);  // by the peer's account all answers have been given
      return;
    }
    asked_psn_ = sender_.next_awaited();
    notices_ |= kAckRequest;
    heard_at_ = call.now;
  }
  if (close_due() <= call.now)
    go_on_closing(call);
}

void Pdc::go_on_closing(const PdcCall& call) {
  if (notice_due_.is_never()) {
    want_close(call);
  } else if (notice_retries_ == call.options.max_retries) {
    closing_failed_ = true;
    fail(call);  // the peer has gone
  } else {
    ++notice_retries_;
    notice_due_ = call.now + call.options.timeout;
    notices_ |= state_ == State::kClosing ? kClose : kCloseRequest;
  }
}

void Pdc::want_close(const PdcCall& call) {
  if (!live() || state_ == State::kClosing)
    return;
  close_wanted_ = true;
  end_runs();
  if (state_ == State::kSyn && idle()) {
    // What it was opened for failed at this end: no target knows of it, and none could be told, as its number is not
    // known.
    finish(call);
  } else if (role_ == Role::kInitiator) {
    settle(call);
  } else if (notice_due_.is_never()) {
    notices_ |= kCloseRequest;
    notice_due_ = call.now + call.options.timeout;
  }
}

// What a call may have led to: with nothing under way, a context that is to close does so.
void Pdc::settle(const PdcCall& call) {
  if (close_wanted_ && role_ == Role::kInitiator && state_ == State::kOpen && idle())
    begin_close(call);
}

void Pdc::begin_close(const PdcCall& call) {
  end_runs();
  state_ = State::kClosing;
  close_psn_ = sender_.next();
  notices_ |= kClose;
  notice_retries_ = 0;
  notice_due_ = call.now + call.options.timeout;
}

void Pdc::finish(const PdcCall& call) {
  end_runs();
  state_ = State::kDone;
  cut_short_ = !sender_.drained();
  sender_.close();
  ++call.counters.closed;
}

void Pdc::fail(const PdcCall& call) {
  if (!live())
    return;
  end_runs();
  state_ = State::kDone;
  failed_ = true;
  ++call.counters.failed;
}

}  // namespace weft::transport
