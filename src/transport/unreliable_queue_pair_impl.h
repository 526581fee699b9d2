// The functions of UnreliableQueuePair, for the two files that instantiate it.
#pragma once

#include "transport/operations.h"
#include "transport/partition.h"
#include "transport/unreliable_queue_pair.h"
#include "wire/opcode.h"

namespace weft::transport {

template <class Service>
UnreliableQueuePair<Service>::UnreliableQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init,
                                                  const Options& options)
    : core_(identity, init), options_(options), responder_(init) {}

template <class Service>
UnreliableCall UnreliableQueuePair<Service>::call(verbs::Context& context, Time now) {
  return {.core = core_,
          .flow = options_.flow,
          .mtu = Service::mtu(core_, options_),
          .context = context,
          .counters = counters_,
          .now = now};
}

template <class Service>
Result<void> UnreliableQueuePair<Service>::modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                                  verbs::Context& context, Time now) {
  const verbs::QpModification modification{
      .type = core_.init().type, .from = core_.state(), .mask = mask, .attributes = attributes};
  if (Result<void> applied = core_.apply(attributes, mask); !applied)
    return applied;
  enter(verbs::state_after(modification), call(context, now));
  return {};
}

template <class Service>
void UnreliableQueuePair<Service>::enter(verbs::QpState state, const UnreliableCall& environment) {
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
    counters_ = {};
    established_ = drain_reported_ = false;
  } else if (state == QpState::kRtr && from == QpState::kInit) {
    responder_.start(environment);
  } else if (state == QpState::kRts && from == QpState::kRtr) {
    requester_.start(environment);
  } else if (state == QpState::kRts && from == QpState::kSqe) {
    requester_.clear_fault();
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    drain_reported_ = false;
  }
  settle(environment);
}

//= ibta-1.7 10.3.1.6
template <class Service>
void UnreliableQueuePair<Service>::enter_error(const UnreliableCall& environment) {
  const verbs::QpState from = core_.state();
  core_.set_state(verbs::QpState::kErr);
  if (from == verbs::QpState::kReset)
    return;
  requester_.flush(environment);
  responder_.flush(environment);
  if (from != verbs::QpState::kErr && core_.init().srq.is_valid())
    raise(verbs::AsyncEventType::kQpLastWqeReached, environment.context);
}

// What a call may have led to: failure of either half, or the end of draining.
template <class Service>
void UnreliableQueuePair<Service>::settle(const UnreliableCall& environment) {
  if (core_.state() == verbs::QpState::kErr)
    return;
  bool fatal = responder_.failed() || requester_.fault() == SendFault::kQueuePair;
  //= ibta-1.7 10.3.1
  if (!fatal && requester_.fault() == SendFault::kSendQueue && may_request()) {
    core_.set_state(verbs::QpState::kSqe);
    fatal = !requester_.flush(environment);
  }
  if (fatal) {
    enter_error(environment);
  } else if (core_.state() == verbs::QpState::kSqd && !drain_reported_ && requester_.drained()) {
    drain_reported_ = true;
    raise(verbs::AsyncEventType::kSqDrained, environment.context);
  }
}

template <class Service>
Result<void> UnreliableQueuePair<Service>::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  const UnreliableCall environment = call(context, now);
  if (Result<void> posted = requester_.post(request, environment); !posted)
    return posted;
  const verbs::QpState state = core_.state();
  const bool flushed = state == verbs::QpState::kErr || state == verbs::QpState::kSqe;
  if (flushed && !requester_.flush(environment) && state == verbs::QpState::kSqe)
    enter_error(environment);
  return {};
}

template <class Service>
Result<void> UnreliableQueuePair<Service>::post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now) {
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

template <class Service>
void UnreliableQueuePair<Service>::on_packet(const ReceivedPacket& received, verbs::Context& context, Time now) {
  const wire::IbTransportHeader& header = received.packet.ib;
  if (!wire::describe(header.opcode).valid || received.packet.has(wire::kCorrupted) || !core_.may_receive()) {
    ++counters_.discarded;
    return;
  }
  if (!partitions_match(header.partition_key, core_.attributes().partition_key)) {
    ++counters_.pkey_violations;
    return;
  }
  if (is_cnp(header.opcode)) {
    ++counters_.cnp_handled;
    if (options_.flow.congestion_control != nullptr)
      options_.flow.congestion_control->on_congestion(now);
    return;
  }
  if (wire::service_of(header.opcode) != Service::kWireService) {
    ++counters_.discarded;
    return;
  }
  if (Service::kConnected && !established_ && core_.state() == verbs::QpState::kRtr)
    raise(verbs::AsyncEventType::kCommEst, context);
  established_ = true;
  const UnreliableCall environment = call(context, now);
  responder_.on_request(received, environment);
  if (responder_.failed())
    settle(environment);
}

template <class Service>
bool UnreliableQueuePair<Service>::poll_transmit(TransmitSlot slot, verbs::Context& context, Time now) {
  const UnreliableCall environment = call(context, now);
  if (responder_.poll_transmit(slot, environment))
    return true;
  if (!may_request())
    return false;
  const bool sent = requester_.poll_transmit(slot, environment);
  if (requester_.fault() != SendFault::kNone || core_.state() == verbs::QpState::kSqd)
    settle(environment);
  return sent;
}

template <class Service>
Time UnreliableQueuePair<Service>::next_transmit() const {
  const Time answer = responder_.next_transmit();
  return may_request() ? earlier(answer, requester_.next_transmit(core_)) : answer;
}

}  // namespace weft::transport
