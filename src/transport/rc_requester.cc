#include "transport/rc_requester.h"

#include <algorithm>

#include "base/assert.h"
#include "transport/rc_timing.h"
#include "transport/segmentation.h"
#include "wire/aeth_syndrome.h"

namespace weft::transport {
namespace {

// Fewer than 2^23 PSNs may be in flight, so that order stays defined.
//= ibta-1.7 9.7.1
constexpr std::uint32_t kMaxPsnWindow = (1U << 23) - 1;

}  // namespace

void RcRequester::start(const RcCall& call) {
  const verbs::QpAttributes& attributes = call.attributes();
  hot_.una = hot_.next = hot_.end = attributes.sq_psn;
  retries_left_ = attributes.retry_count;
  rnr_retries_left_ = attributes.rnr_retry;
  if (call.options().loss_recovery == LossRecovery::kSelectiveRepeat) {
    const SelectiveRepeatOptions& options = call.options().selective();
    selective_ =
        std::make_unique<Recovery>(SelectiveRepeat::Options{.window = PsnBitmap::window_for(options.flight_packets),
                                                            .detection = options.loss_detection,
                                                            .threshold = options.reorder_threshold,
                                                            .round_trip = options.round_trip,
                                                            .first_probe = options.first_probe});
    selective_->start(hot_.una);
    selective_->acknowledged = hot_.una;
    if (PathSelector* const path = call.options().path_selector; path != nullptr && path->wants_feedback()) {
      selective_->learn_paths(*path);
      learns_paths_ = true;
    }
    refresh_slow_path_reasons();
  }
}

void RcRequester::adopt_attributes(const RcCall& call) {
  ack_timeout_ = ack_timeout(call.attributes().timeout);
  const CongestionControl* const control = call.options().congestion_control;
  has_policies_ = call.options().has_policies();
  wants_acks_ = control != nullptr && control->wants_acks();
  follows_messages_ = call.options().path_selector != nullptr && call.options().path_selector->follows_messages();
  telemetry_ = control != nullptr ? control->telemetry() : wire::TelemetryKind::kNone;
  paces_only_ = control != nullptr && !wants_acks_ && call.options().path_selector == nullptr;
  const Bytes mtu = verbs::to_bytes(call.attributes().path_mtu);
  const std::uint8_t middle = wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteMiddle);
  const wire::FrameSizes sizes = wire::sizes(call.core.identity().encapsulation, middle, mtu);
  full_payload_ = static_cast<std::uint16_t>(mtu.count());
  full_frame_ = static_cast<std::uint16_t>(sizes.frame.count());
  full_wire_ = static_cast<std::uint16_t>(sizes.wire.count());
  refresh_window(call.core, call.now);
}

void RcRequester::reset() { *this = RcRequester{}; }

Result<void> RcRequester::post(const verbs::SendWr& request, const RcCall& call) {
  if (Result<void> allowed = call.core.check_send(request, hot_.queue.size()); !allowed)
    return allowed;
  const verbs::PathMtu mtu = call.attributes().path_mtu;
  SendWqe wqe =
      make_send_wqe(request, {.path_mtu = mtu, .all_signaled = call.core.init().sq_sig_all, .pd = call.core.init().pd},
                    call.context.memory());
  if (wqe.is_atomic() && wqe.length != 8) {
    return fail("post_send: an atomic needs 8 bytes of local memory for its result; the list has {}", wqe.length);
  }
  if (wqe.packets > kMaxPsnWindow) {
    return fail(
        "post_send: {} bytes take {} packets at a path MTU of {}; at most {} may be outstanding (larger MTU, "
        "or several messages)",
        wqe.length, wqe.packets, verbs::to_bytes(mtu).count(), kMaxPsnWindow);
  }
  if (wqe.expects_response()) {
    if ((wqe.flags & verbs::kSendInline) != 0)
      return fail("post_send: READ and atomics cannot be inline");
    if (call.attributes().max_rd_atomic == 0) {
      return fail("post_send: max_rd_atomic is 0; READ and atomics need at least 1");
    }
    ++incomplete_reads_;
  }
  hot_.queue.push_back(std::move(wqe));
  return {};
}

Time RcRequester::next_transmit_slow(const RcCore& core) const {
  if (selective_ != nullptr && selective_->has_retransmission())
    return hot_.not_before;
  return blocked(core) ? Time::never() : hot_.not_before;
}

bool RcRequester::blocked(const RcCore& core) const {
  if (hot_.cursor == hot_.queue.size())
    return true;
  const auto in_flight = static_cast<std::uint32_t>(hot_.next - hot_.una);
  if (in_flight >= window_packets_)
    return true;
  if (credits_known_ && in_flight != 0 && beyond_credits(hot_.queue[hot_.cursor]))
    return true;
  const SendWqe& wqe = hot_.queue[hot_.cursor];
  if (wqe.local_fault)
    return hot_.cursor != 0;
  if (hot_.cursor_packet != 0)
    return false;
  if (core.state() == verbs::QpState::kSqd)
    return !wqe.started;
  if (wqe.expects_response()) {
    if (hot_.reads_in_flight >= core.attributes().max_rd_atomic)
      return true;
    if (in_flight + wqe.packets - wqe.responses > kMaxPsnWindow)
      return true;
  }
  return (wqe.flags & verbs::kSendFence) != 0 && hot_.reads_in_flight != 0;
}

// A request beyond the credits still sends one packet when nothing else is in flight, so that credits come back.
//= ibta-1.7 9.7.7.2
bool RcRequester::beyond_credits(const SendWqe& wqe) const {
  if (!wqe.consumes_receive())
    return false;
  const Psn ssn(wqe.started ? wqe.ssn : next_ssn_);
  return ssn > credit_limit_;
}

bool RcRequester::poll_transmit(const TransmitSlot& slot, const RcCall& call) {
  if (call.now < hot_.not_before)
    return false;
  if (!on_fast_path()) {
    if (selective_ != nullptr && selective_->has_retransmission())
      return poll_retransmission(slot, call);
    if (blocked(call.core))
      return false;
  }
  SendWqe& wqe = hot_.queue[hot_.cursor];
  const bool reads_bytes = !slot.payload.empty();
  if ((hot_.cursor_packet == 0 || reads_bytes || slow_path_reasons_ != 0) && !begin(wqe, call))
    return false;
  const std::uint32_t index = wqe.expects_response() ? wqe.responses : hot_.cursor_packet;
  const Psn psn = hot_.next;
  WEFT_DCHECK(wqe.started && psn == wqe.first_psn + index);
  if (hot_.next == hot_.una)
    restart_deadline(call.now);
  if (psn < hot_.end)
    ++call.counters().retransmitted_packets;
  if (selective_ != nullptr)
    selective_->on_sent(psn, call.now);
  emit_request(wqe, index, slot, call);
  slot.packet.ib.psn = psn;
  advance_cursor(wqe);
  if (wants_ack(wqe, call)) {
    slot.packet.ib.flags |= wire::kBthAckRequest;
    hot_.since_ack_request = 0;
  }
  if (has_policies_)
    finish_packet(slot, call.core, call.now);
  WEFT_DCHECK(consistent());
  return true;
}

// Local memory is checked before a request begins, and again before each packet whose bytes are read; a request that
// begins is numbered.
bool RcRequester::begin(SendWqe& wqe, const RcCall& call) {
  if (!wqe.local_fault &&
      wqe.sg_list.check(call.context.memory(), call.core.init().pd, wqe.local_access()) != verbs::AccessFault::kNone) {
    wqe.local_fault = true;
    slow_path_reasons_ |= kLocalFault;
  }
  if (wqe.local_fault) {
    // Requests before it complete first; it fails when it has come to the front.
    if (hot_.cursor == 0)
      fail_front(verbs::WcStatus::kLocProtErr, call);
    return false;
  }
  if (!wqe.started) {
    WEFT_DCHECK(hot_.next == hot_.end);  // what was sent before is sent again before anything new
    wqe.started = true;
    wqe.first_psn = hot_.next;
    wqe.ssn = next_ssn_++;
  }
  return true;
}

void RcRequester::advance_cursor(const SendWqe& wqe) {
  if (wqe.expects_response()) {
    hot_.next = wqe.end_psn();
    ++hot_.reads_in_flight;
    ++hot_.cursor;
  } else {
    ++hot_.next;
    if (++hot_.cursor_packet == wqe.packets) {
      hot_.cursor_packet = 0;
      ++hot_.cursor;
    }
  }
  if (hot_.next > hot_.end)
    hot_.end = hot_.next;
}

// Every packet after which sending may stop asks for an acknowledgement, so that no loss waits for a timeout.
//= ibta-1.7 9.7.3
bool RcRequester::wants_ack(const SendWqe& wqe, const RcCall& call) {
  if (++hot_.since_ack_request >= call.options().ack_request_interval)
    return true;
  if (wqe.expects_response())
    return false;
  return (hot_.cursor_packet == 0 && wqe.is_signaled()) || blocked(call.core);
}

void RcRequester::emit_request(const SendWqe& wqe, std::uint32_t index, const TransmitSlot& slot,
                               const RcCall& call) const {
  const std::uint32_t mtu = full_payload(call.attributes().path_mtu);
  const std::uint32_t offset = index * mtu;
  WEFT_DCHECK(index < wqe.packets && (offset < wqe.length || index == 0));
  wire::Packet& packet = slot.packet;
  call.core.start_packet(packet);
  wire::IbTransportHeader& header = packet.ib;
  std::uint32_t payload = 0;
  if (wqe.expects_response()) {
    header.opcode = wire::make_opcode(wire::Service::kRc, wqe.is_read() ? wire::Operation::kReadRequest
                                                          : wqe.opcode == verbs::WrOpcode::kAtomicCmpAndSwp
                                                              ? wire::Operation::kCompareSwap
                                                              : wire::Operation::kFetchAdd);
    header.reth = {wqe.remote_address + offset, wqe.rkey, wqe.length - offset};
    if (wqe.is_atomic()) {
      const bool swaps = wqe.opcode == verbs::WrOpcode::kAtomicCmpAndSwp;
      slot.cold.atomic = {.swap_or_add = swaps ? wqe.swap : wqe.compare_add, .compare = swaps ? wqe.compare_add : 0};
      packet.common.flags |= wire::kHasCold;
    }
  } else {
    payload = std::min(wqe.length - offset, mtu);
    const bool placed = call.options().out_of_order_placement && wqe.is_write();
    header.opcode =
        wire::make_opcode(placed ? wire::Service::kManufacturer : wire::Service::kRc, packet_operation(wqe, index));
    if (placed) {
      header.reth = {wqe.remote_address + offset, wqe.rkey, payload};
    } else if (index == 0 && wqe.is_write()) {
      header.reth = {wqe.remote_address, wqe.rkey, wqe.length};
    }
    if (index + 1 == wqe.packets) {
      header.immediate = wqe.immediate;
      if ((wqe.flags & verbs::kSendSolicited) != 0)
        header.flags |= wire::kBthSolicited;
    }
    if (!slot.payload.empty())
      wqe.sg_list.gather(call.context.memory(), offset, slot.payload.first(payload));
  }
  set_payload(packet, payload);
}

void RcRequester::finish_packet(const TransmitSlot& slot, const RcCore& core, Time now) {
  wire::Packet& packet = slot.packet;
  if (wants_acks_ && !sampling_ && packet.ib.psn + 1 == hot_.end) {
    sampling_ = true;
    sample_psn_ = packet.ib.psn;
    sample_sent_ = now;
  }
  const bool carries_telemetry = telemetry_ != wire::TelemetryKind::kNone && packet.common.payload_bytes != 0;
  if (carries_telemetry) {
    add_telemetry(slot, telemetry_);
    slot.cold.telemetry = {};
    slot.cold.telemetry.depart(telemetry_, now);
  }
  if (follows_messages_) {
    if (const SendWqe* const wqe = request_of(packet.ib.psn); wqe != nullptr)
      core.options.path_selector->begin_message(wqe->first_psn);
  }
  hot_.not_before = finish_with_policies(core.options.policies(), packet, hot_.not_before, now);
  if (learns_paths_)
    selective_->note_path(packet.ib.psn, packet.common.entropy);
  if (carries_telemetry) {
    paced_ = true;
    if (!learns_paths_)
      packet.common.ecn = wire::Ecn::kNotEct;  // nobody learns from marks
  }
}

bool RcRequester::poll_retransmission(const TransmitSlot& slot, const RcCall& call) {
  const Psn psn = selective_->take_retransmission(hot_.end);
  refresh_slow_path_reasons();
  SendWqe* const wqe = request_of(psn);
  if (wqe == nullptr)
    return false;
  const std::uint32_t index =
      wqe->expects_response() && !by_time() ? wqe->responses : static_cast<std::uint32_t>(psn - wqe->first_psn);
  if (wqe->expects_response())
    selective_->cancel(psn, wqe->end_psn());
  if (!slot.payload.empty() && wqe->sg_list.check(call.context.memory(), call.core.init().pd, wqe->local_access()) !=
                                   verbs::AccessFault::kNone) {
    wqe->local_fault = true;
    slow_path_reasons_ |= kLocalFault;
    if (wqe == &hot_.queue.front())
      fail_front(verbs::WcStatus::kLocProtErr, call);
    return false;
  }
  ++call.counters().retransmitted_packets;
  emit_request(*wqe, index, slot, call);
  slot.packet.ib.psn = wqe->first_psn + index;
  slot.packet.ib.flags |= wire::kBthAckRequest;
  selective_->on_sent(psn, call.now);
  if (has_policies_)
    finish_packet(slot, call.core, call.now);
  return true;
}

void RcRequester::flush(const RcCall& call) {
  while (!hot_.queue.empty()) {
    const SendWqe wqe = hot_.queue.pop_front();
    (void)call.core.complete_send(send_completion(wqe, call.core.identity().qpn, verbs::WcStatus::kWrFlushErr),
                                  call.context);
  }
  hot_.cursor = hot_.cursor_packet = 0;
  hot_.next = hot_.end = hot_.una;
  incomplete_reads_ = 0;
  hot_.reads_in_flight = 0;
  if (selective_ != nullptr)
    selective_->start(hot_.una);
}

void RcRequester::refresh_window(const RcCore& core, Time now) {
  std::uint32_t window = kMaxPsnWindow;
  if (CongestionControl* const control = core.options.congestion_control; control != nullptr) {
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(control->window(now).count(), 0));
    const std::uint64_t packets = full_packets(bytes, core.attributes().path_mtu);
    window = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(packets, 1, kMaxPsnWindow));
  }
  if (selective_ != nullptr)
    window = std::min(window, core.options.selective().flight_packets);
  // A window of zero would never open again: nothing in flight, so no acknowledgement.
  WEFT_DCHECK(window > 0);
  window_packets_ = window;
}

void RcRequester::restart_deadline(Time now) {
  hot_.deadline = ack_timeout_ == Duration::max() ? Time::never() : now + ack_timeout_;
  if (!by_time())
    return;
  selective_->ack_deadline = hot_.deadline;
  selective_->probe_timeout = selective_->probe_delay();
  selective_->probe_at = now + selective_->probe_timeout;
  if (!selective_->has_overtaken()) {
    selective_->lost_at = Time::never();
  } else if (!selective_->has_gap() && selective_->lost_at.is_never()) {
    selective_->lost_at = now;  // looked at as soon as the timers are
  }
  hot_.deadline = selective_->soonest();
}

// What the fast path must not be asked for.
void RcRequester::refresh_slow_path_reasons() {
  const bool repairs = selective_ != nullptr && (!selective_->by_time() || selective_->has_retransmission());
  slow_path_reasons_ = static_cast<std::uint8_t>((slow_path_reasons_ & ~kRepair) | (repairs ? kRepair : 0));
}

bool RcRequester::consistent() const {
  if (failed_)
    return true;  // the queue pair flushes what is left
  const bool psns_in_order = hot_.una <= hot_.next && hot_.next <= hot_.end;
  const bool cursor_in_queue = hot_.cursor <= hot_.queue.size() && (hot_.cursor_packet == 0 || inside_message());
  const bool reads_counted = hot_.reads_in_flight <= hot_.cursor && incomplete_reads_ <= hot_.queue.size();
  return psns_in_order && cursor_in_queue && reads_counted && (!hot_.queue.empty() || hot_.una == hot_.end);
}

bool RcRequester::inside_message() const {
  if (hot_.cursor == hot_.queue.size())
    return false;
  const SendWqe& wqe = hot_.queue[hot_.cursor];
  return wqe.started && !wqe.expects_response() && hot_.cursor_packet < wqe.packets;
}

std::size_t RcRequester::heap_bytes() const {
  std::size_t bytes =
      hot_.queue.heap_bytes() + (selective_ != nullptr ? selective_->heap_bytes() + sizeof(Recovery) : 0);
  for (std::uint32_t i = 0; i < hot_.queue.size(); ++i)
    bytes += hot_.queue[i].sg_list.heap_bytes();
  return bytes;
}

}  // namespace weft::transport
