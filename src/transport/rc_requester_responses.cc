// The requester's reaction to what comes back: acknowledgements, NAKs, READ data, timeouts.
#include <algorithm>
#include <optional>
#include <span>

#include "base/assert.h"
#include "transport/rc_requester.h"
#include "transport/rc_timing.h"
#include "wire/aeth_syndrome.h"

namespace weft::transport {

void RcRequester::on_response(const ReceivedPacket& received, const RcCall& call) {
  if (!received.packet.has(wire::kTelemetry)) {
    process_response(received, call);
    return;
  }
  call.core.cold_state().echoed = &received.cold.telemetry;
  process_response(received, call);
  call.core.cold_state().echoed = nullptr;
}

void RcRequester::process_response(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  if (selective_ != nullptr && header.opcode == wire::kOpcodeSack) {
    on_selective_acknowledge(received, call);
    return;
  }
  // Stale and forged numbers change nothing.
  //= ibta-1.7 9.7.6
  if (header.psn < hot_.una || header.psn >= hot_.end) {
    ++call.counters().discarded;
    return;
  }
  take_echoes(received.packet, call);
  const wire::Operation operation = wire::operation_of(header.opcode);
  if (operation == wire::Operation::kAcknowledge) {
    on_acknowledge(received, call);
  } else if (by_time()) {
    on_any_data_response(received, call);
  } else {
    on_data_response(received, call);
  }
  if (by_time() && !failed_)
    find_losses(call);
}

// What an answer brings back from the path: the mark and the entropy of the packet that it answers.
void RcRequester::take_echoes(const wire::Packet& packet, const RcCall& call) {
  echoed_mark_ = packet.ib.has(wire::kBthBecn);
  echoed_entropy_ = packet.common.entropy;
  if (echoed_mark_)
    on_congestion(call);
}

// Its cumulative part may be old, when acknowledgements overtake one another; the bitmap is news all the same.
void RcRequester::on_selective_acknowledge(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const bool plausible = header.psn + 1 >= hot_.una - static_cast<std::int64_t>(selective_->window()) &&
                         header.psn < hot_.end && wire::syndrome_kind(header.aeth.syndrome) == wire::SyndromeKind::kAck;
  if (!plausible) {
    ++call.counters().discarded;
    return;
  }
  take_echoes(received.packet, call);
  if (received.cold.sack.marked)
    selective_->begin_mark(received.packet.common.entropy);
  const Psn una = hot_.una;
  if (header.psn >= una)
    on_acknowledge(received, call);
  if (failed_)
    return;
  if (received.cold.sack.duplicate)
    selective_->on_duplicate(hot_.end);
  selective_->on_sack(received.cold.sack, {.acknowledged = header.psn + 1, .end = hot_.end}, call.now);
  if (received.cold.sack.marked)
    selective_->end_mark(call.now);
  // Telemetry is news even where nothing is acknowledged in order.
  if (call.core.echoed_telemetry() != nullptr && wants_acks_ && header.psn < una)
    report_ack(0, call.core, call.now);
  if (by_time()) {
    selective_->probe_timeout = selective_->probe_delay();
    selective_->probe_at = call.now + selective_->probe_timeout;
    find_losses(call);
  } else {
    refresh_slow_path_reasons();
    if (selective_->has_retransmission())
      report_loss(LossEvent::kDetected, call.core, call.now);
  }
}

void RcRequester::on_acknowledge(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  switch (wire::syndrome_kind(header.aeth.syndrome)) {
    case wire::SyndromeKind::kAck:
      update_credits(header.aeth);
      acknowledge_through(header.psn, call);
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
  paced_ = false;
  refresh_slow_path_reasons();
}

// READ data or the answer of an atomic, whatever else is still missing.
void RcRequester::on_any_data_response(const ReceivedPacket& received, const RcCall& call) {
  const Psn psn = received.packet.ib.psn;
  const SendWqe* const wqe = request_of(psn);
  const bool due = wqe != nullptr && wqe->expects_response() && psn >= wqe->first_psn;
  if (!due || psn - hot_.una >= static_cast<std::int32_t>(selective_->window())) {
    ++call.counters().discarded;
    return;
  }
  if (!take_response_data(*wqe, received, call))
    return;
  // An answer says that everything before its request has been executed.
  selective_->acknowledged = std::max(selective_->acknowledged, wqe->first_psn);
  if (selective_->on_response(psn))
    advance_in_any_order(call);
}

// Everything before `selective_->acknowledged` is executed; una stops at the first answer that has not come.
void RcRequester::advance_in_any_order(const RcCall& call) {
  Psn una = hot_.una;
  for (std::uint32_t i = 0; i < hot_.queue.size() && hot_.queue[i].started; ++i) {
    SendWqe& wqe = hot_.queue[i];
    const Psn first = std::max(una, wqe.first_psn);
    if (wqe.expects_response()) {
      const auto missing = static_cast<std::uint32_t>(wqe.end_psn() - first);
      una = first + selective_->responses_in_a_row(first, std::min(missing, selective_->window()));
      const auto answers = static_cast<std::uint32_t>(una - wqe.first_psn);
      WEFT_DCHECK(answers >= wqe.responses && answers <= wqe.packets);  // una never moves backwards
      if (answers == wqe.packets && wqe.responses < wqe.packets)
        --incomplete_reads_;
      wqe.responses = answers;
    } else {
      una = std::max(first, std::min(wqe.end_psn(), selective_->acknowledged));
    }
    if (una < wqe.end_psn())
      break;
  }
  advance(una, call);
}

// READ data or the answer of an atomic: exactly the next expected packet, or a gap, or a repetition.
void RcRequester::on_data_response(const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  SendWqe* const wqe = oldest_incomplete_read();
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
  if (!take_response_data(wqe, received, call))
    return;
  WEFT_DCHECK(incomplete_reads_ != 0 && wqe.responses < wqe.packets);
  if (++wqe.responses == wqe.packets)
    --incomplete_reads_;
  advance(received.packet.ib.psn + 1, call);
}

// Checks an answer of `wqe` and puts its data where they belong; false if the request has failed.
bool RcRequester::take_response_data(const SendWqe& wqe, const ReceivedPacket& received, const RcCall& call) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const std::uint32_t mtu = static_cast<std::uint32_t>(verbs::to_bytes(call.attributes().path_mtu).count());
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  const auto index = static_cast<std::uint32_t>(header.psn - wqe.first_psn);
  const bool last = index + 1 == wqe.packets;
  const std::uint64_t offset = std::uint64_t{index} * mtu;
  const bool is_atomic_response = wire::operation_of(header.opcode) == wire::Operation::kAtomicAcknowledge;
  const auto due = wqe.is_atomic() ? 0U : static_cast<std::uint32_t>(std::min<std::uint64_t>(wqe.length - offset, mtu));
  // A request that was repeated from its middle is answered with a first packet there, so only the very first place
  // tells whether a first packet is due.
  const bool out_of_place = info.last != last || (index == 0 && !info.first);
  const bool refuses = info.aeth && wire::syndrome_kind(header.aeth.syndrome) != wire::SyndromeKind::kAck;
  // One that comes before its turn and is wrong counts as lost, and is judged in its turn.
  const bool in_turn = !by_time() || &wqe == &hot_.queue.front();
  if (is_atomic_response != wqe.is_atomic() || out_of_place || refuses || received.packet.common.payload_bytes != due) {
    if (!in_turn) {
      ++call.counters().discarded;
      return false;
    }
    //= ibta-1.7 9.7.6
    fail_front(verbs::WcStatus::kBadRespErr, call);
    return false;
  }
  const bool carries_bytes = !received.payload.empty() || is_atomic_response;
  if (carries_bytes && wqe.sg_list.check(call.context.memory(), call.core.init().pd, verbs::kAccessLocalWrite) !=
                           verbs::AccessFault::kNone) {
    if (!in_turn) {
      ++call.counters().discarded;
      return false;
    }
    if (!by_time())
      advance(header.psn, call);
    fail_front(verbs::WcStatus::kLocProtErr, call);
    return false;
  }
  if (is_atomic_response) {
    const std::uint64_t original = header.aeth.original_data;
    wqe.sg_list.scatter(call.context.memory(), 0, std::as_bytes(std::span(&original, 1)));
  } else if (!received.payload.empty()) {
    wqe.sg_list.scatter(call.context.memory(), offset, received.payload);
  }
  if (info.aeth)
    update_credits(header.aeth);
  return true;
}

//= ibta-1.7 9.7.7.2
void RcRequester::update_credits(const wire::AethFields& aeth) {
  if (wire::syndrome_kind(aeth.syndrome) != wire::SyndromeKind::kAck)
    return;
  const std::uint8_t code = wire::syndrome_code(aeth.syndrome);
  credits_known_ = code != wire::kCreditsNotUsed;
  if (credits_known_)
    slow_path_reasons_ |= kCredits;
  if (credits_known_)
    credit_limit_ = aeth.msn + *wire::credits_of_code(code);
}

SendWqe* RcRequester::oldest_incomplete_read() {
  if (incomplete_reads_ == 0)
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
  if (by_time()) {
    selective_->acknowledged = std::max(selective_->acknowledged, psn + 1);
    if (incomplete_reads_ == 0) {
      advance(psn + 1, call);
    } else {
      advance_in_any_order(call);
    }
    return;
  }
  if (const SendWqe* const wqe = oldest_incomplete_read(); wqe != nullptr) {
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
  WEFT_DCHECK(una <= hot_.end);
  const std::int32_t progress = una - hot_.una;
  if (progress <= 0)
    return;
  hot_.una = una;
  hot_.gap_handled = false;
  // Progress makes all retries available again.
  retries_left_ = call.attributes().retry_count;
  rnr_retries_left_ = call.attributes().rnr_retry;
  if (selective_ != nullptr)
    selective_->advance(una, hot_.end, call.now);
  restart_deadline(call.now);
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
  WEFT_DCHECK(consistent());
}

void RcRequester::report_ack(std::int32_t progress, const RcCore& core, Time now) {
  WEFT_DCHECK(progress >= 0 && wants_acks_);
  AckSample sample{.rtt = Duration::picoseconds(-1),
                   .acknowledged = verbs::to_bytes(core.attributes().path_mtu) * progress,
                   .marked = echoed_mark_,
                   .entropy = echoed_entropy_,
                   .telemetry = core.echoed_telemetry()};
  if (sample.telemetry != nullptr) {
    sample.rtt = sample.telemetry->age(now);
  } else if (sampling_ && hot_.una > sample_psn_) {
    WEFT_DCHECK(sample_sent_ <= now);
    sampling_ = false;
    sample.rtt = now - sample_sent_;
  }
  CongestionControl& control = *core.options.congestion_control;
  control.on_ack(sample, now);
  // A flow that is no longer paced need not wait for what its pace was.
  if (paced_ && now < hot_.not_before &&
      control.gap_after(verbs::to_bytes(core.attributes().path_mtu), now) == Duration::zero())
    hot_.not_before = now;
  refresh_window(core, now);
}

void RcRequester::report_loss(LossEvent sign, const RcCore& core, Time now) {
  if (!wants_acks_)
    return;
  core.options.congestion_control->on_loss(sign, now);
  refresh_window(core, now);
}

void RcRequester::complete_front(const RcCall& call) {
  const SendWqe wqe = hot_.queue.pop_front();
  if (hot_.cursor > 0) {
    WEFT_DCHECK(!wqe.expects_response() || hot_.reads_in_flight > 0);
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
    WEFT_DCHECK(failed_ || (front.first_psn <= hot_.una && hot_.una < front.end_psn()));
    hot_.cursor_packet = static_cast<std::uint32_t>(hot_.una - front.first_psn);
  }
}

void RcRequester::resend_from(Psn psn, const RcCall& call) {
  hot_.gap_handled = true;
  report_loss(LossEvent::kDetected, call.core, call.now);
  if (PathSelector* const path = call.options().path_selector; path != nullptr && !path->wants_feedback()) {
    path->on_loss(path->entropy_for(psn, call.now), PathLoss::kOther, call.now);
  }
  if (selective_ != nullptr) {
    selective_->lose_path(psn, PathLoss::kOther, call.now);
    selective_->request(psn);
    refresh_slow_path_reasons();
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
  WEFT_DCHECK(retries_left_ < 7);  // a count of three bits
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
  if (by_time()) {
    on_recovery_timer(call);
    return;
  }
  ++call.counters().local_ack_timeout_err;
  if (!take_retry(call))
    return;
  hot_.gap_handled = false;
  restart_deadline(call.now);
  report_loss(LossEvent::kTimeout, call.core, call.now);
  if (selective_ != nullptr) {
    selective_->on_timeout(hot_.next, call.now);
    refresh_slow_path_reasons();
  } else {
    rewind();
  }
}

// Packets are judged by time up to the first request that is answered with data: its answers come when the peer sends
// them, so one that others have overtaken is asked for again a whole patience after the gap was seen.
void RcRequester::find_losses(const RcCall& call) {
  WEFT_DCHECK(by_time());
  if (!selective_->has_overtaken()) {
    selective_->lost_at = Time::never();
  } else if (oldest_is_response()) {
    if (!selective_->has_gap()) {
      selective_->lost_at = Time::never();
    } else if (selective_->lost_at.is_never()) {
      selective_->lost_at = call.now + selective_->reorder_timeout();
    }
  } else {
    const bool repairs = selective_->has_retransmission();
    selective_->lost_at = selective_->detect(std::min(first_response(), hot_.next), call.now);
    if (!repairs && selective_->has_retransmission())
      report_loss(LossEvent::kDetected, call.core, call.now);
  }
  hot_.deadline = selective_->soonest();
  refresh_slow_path_reasons();
}

void RcRequester::on_recovery_timer(const RcCall& call) {
  const bool answer = oldest_is_response();
  if (call.now >= selective_->ack_deadline) {
    ++call.counters().local_ack_timeout_err;
    if (!take_retry(call))
      return;
    hot_.gap_handled = false;
    restart_deadline(call.now);
    report_loss(LossEvent::kTimeout, call.core, call.now);
    selective_->on_timeout(hot_.next, call.now);
  }
  if (call.now >= selective_->probe_at)
    probe(answer, call);
  if (answer && call.now >= selective_->lost_at) {
    ++call.counters().implied_nak_seq_err;
    selective_->lost_at = Time::never();
    selective_->request(hot_.una);
  }
  find_losses(call);
}

// The answer to a probe tells what has arrived. The timer runs from the last packet that left, which is looked at here,
// not with every packet: of many queue pairs each waits long for its turn at the NIC.
//= rfc8985 7.2
//= rfc8985 7.3
void RcRequester::probe(bool oldest_is_answer, const RcCall& call) {
  // A READ leaves as one packet, and takes the PSNs of all its answers.
  const SendWqe* const last = hot_.cursor_packet == 0 && hot_.cursor > 0 ? &hot_.queue[hot_.cursor - 1] : nullptr;
  const Psn left_last = last != nullptr && last->expects_response() ? last->first_psn : hot_.end - 1;
  const Duration since = hot_.end > hot_.una ? selective_->since_sent(left_last, call.now) : Duration::max();
  if (since < selective_->probe_timeout) {
    selective_->probe_at = call.now + (selective_->probe_timeout - since);
    return;
  }
  if (!blocked(call.core)) {
    // What is new asks as well as a copy does, as soon as the NIC comes to it.
    hot_.since_ack_request = static_cast<std::uint16_t>(call.options().ack_request_interval - 1);
    selective_->probe_at = call.now + selective_->probe_timeout;
    return;
  }
  // A READ is not repeated before the ACK timeout or a gap.
  if (!oldest_is_answer)
    selective_->request(hot_.una);
  selective_->probe_timeout = 2 * selective_->probe_timeout;
  selective_->probe_at = call.now + selective_->probe_timeout;
}

bool RcRequester::oldest_is_response() const {
  if (incomplete_reads_ == 0 || hot_.queue.empty())
    return false;
  const SendWqe& front = hot_.queue.front();
  return front.started && front.expects_response() && hot_.una >= front.first_psn;
}

// The PSN of the first answer that is due; the end of what was sent if none is.
Psn RcRequester::first_response() const {
  for (std::uint32_t i = 0; incomplete_reads_ != 0 && i < hot_.queue.size() && hot_.queue[i].started; ++i) {
    if (!hot_.queue[i].answered())
      return hot_.queue[i].first_psn;
  }
  return hot_.end;
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
