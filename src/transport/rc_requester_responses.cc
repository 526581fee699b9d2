// The requester's reaction to what comes back: acknowledgements, NAKs, READ data, timeouts.
#include <algorithm>
#include <optional>
#include <span>

#include "transport/rc_requester.h"
#include "transport/rc_timing.h"
#include "wire/aeth_syndrome.h"

namespace weft::transport {

void RcRequester::on_response(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  echoed_telemetry_ = received.packet.has(wire::kTelemetry) ? &received.cold.telemetry : nullptr;
  if (selective_ != nullptr && received.packet.has(wire::kHasCold) && header.psn + 1 == hot_.una) {
    // Nothing new in order, but later packets have arrived.
    selective_->on_sack(hot_.una, received.cold.sack, hot_.end);
    if (echoed_telemetry_ != nullptr)
      report_ack(0, call.core, call.now);
    if (selective_->has_retransmission())
      report_loss(LossSign::kDetected, call.core, call.now);
    return;
  }
  // Stale and forged numbers change nothing.
  //= ibta-1.7 9.7.6
  if (header.psn < hot_.una || header.psn >= hot_.end) {
    ++call.counters().discarded;
    return;
  }
  echoed_mark_ = header.has(wire::kBthBecn);
  echoed_entropy_ = received.packet.common.entropy;
  if (echoed_mark_)
    on_congestion(call);
  const wire::Operation operation = wire::operation_of(header.opcode);
  if (operation == wire::Operation::kAcknowledge) {
    on_acknowledge(received, call);
  } else {
    on_data_response(received, call);
  }
}

void RcRequester::on_acknowledge(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  switch (wire::syndrome_kind(header.aeth.syndrome)) {
    case wire::SyndromeKind::kAck:
      update_credits(header.aeth);
      acknowledge_through(header.psn, call);
      if (selective_ != nullptr && received.packet.has(wire::kHasCold) && !failed_) {
        selective_->on_sack(header.psn + 1, received.cold.sack, hot_.end);
        if (selective_->has_retransmission())
          report_loss(LossSign::kDetected, call.core, call.now);
      }
      return;
    case wire::SyndromeKind::kNak:
      // A code that is reserved, or of another service, acknowledges nothing.
      if (wire::nak_code(header.aeth.syndrome).value_or(wire::NakCode::kInvalidRdRequest) ==
          wire::NakCode::kInvalidRdRequest) {
        ++call.counters().discarded;
        return;
      }
      [[fallthrough]];
    case wire::SyndromeKind::kRnrNak:
      // A NAK acknowledges everything before its own PSN. If an answer is missing before it, the NAK will come again.
      //= ibta-1.7 9.7.6
      if (header.psn > hot_.una)
        acknowledge_through(header.psn - 1, call);
      if (!failed_ && hot_.una == header.psn)
        on_nak(header.aeth.syndrome, call);
      return;
    case wire::SyndromeKind::kReserved:
      ++call.counters().discarded;
      return;
  }
}

void RcRequester::on_nak(std::uint8_t syndrome, const RcCall& call) {
  if (wire::syndrome_kind(syndrome) == wire::SyndromeKind::kRnrNak) {
    on_receiver_not_ready(wire::rnr_timer(wire::syndrome_code(syndrome)), call);
    return;
  }
  switch (*wire::nak_code(syndrome)) {
    case wire::NakCode::kPsnSequenceError:
      ++call.counters().packet_seq_err;
      // Already going back to this very packet.
      if (hot_.next == hot_.una)
        return;
      if (take_retry(call))
        resend_from(hot_.una, call);
      return;
    case wire::NakCode::kInvalidRequest:
      fail_front(verbs::WcStatus::kRemInvReqErr, call);
      return;
    case wire::NakCode::kRemoteAccessError:
      fail_front(verbs::WcStatus::kRemAccessErr, call);
      return;
    case wire::NakCode::kRemoteOperationalError:
      fail_front(verbs::WcStatus::kRemOpErr, call);
      return;
    case wire::NakCode::kInvalidRdRequest:
      return;
  }
}

// Wait, then send again from the packet that found no receive request; a retry count of 7 means for ever.
//= ibta-1.7 9.7.5.2.8
void RcRequester::on_receiver_not_ready(Duration wait, const RcCall& call) {
  ++call.counters().rnr_nak_retry_err;
  if (call.attributes().rnr_retry != 7) {
    if (rnr_retries_left_ == 0) {
      fail_front(verbs::WcStatus::kRnrRetryExcErr, call);
      return;
    }
    --rnr_retries_left_;
  }
  if (selective_ != nullptr)
    selective_->clear();
  rewind();
  hot_.not_before = later(hot_.not_before, call.now + wait);
}

// READ data or the answer of an atomic: exactly the next expected packet, or a gap, or a repetition.
void RcRequester::on_data_response(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  SendWqe* const wqe = oldest_unanswered();
  if (wqe == nullptr) {
    ++call.counters().discarded;
    return;
  }
  const Psn expected = wqe->first_psn + wqe->responses;
  if (header.psn < expected)
    return;
  if (header.psn > expected) {
    //= ibta-1.7 9.7.6
    acknowledge_through(expected, call);
    return;
  }
  accept_response(*wqe, received, call);
}

void RcRequester::accept_response(SendWqe& wqe, const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const std::uint32_t mtu = static_cast<std::uint32_t>(verbs::to_bytes(call.attributes().path_mtu).count());
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  const bool last = wqe.responses + 1 == wqe.packets;
  const std::uint64_t offset = std::uint64_t{wqe.responses} * mtu;
  const bool is_atomic_answer = wire::operation_of(header.opcode) == wire::Operation::kAtomicAcknowledge;
  const auto due = wqe.is_atomic() ? 0U : static_cast<std::uint32_t>(std::min<std::uint64_t>(wqe.length - offset, mtu));
  // A request that was repeated from its middle is answered with a first packet there, so only the very first place
  // tells whether a first packet is due.
  const bool out_of_place = info.last != last || (wqe.responses == 0 && !info.first);
  const bool refuses = info.aeth && wire::syndrome_kind(header.aeth.syndrome) != wire::SyndromeKind::kAck;
  if (is_atomic_answer != wqe.is_atomic() || out_of_place || refuses || received.packet.common.payload_bytes != due) {
    //= ibta-1.7 9.7.6
    fail_front(verbs::WcStatus::kBadRespErr, call);
    return;
  }
  const bool carries_bytes = !received.payload.empty() || is_atomic_answer;
  if (carries_bytes && wqe.sg_list.check(call.context.memory(), call.core.init().pd, verbs::kAccessLocalWrite) !=
                           verbs::AccessFault::kNone) {
    advance(header.psn, call);
    fail_front(verbs::WcStatus::kLocProtErr, call);
    return;
  }
  if (is_atomic_answer) {
    const std::uint64_t original = header.aeth.original_data;
    wqe.sg_list.scatter(call.context.memory(), 0, std::as_bytes(std::span(&original, 1)));
  } else if (!received.payload.empty()) {
    wqe.sg_list.scatter(call.context.memory(), offset, received.payload);
  }
  if (info.aeth)
    update_credits(header.aeth);
  if (++wqe.responses == wqe.packets)
    --unanswered_;
  advance(header.psn + 1, call);
}

//= ibta-1.7 9.7.7.2
void RcRequester::update_credits(const wire::AethFields& aeth) {
  if (wire::syndrome_kind(aeth.syndrome) != wire::SyndromeKind::kAck)
    return;
  const std::uint8_t code = wire::syndrome_code(aeth.syndrome);
  credits_known_ = code != wire::kCreditsNotUsed;
  hurdles_ |= credits_known_;
  if (credits_known_)
    credit_limit_ = aeth.msn + *wire::credits_of_code(code);
}

SendWqe* RcRequester::oldest_unanswered() {
  if (unanswered_ == 0)
    return nullptr;
  for (std::uint32_t i = 0; i < hot_.queue.size() && hot_.queue[i].started; ++i) {
    if (!hot_.queue[i].answered())
      return &hot_.queue[i];
  }
  return nullptr;
}

SendWqe* RcRequester::request_of(Psn psn) {
  for (std::uint32_t i = 0; i < hot_.queue.size() && hot_.queue[i].started; ++i) {
    if (psn < hot_.queue[i].end_psn())
      return &hot_.queue[i];
  }
  return nullptr;
}

// Everything up to `psn` has arrived at the peer. An answer that should have come before counts as lost.
//= ibta-1.7 9.7.6
void RcRequester::acknowledge_through(Psn psn, const RcCall& call) {
  if (const SendWqe* const wqe = oldest_unanswered(); wqe != nullptr) {
    const Psn expected = wqe->first_psn + wqe->responses;
    if (expected <= psn) {
      advance(expected, call);
      if (failed_ || hot_.gap_handled || hot_.next == hot_.una)
        return;
      ++call.counters().implied_nak_seq_err;
      if (take_retry(call))
        resend_from(expected, call);
      return;
    }
  }
  advance(psn + 1, call);
}

void RcRequester::advance(Psn una, const RcCall& call) {
  const std::int32_t progress = una - hot_.una;
  if (progress <= 0)
    return;
  hot_.una = una;
  hot_.gap_handled = false;
  // Progress makes all retries available again.
  retries_left_ = call.attributes().retry_count;
  rnr_retries_left_ = call.attributes().rnr_retry;
  restart_deadline(call);
  if (selective_ != nullptr)
    selective_->advance(una);
  while (!failed_ && !hot_.queue.empty()) {
    const SendWqe& front = hot_.queue.front();
    if (!front.started || front.end_psn() > una || !front.answered())
      break;
    complete_front(call);
  }
  if (hot_.next < una)
    rewind();
  if (wants_acks_)
    report_ack(progress, call.core, call.now);
}

void RcRequester::report_ack(std::int32_t progress, const RcCore& core, Time now) {
  AckSample sample{.rtt = Duration::picoseconds(-1),
                   .acknowledged = verbs::to_bytes(core.attributes().path_mtu) * progress,
                   .marked = echoed_mark_,
                   .entropy = echoed_entropy_,
                   .telemetry = echoed_telemetry_};
  if (echoed_telemetry_ != nullptr) {
    sample.rtt = echoed_telemetry_->age(now);
  } else if (sampling_ && hot_.una > sample_psn_) {
    sampling_ = false;
    sample.rtt = now - sample_sent_;
  }
  core.options.congestion_control->on_ack(sample, now);
  refresh_window(core, now);
}

void RcRequester::report_loss(LossSign sign, const RcCore& core, Time now) {
  if (!wants_acks_)
    return;
  core.options.congestion_control->on_loss(sign, now);
  refresh_window(core, now);
}

void RcRequester::complete_front(const RcCall& call) {
  const SendWqe wqe = hot_.queue.pop_front();
  if (hot_.cursor > 0) {
    --hot_.cursor;
    if (wqe.expects_response())
      --hot_.reads_in_flight;
  } else {
    hot_.cursor_packet = 0;
  }
  if (!wqe.is_signaled())
    return;
  const bool accepted =
      call.core.complete_send(send_completion(wqe, call.core.identity().qpn, verbs::WcStatus::kSuccess), call.context);
  if (!accepted)
    failed_ = true;
}

// Continue sending at `una`, which the front of the queue holds.
void RcRequester::rewind() {
  hot_.next = hot_.una;
  hot_.cursor = 0;
  hot_.reads_in_flight = 0;
  hot_.cursor_packet = 0;
  sampling_ = false;
  if (hot_.queue.empty())
    return;
  const SendWqe& front = hot_.queue.front();
  if (front.started && !front.expects_response()) {
    hot_.cursor_packet = static_cast<std::uint32_t>(hot_.una - front.first_psn);
  }
}

void RcRequester::resend_from(Psn psn, const RcCall& call) {
  hot_.gap_handled = true;
  report_loss(LossSign::kDetected, call.core, call.now);
  if (PathSelector* const path = call.options().path_selector; path != nullptr) {
    path->on_loss(path->entropy_for(psn, call.now), call.now);
  }
  if (selective_ != nullptr) {
    selective_->request(psn);
  } else {
    rewind();
  }
}

bool RcRequester::take_retry(const RcCall& call) {
  if (retries_left_ == 0) {
    fail_front(verbs::WcStatus::kRetryExcErr, call);
    return false;
  }
  --retries_left_;
  return true;
}

void RcRequester::fail_front(verbs::WcStatus status, const RcCall& call) {
  failed_ = true;
  if (hot_.queue.empty())
    return;
  const SendWqe wqe = hot_.queue.pop_front();
  (void)call.core.complete_send(send_completion(wqe, call.core.identity().qpn, status), call.context);
}

//= ibta-1.7 9.7.6.1.3
void RcRequester::on_timeout(const RcCall& call) {
  if (hot_.next == hot_.una || call.now < hot_.deadline)
    return;
  ++call.counters().local_ack_timeout_err;
  if (!take_retry(call))
    return;
  hot_.gap_handled = false;
  restart_deadline(call);
  report_loss(LossSign::kTimeout, call.core, call.now);
  if (selective_ != nullptr) {
    selective_->on_timeout(hot_.next);
  } else {
    rewind();
  }
}

void RcRequester::on_congestion(const RcCall& call) {
  CongestionControl* const control = call.options().congestion_control;
  if (control == nullptr)
    return;
  ++call.counters().cnp_handled;
  control->on_congestion(call.now);
  refresh_window(call.core, call.now);
}

}  // namespace weft::transport
