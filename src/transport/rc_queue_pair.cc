#include "transport/rc_queue_pair.h"

#include "base/assert.h"
#include "transport/operations.h"
#include "transport/partition.h"
#include "wire/opcode.h"

namespace weft::transport {
RcQueuePair::RcQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const RcOptions& options)
    : core_(identity, init), options_(options), responder_(init) {
  WEFT_ASSERT(options.ack_request_interval > 0);
  WEFT_ASSERT(!options.out_of_order_placement || options.loss_recovery == LossRecovery::kSelectiveRepeat);
  WEFT_ASSERT(options.reorder_capacity >= 1 && options.reorder_capacity < ReorderBuffer::kWindow);
}

RcCall RcQueuePair::call(verbs::Context& context, Time now) const {
  return {.core = core_, .options = options_, .context = context, .counters = counters_, .now = now};
}

bool RcQueuePair::may_request() const {
  return core_.state() == verbs::QpState::kRts || core_.state() == verbs::QpState::kSqd;
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

void RcQueuePair::enter(verbs::QpState state, const RcCall& surroundings) {
  using verbs::QpState;
  const QpState from = core_.state();
  if (state == QpState::kErr) {
    enter_error(surroundings);
    return;
  }
  core_.set_state(state);
  if (state == QpState::kReset) {
    requester_.reset();
    responder_.reset();
    counters_ = {};
    established_ = drain_reported_ = false;
  } else if (state == QpState::kRtr && from == QpState::kInit) {
    responder_.start(surroundings);
  } else if (state == QpState::kRts && from == QpState::kRtr) {
    requester_.start(surroundings);
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    drain_reported_ = false;
  }
  settle(surroundings);
}

//= ibta-1.7 10.3.1.6
void RcQueuePair::enter_error(const RcCall& surroundings) {
  if (core_.state() == verbs::QpState::kReset)
    return core_.set_state(verbs::QpState::kErr);
  const bool was_in_error = core_.state() == verbs::QpState::kErr;
  core_.set_state(verbs::QpState::kErr);
  requester_.flush(surroundings);
  responder_.flush(surroundings);
  responder_.fall_silent();
  if (!was_in_error && core_.init().srq.is_valid()) {
    surroundings.context.raise(
        {.type = verbs::AsyncEventType::kQpLastWqeReached, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }
}

// What a call may have led to: failure of either half, or the end of draining.
void RcQueuePair::settle(const RcCall& surroundings) {
  if ((requester_.failed() || responder_.failed()) && core_.state() != verbs::QpState::kErr) {
    enter_error(surroundings);
    return;
  }
  if (core_.state() == verbs::QpState::kSqd && !drain_reported_ && requester_.drained()) {
    drain_reported_ = true;
    surroundings.context.raise(
        {.type = verbs::AsyncEventType::kSqDrained, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }
}

Result<void> RcQueuePair::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  const RcCall surroundings = call(context, now);
  if (Result<void> posted = requester_.post(request, surroundings); !posted)
    return posted;
  if (core_.state() == verbs::QpState::kErr)
    requester_.flush(surroundings);
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

bool RcQueuePair::admits(const wire::IbTransportHeader& header) const {
  return core_.may_receive() && partitions_match(header.partition_key, core_.attributes().partition_key);
}

void RcQueuePair::on_packet(const ReceivedPacket& received, verbs::Context& context, Time now) {
  const wire::IbTransportHeader& header = received.packet.ib;
  const wire::OpcodeInfo& info = wire::describe(header.opcode);
  const wire::Service service = wire::service_of(header.opcode);
  const bool extension =
      service == wire::Service::kManufacturer && options_.loss_recovery == LossRecovery::kSelectiveRepeat;
  const RcCall surroundings = call(context, now);
  // A reserved operation of the right service is judged as a request: NAK Invalid Request in its turn.
  //= ibta-1.7 9.7.4.1.3
  const bool known = info.valid || service == wire::Service::kRc;
  if (!known || received.packet.has(wire::kCorrupted) || !admits(header)) {
    ++counters_.discarded;
    return;
  }
  if (is_cnp(header.opcode)) {
    requester_.on_congestion(surroundings);
    return;
  }
  if (service != wire::Service::kRc && !extension) {
    ++counters_.discarded;
    return;
  }
  if (is_response(wire::operation_of(header.opcode))) {
    if (!may_request()) {
      ++counters_.discarded;
      return;
    }
    requester_.on_response(received, surroundings);
  } else {
    if (!established_ && core_.state() == verbs::QpState::kRtr) {
      context.raise({.type = verbs::AsyncEventType::kCommEst, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
    }
    established_ = true;
    responder_.on_request(received, surroundings);
  }
  settle(surroundings);
}

void RcQueuePair::on_timeout(verbs::Context& context, Time now) {
  if (!may_request())
    return;
  const RcCall surroundings = call(context, now);
  requester_.on_timeout(surroundings);
  settle(surroundings);
}

bool RcQueuePair::poll_transmit(TransmitSlot slot, verbs::Context& context, Time now) {
  const RcCall surroundings = call(context, now);
  const bool requests = may_request();
  // Acknowledgements go first; READ data and requests take turns.
  const bool requests_first = requests && request_turn_ && responder_.sends_data();
  request_turn_ = !request_turn_;
  bool sent = requests_first && requester_.poll_transmit(slot, surroundings);
  if (!sent)
    sent = responder_.poll_transmit(slot, surroundings);
  if (!sent && requests && !requests_first)
    sent = requester_.poll_transmit(slot, surroundings);
  if (requester_.failed() || responder_.failed())
    settle(surroundings);
  return sent;
}

Time RcQueuePair::next_transmit() const {
  const Time answer = responder_.next_transmit();
  if (!may_request())
    return answer;
  return earlier(answer, requester_.next_transmit(core_));
}

}  // namespace weft::transport
