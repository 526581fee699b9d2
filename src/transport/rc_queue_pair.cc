#include "transport/rc_queue_pair.h"

#include "base/assert.h"
#include "transport/operations.h"
#include "transport/partition.h"
#include "transport/rc_fast_path.h"
#include "wire/opcode.h"

namespace weft::transport {
RcQueuePair::RcQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const RcOptions& options)
    : core_(identity, init, options), responder_(init) {
  WEFT_ASSERT(options.ack_request_interval > 0);
  WEFT_ASSERT(!options.out_of_order_placement || options.loss_recovery == LossRecovery::kSelectiveRepeat);
  const SelectiveRepeatOptions& selective = options.selective();
  WEFT_ASSERT(selective.reorder_capacity >= 1 && selective.tracked_packets >= 2 && selective.tracked_packets <= 65'536);
  WEFT_ASSERT(selective.flight_packets >= 64 && selective.flight_packets <= 65'536);
}

Result<void> RcQueuePair::modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                 verbs::Context& context, Time now) {
  const verbs::QpModification modification{
      .type = verbs::QpType::kRc, .from = core_.state(), .mask = mask, .attributes = attributes};
  if (Result<void> applied = core_.apply(attributes, mask); !applied)
    return applied;
  enter(verbs::state_after(modification), call(context, now));
  return {};
}

void RcQueuePair::enter(verbs::QpState state, const RcCall& environment) {
  using verbs::QpState;
  const QpState from = core_.state();
  if (state == QpState::kErr) {
    enter_error(environment);
    return;
  }
  core_.set_state(state);
  if (state == QpState::kReset) {
    requester_.reset();
    responder_.reset();
    core_.clear_counters();
    core_.established = core_.drain_reported = false;
  } else if (state == QpState::kRtr && from == QpState::kInit) {
    responder_.start(environment);
  } else if (state == QpState::kRts && from == QpState::kRtr) {
    requester_.start(environment);
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    core_.drain_reported = false;
  }
  if (core_.may_request()) {
    requester_.adopt_attributes(environment);
  }
  settle(environment);
}

//= ibta-1.7 10.3.1.6
void RcQueuePair::enter_error(const RcCall& environment) {
  if (core_.state() == verbs::QpState::kReset)
    return core_.set_state(verbs::QpState::kErr);
  const bool was_in_error = core_.state() == verbs::QpState::kErr;
  core_.set_state(verbs::QpState::kErr);
  requester_.flush(environment);
  responder_.flush(environment);
  responder_.stop_responding();
  if (!was_in_error && core_.init().srq.is_valid()) {
    environment.context.raise(
        {.type = verbs::AsyncEventType::kQpLastWqeReached, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }
}

// What a call may have led to: failure of either half, or the end of draining.
void RcQueuePair::settle(const RcCall& environment) {
  if ((requester_.failed() || responder_.failed()) && core_.state() != verbs::QpState::kErr) {
    enter_error(environment);
    return;
  }
  if (core_.state() == verbs::QpState::kSqd && !core_.drain_reported && requester_.drained()) {
    core_.drain_reported = true;
    environment.context.raise(
        {.type = verbs::AsyncEventType::kSqDrained, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }
}

Result<void> RcQueuePair::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  const RcCall environment = call(context, now);
  if (Result<void> posted = requester_.post(request, environment); !posted)
    return posted;
  if (core_.state() == verbs::QpState::kErr)
    requester_.flush(environment);
  return {};
}

Result<void> RcQueuePair::post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now) {
  if (core_.init().srq.is_valid()) {
    return fail("post_recv: the queue pair takes receive requests from its shared receive queue; post them there");
  }
  if (core_.state() == verbs::QpState::kReset)
    return fail("post_recv: the queue pair is in RESET; move it to INIT");
  if (Result<void> posted = responder_.post(request); !posted)
    return posted;
  if (core_.state() == verbs::QpState::kErr)
    responder_.flush(call(context, now));
  return {};
}

bool RcQueuePair::admits(const wire::Packet& packet) const {
  return core_.may_receive() && !packet.has(wire::kCorrupted) &&
         partitions_match(packet.ib.partition_key, core_.attributes().partition_key);
}

// Long messages are made of packets and acknowledgements that differ in their PSN alone: they take the fast path.
bool RcQueuePair::on_packet_fast(const ReceivedPacket& received, verbs::Context& context, Time now) {
  const wire::Packet& packet = received.packet;
  const bool ordinary =
      core_.state() == verbs::QpState::kRts && (packet.common.flags & ~(wire::kControl | wire::kUnordered)) == 0 &&
      packet.ib.partition_key == core_.attributes().partition_key && (packet.ib.partition_key & 0x8000) != 0;
  if (!ordinary) {
    return false;
  }
  if (packet.ib.opcode == wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge)) {
    return requester_.acknowledge_fast(packet, core_, now);
  }
  return responder_.continue_message(received, core_, now) ||
         (core_.options.out_of_order_placement && place_middle(received, call(context, now)));
}

// A packet that fills a gap is followed by what came early, of which any may fail.
bool RcQueuePair::place_middle(const ReceivedPacket& received, const RcCall& environment) {
  if (!responder_.place_middle(received, environment)) {
    return false;
  }
  if (responder_.failed()) {
    settle(environment);
  }
  return true;
}

void RcQueuePair::on_packet(const ReceivedPacket& received, verbs::Context& context, Time now) {
  if (!on_packet_fast(received, context, now)) {
    on_packet_slow(received, context, now);
  }
}

void RcQueuePair::on_packet_slow(const ReceivedPacket& received, verbs::Context& context, Time now) {
  const RcCall environment = call(context, now);
  const bool extended = core_.options.loss_recovery == LossRecovery::kSelectiveRepeat;
  OpcodeClass kind = rc_opcode_class(received.packet.ib.opcode);
  if (!admits(received.packet)) {
    kind = OpcodeClass::kForeign;
  }
  switch (kind) {
    case OpcodeClass::kExtensionResponse:
    case OpcodeClass::kResponse:
      if (core_.may_request() && (extended || kind == OpcodeClass::kResponse)) {
        if (wire::describe(received.packet.ib.opcode).payload)
          responder_.observe_mark(received.packet, environment);
        requester_.on_response(received, environment);
      } else {
        ++core_.count().discarded;
      }
      break;
    case OpcodeClass::kExtensionRequest:
    case OpcodeClass::kRequest:
      if (extended || kind == OpcodeClass::kRequest) {
        on_request(received, environment);
      } else {
        ++core_.count().discarded;
      }
      break;
    case OpcodeClass::kCongestionNotification:
      requester_.on_congestion(environment);
      break;
    case OpcodeClass::kForeign:
      ++core_.count().discarded;
      break;
  }
  if (unsettled()) {
    settle(environment);
  }
}

void RcQueuePair::on_request(const ReceivedPacket& received, const RcCall& environment) {
  if (!core_.established) {
    core_.established = true;
    if (core_.state() == verbs::QpState::kRtr) {
      environment.context.raise(
          {.type = verbs::AsyncEventType::kCommEst, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
    }
  }
  responder_.on_request(received, environment);
}

void RcQueuePair::on_timeout(verbs::Context& context, Time now) {
  if (!core_.may_request()) {
    return;
  }
  const RcCall environment = call(context, now);
  requester_.on_timeout(environment);
  settle(environment);
}

bool RcQueuePair::poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now) {
  // Every call settles what it has led to, so that a failed half sends nothing more of its own.
  WEFT_DCHECK(core_.state() == verbs::QpState::kErr || (!requester_.failed() && !responder_.failed()));
  if (core_.state() == verbs::QpState::kRts &&
      (responder_.has_response() ? responder_.poll_ack_fast(slot, core_) : requester_.poll_fast(slot, core_, now))) {
    return true;
  }
  return poll_transmit_slow(slot, context, now);
}

bool RcQueuePair::poll_transmit_slow(const TransmitSlot& slot, verbs::Context& context, Time now) {
  const RcCall environment = call(context, now);
  const bool sent = responder_.has_response() ? share_wire(slot, environment)
                                              : core_.may_request() && requester_.poll_transmit(slot, environment);
  if (unsettled()) {
    settle(environment);
  }
  return sent;
}

// Notifications and acknowledgements go first; READ data and requests take turns.
bool RcQueuePair::share_wire(const TransmitSlot& slot, const RcCall& environment) {
  const bool requests = core_.may_request();
  const bool requests_first = requests && core_.request_turn && responder_.sends_data() && !responder_.cnp_pending();
  core_.request_turn = !core_.request_turn;
  if (requests_first && requester_.poll_transmit(slot, environment)) {
    return true;
  }
  if (responder_.poll_transmit(slot, environment)) {
    return true;
  }
  return requests && !requests_first && requester_.poll_transmit(slot, environment);
}

}  // namespace weft::transport
