// The responder's answers: what it keeps to send, and how it sends them. Execution of requests:
// rc_responder_requests.cc.
#include "transport/rc_responder.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

void RcResponder::start(const RcCall& call) { hot_.expected = call.attributes().rq_psn; }

void RcResponder::reset() {
  receives_.reset();
  hot_ = Hot{};
  early_.reset();
  paced_until_ = Time::zero();
  replay_start_ = 0;
  names_path_ = echo_mark_ = duplicate_ = failed_ = has_telemetry_ = false;
}

bool RcResponder::cursor_in_range() const {
  if (!sends_data())
    return hot_.emit_index == hot_.resources.size();
  return hot_.emit_packet < hot_.resources[hot_.emit_index].packets && replay_start_ <= hot_.emit_packet;
}

bool RcResponder::poll_transmit(const TransmitSlot& slot, const RcCall& call) {
  if ((hot_.pending & kPendingCnp) != 0) {
    emit_cnp(slot, call);
    return true;
  }
  if (sends_data())
    return call.now >= paced_until_ && poll_resource(slot, call);
  if (hot_.pending == 0)
    return false;
  emit_acknowledge(slot, call);
  return true;
}

// READ data and atomic results, in PSN order from the emission cursor.
//= ibta-1.7 9.7.5
bool RcResponder::poll_resource(const TransmitSlot& slot, const RcCall& call) {
  WEFT_DCHECK(cursor_in_range());
  const Resource& resource = hot_.resources[hot_.emit_index];
  const auto mtu = static_cast<std::uint32_t>(verbs::to_bytes(call.attributes().path_mtu).count());
  const std::uint32_t index = hot_.emit_packet;
  const bool first = index == replay_start_;
  const bool last = index + 1 == resource.packets;
  wire::Packet& packet = slot.packet;
  call.core.start_packet(packet);
  packet.ib.psn = resource.first_psn + index;
  std::uint32_t payload = 0;
  wire::Operation operation = wire::Operation::kAtomicAcknowledge;
  if (!resource.atomic) {
    const std::uint64_t offset = std::uint64_t{index} * mtu;
    payload = static_cast<std::uint32_t>(std::min<std::uint64_t>(resource.length - offset, mtu));
    operation = first ? (last ? wire::Operation::kReadResponseOnly : wire::Operation::kReadResponseFirst)
                      : (last ? wire::Operation::kReadResponseLast : wire::Operation::kReadResponseMiddle);
    // The region may have been closed since the request was accepted.
    const auto checked = call.context.memory().check({.pd = call.core.init().pd,
                                                      .key = resource.key,
                                                      .address = resource.address + offset,
                                                      .length = payload,
                                                      .access = verbs::kAccessRemoteRead});
    if (checked.fault != verbs::AccessFault::kNone) {
      hot_.emit_index = hot_.resources.size();
      hot_.expected = packet.ib.psn;
      (void)reject(wire::NakCode::kRemoteAccessError, call);
      emit_acknowledge(slot, call);
      return true;
    }
    if (!slot.payload.empty() && payload != 0) {
      const std::byte* const bytes = checked.region->data(resource.address + offset);
      const std::span<std::byte> out = slot.payload.first(payload);
      if (bytes != nullptr) {
        std::copy_n(bytes, payload, out.begin());
      } else {
        std::fill(out.begin(), out.end(), std::byte{0});
      }
    }
  }
  packet.ib.opcode = wire::make_opcode(wire::Service::kRc, operation);
  if (first || last) {
    packet.ib.aeth = {.original_data = resource.result, .msn = hot_.msn, .syndrome = ack_syndrome(call)};
  }
  set_payload(packet, payload);
  if (last) {
    hot_.resources[hot_.emit_index].answered = true;
    ++hot_.emit_index;
    hot_.emit_packet = replay_start_ = 0;
  } else {
    ++hot_.emit_packet;
  }
  if (call.options().has_policies()) {
    // Not over several paths: the requester takes disorder among answers for loss.
    FlowPolicies policies = call.options().policies();
    policies.path_selector = nullptr;
    paced_until_ = finish_with_policies(policies, packet, paced_until_, call.now);
  }
  return true;
}

// One acknowledgement for everything before ePSN, or the NAK for ePSN itself.
//= ibta-1.7 9.7.5
void RcResponder::emit_acknowledge(const TransmitSlot& slot, const RcCall& call) {
  // A CNP leaves before it, and there is something to say.
  WEFT_DCHECK((hot_.pending & kPendingCnp) == 0 && (hot_.pending & (kPendingAck | kPendingNak)) != 0);
  wire::Packet& packet = slot.packet;
  call.core.start_packet(packet);
  packet.common.flags |= wire::kControl;
  packet.ib.opcode = wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge);
  std::uint8_t syndrome = 0;
  std::uint8_t left = 0;
  if ((hot_.pending & kPendingNak) != 0) {
    packet.ib.psn = hot_.expected;
    syndrome = hot_.nak_syndrome;
  } else {
    packet.ib.psn = hot_.expected - 1;
    syndrome = ack_syndrome(call);
    if (duplicate_ || names_path_ || (early_ != nullptr && early_->any())) {
      packet.ib.opcode = wire::kOpcodeSack;
      slot.cold.sack = early_ != nullptr ? early_->report(hot_.expected) : wire::SackBitmap{.base = hot_.expected};
      slot.cold.sack.duplicate = duplicate_;
      slot.cold.sack.marked = names_path_;
      if (names_path_)
        packet.common.entropy = marked_entropy_;
      packet.common.flags |= wire::kHasCold;
      duplicate_ = names_path_ = false;
      // A bitmap does not reach over all that is new: another acknowledgement tells the rest.
      left = early_ != nullptr && early_->has_unreported() ? kPendingAck : 0;
    }
  }
  if (echo_mark_) {
    packet.ib.flags |= wire::kBthBecn;
    echo_mark_ = false;
  }
  packet.ib.aeth = {.original_data = 0, .msn = hot_.msn, .syndrome = syndrome};
  hot_.pending = left;
  set_payload(packet, 0);
  if (has_telemetry_) {
    has_telemetry_ = false;
    const wire::Telemetry& telemetry = call.core.cold_state().received;
    add_telemetry(slot, telemetry.kind());
    slot.cold.telemetry = telemetry;
  }
}

void RcResponder::emit_cnp(const TransmitSlot& slot, const RcCall& call) {
  call.core.start_packet(slot.packet);
  make_cnp(slot.packet);
  hot_.pending = static_cast<std::uint8_t>(hot_.pending & ~kPendingCnp);
  ++call.counters().cnp_sent;
}

//= ibta-1.7 9.7.7.2
std::uint8_t RcResponder::ack_syndrome(const RcCall& call) {
  if (!call.options().end_to_end_credits || call.core.init().srq.is_valid())
    return wire::kSyndromeAckNoCredits;
  return wire::ack_syndrome(wire::code_of_credits(static_cast<std::uint32_t>(receives_.size())));
}

void RcResponder::flush(const RcCall& call) {
  receives_.flush(call.core, call.context);
  if (early_ != nullptr) {
    early_->clear();
  }
}

// Answers that precede the NAK still leave, or the requester would take the NAK for the loss of one of them.
void RcResponder::stop_responding() {
  hot_.pending = failed_ ? static_cast<std::uint8_t>(hot_.pending & kPendingNak) : std::uint8_t{0};
  if (!failed_) {
    hot_.emit_index = hot_.resources.size();
  }
}

void RcResponder::fail_receive(verbs::WcStatus status, const RcCall& call) {
  // The queue pair fails in any case: an overflowing completion queue changes nothing more.
  (void)receives_.fail(status, call.core, call.context);
}

std::size_t RcResponder::heap_bytes() const {
  return hot_.resources.heap_bytes() + receives_.heap_bytes() + (early_ != nullptr ? early_->heap_bytes() : 0);
}

std::size_t RcResponder::held_packets() const { return early_ == nullptr ? 0 : early_->held(); }

}  // namespace weft::transport
