#include "transport/memory/memory_queue_pair.h"

#include "base/assert.h"

namespace weft::transport {

MemoryQueuePair::MemoryQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init,
                                 const MemoryOptions& options)
    : core_(identity, init), options_(options), responder_(init) {
  WEFT_ASSERT(options.format.unit > 0 && options.format.unit <= wire::kLargestMemoryUnit &&
              options.load_window >= Bytes(options.format.unit));
  WEFT_ASSERT(wire::data_wire_bytes(options.format, options.format.unit) <= 0xFFFF);
}

Result<void> MemoryQueuePair::modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                     verbs::Context& context, Time now) {
  const verbs::QpModification modification{
      .type = verbs::QpType::kRc, .from = core_.state(), .mask = mask, .attributes = attributes};
  if (Result<void> applied = core_.apply(attributes, mask); !applied)
    return applied;
  enter(verbs::state_after(modification), call(context, now));
  return {};
}

void MemoryQueuePair::enter(verbs::QpState state, const MemoryCall& environment) {
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
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    drain_reported_ = false;
  }
  settle(environment);
}

//= ibta-1.7 10.3.1.6
void MemoryQueuePair::enter_error(const MemoryCall& environment) {
  const verbs::QpState from = core_.state();
  core_.set_state(verbs::QpState::kErr);
  if (from == verbs::QpState::kReset)
    return;
  requester_.flush(environment);
  responder_.flush(environment);
  if (from != verbs::QpState::kErr && core_.init().srq.is_valid())
    raise(verbs::AsyncEventType::kQpLastWqeReached, environment);
}

void MemoryQueuePair::raise(verbs::AsyncEventType type, const MemoryCall& environment) const {
  environment.context.raise({.type = type, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
}

// What a call may have led to: failure of either half, or the end of draining.
void MemoryQueuePair::settle(const MemoryCall& environment) {
  if (core_.state() == verbs::QpState::kErr)
    return;
  if (requester_.failed() || responder_.failed()) {
    enter_error(environment);
  } else if (core_.state() == verbs::QpState::kSqd && !drain_reported_ && requester_.drained()) {
    drain_reported_ = true;
    raise(verbs::AsyncEventType::kSqDrained, environment);
  }
}

Result<void> MemoryQueuePair::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  const MemoryCall environment = call(context, now);
  if (Result<void> posted = requester_.post(request, environment); !posted)
    return posted;
  if (core_.state() == verbs::QpState::kErr)
    requester_.flush(environment);
  return {};
}

Result<void> MemoryQueuePair::post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now) {
  if (core_.init().srq.is_valid()) {
    return fail("post_recv: the queue pair takes receive requests from its shared receive queue; post them there");
  }
  if (core_.state() == verbs::QpState::kReset)
    return fail("post_recv: the queue pair is in RESET; move it to INIT");
  if (Result<void> posted = responder_.post(request); !posted)
    return posted;
  const MemoryCall environment = call(context, now);
  if (core_.state() == verbs::QpState::kErr) {
    responder_.flush(environment);
  } else if (responder_.waits_for_receive()) {
    responder_.on_receive_posted(environment);
    settle(environment);
  }
  return {};
}

void MemoryQueuePair::on_shared_receive(verbs::Context& context, Time now) {
  const MemoryCall environment = call(context, now);
  responder_.on_receive_posted(environment);
  settle(environment);
}

void MemoryQueuePair::on_packet(const ReceivedPacket& received, verbs::Context& context, Time now) {
  if (received.packet.has(wire::kCorrupted) || !core_.may_receive()) {
    ++counters_.discarded;
    return;
  }
  const MemoryCall environment = call(context, now);
  switch (received.packet.memory.operation) {
    case wire::MemoryOperation::kStore:
    case wire::MemoryOperation::kSend:
    case wire::MemoryOperation::kLoad:
      if (!established_ && core_.state() == verbs::QpState::kRtr)
        raise(verbs::AsyncEventType::kCommEst, environment);
      established_ = true;
      responder_.on_request(received, environment);
      break;
    case wire::MemoryOperation::kLoadData:
      requester_.on_load_data(received, environment);
      break;
    case wire::MemoryOperation::kStoreAck:
    case wire::MemoryOperation::kRefusal:
    case wire::MemoryOperation::kWait:
      requester_.on_response(received, environment);
      break;
  }
  settle(environment);
}

void MemoryQueuePair::on_timeout(verbs::Context& context, Time now) {
  const MemoryCall environment = call(context, now);
  requester_.on_timeout(environment);
  settle(environment);
}

bool MemoryQueuePair::poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now) {
  const MemoryCall environment = call(context, now);
  if (response_pending()) {
    responder_.fill_response(slot.packet, environment);
    return true;
  }
  const bool serves = core_.may_receive() && responder_.data_wait();
  const bool requests = core_.may_request() && requester_.ready(core_, options_);
  if (!serves && !requests)
    return false;
  request_turn_ = requests && (!serves || !request_turn_);
  const bool sent =
      request_turn_ ? requester_.poll_transmit(slot, environment) : responder_.fill_load_data(slot, environment);
  if (!sent)
    settle(environment);
  return sent;
}

}  // namespace weft::transport
