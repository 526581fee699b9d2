#include "transport/uet/uet_queue_pair.h"

#include "base/assert.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

UetQueuePair::UetQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, UetEndpoint& endpoint)
    : core_(identity, init), endpoint_(endpoint), responder_(init) {}

SesCall UetQueuePair::call(verbs::Context& context, Time now) const {
  return {core_, endpoint_.options(), context, now};
}

Result<void> UetQueuePair::modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                  verbs::Context& context, Time now) {
  const verbs::QpModification modification{
      .type = verbs::QpType::kRc, .from = core_.state(), .mask = mask, .attributes = attributes};
  end_runs();
  if (Result<void> applied = core_.apply(attributes, mask); !applied)
    return applied;
  enter(verbs::state_after(modification), call(context, now));
  return {};
}

void UetQueuePair::enter(verbs::QpState state, const SesCall& environment) {
  using verbs::QpState;
  const QpState from = core_.state();
  if (state == QpState::kErr) {
    enter_error(environment);
    return;
  }
  core_.set_state(state);
  if (state == QpState::kReset) {
    endpoint_.leave(*this, environment.now);
    requester_.reset();
    responder_.reset();
    established_ = drain_reported_ = false;
  } else if (state == QpState::kRtr && from == QpState::kInit) {
    responder_.start(environment);
  } else if (state == QpState::kRts && from == QpState::kRtr) {
    requester_.start(environment);
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    drain_reported_ = false;
  }
  settle(environment);
}

//= ibta-1.7 10.3.1.6
void UetQueuePair::enter_error(const SesCall& environment) {
  end_runs();
  const verbs::QpState from = core_.state();
  core_.set_state(verbs::QpState::kErr);
  if (from == verbs::QpState::kReset)
    return;
  endpoint_.leave(*this, environment.now);
  requester_.flush(environment);
  responder_.flush(environment);
  if (from != verbs::QpState::kErr && core_.init().srq.is_valid())
    raise(verbs::AsyncEventType::kQpLastWqeReached, environment);
}

void UetQueuePair::raise(verbs::AsyncEventType type, const SesCall& environment) const {
  environment.context.raise({.type = type, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
}

// What a call may have led to: failure of either half, the end of draining, packets to send.
void UetQueuePair::settle(const SesCall& environment) {
  if (responder_.take_access_violation())
    raise(verbs::AsyncEventType::kQpAccessErr, environment);
  if (core_.state() == verbs::QpState::kErr || core_.state() == verbs::QpState::kReset)
    return;
  if (requester_.failed() || responder_.failed()) {
    enter_error(environment);
    return;
  }
  if (core_.state() == verbs::QpState::kSqd && !drain_reported_ && requester_.drained()) {
    drain_reported_ = true;
    raise(verbs::AsyncEventType::kSqDrained, environment);
  }
  request_transmit(environment);
}

// Owners are in their context's ring at most once, and stay there as long as they have packets to send.
void UetQueuePair::request_transmit(const SesCall& environment) {
  if (!request_queued_ && requester_.ready(environment)) {
    request_queued_ = true;
    const std::uint32_t owner = owner_of(Half::kRequester);
    // With answers outstanding it stays with its context, so that they belong to requests of the same one.
    if (!uses_context_)
      pdc_ = endpoint_.context_for(core_, environment.now);
    if (pdc_ == 0) {
      endpoint_.wait_for_context(owner);
    } else {
      endpoint_.enqueue(pdc_, owner, environment.now);
    }
  }
  if (!answer_queued_ && answer_pdc_ != 0 && responder_.ready()) {
    answer_queued_ = true;
    endpoint_.enqueue(answer_pdc_, owner_of(Half::kResponder), environment.now);
  }
  if (const bool uses = pdc_ != 0 && requester_.reads() > 0; uses != uses_context_) {
    uses_context_ = uses;
    if (uses) {
      endpoint_.add_user(pdc_);
    } else {
      endpoint_.remove_user(pdc_);
    }
  }
}

Result<void> UetQueuePair::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  const SesCall environment = call(context, now);
  if (Result<void> posted = requester_.post(request, environment); !posted)
    return posted;
  if (core_.state() == verbs::QpState::kErr) {
    requester_.flush(environment);
  } else {
    settle(environment);
  }
  return {};
}

Result<void> UetQueuePair::post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now) {
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

SesNext UetQueuePair::make_next(std::uint32_t owner, const TransmitSlot& slot, verbs::Context& context, Time now) {
  const SesCall environment = call(context, now);
  const bool requests = half_of(owner) == Half::kRequester;
  const SesNext made =
      requests ? requester_.make_next(owner, slot, environment) : responder_.make_next(owner, slot, environment);
  if (!made.more)
    (requests ? request_queued_ : answer_queued_) = false;
  if (!made.made || requester_.reads() > 0) [[unlikely]]
    settle(environment);
  return made;
}

std::uint16_t UetQueuePair::make_again(const SesPacket& packet, const TransmitSlot& slot, verbs::Context& context,
                                       Time now) {
  const SesCall environment = call(context, now);
  if (half_of(packet.owner) == Half::kResponder)
    return responder_.make_again(packet, slot, environment);
  const std::uint16_t made = requester_.make_again(packet, slot, environment);
  if (made == 0)
    settle(environment);
  return made;
}

Bytes UetQueuePair::backlog(std::uint32_t owner, Bytes enough, verbs::Context& context, Time now) const {
  const SesCall environment = call(context, now);
  return half_of(owner) == Half::kRequester ? requester_.backlog(enough, environment)
                                            : responder_.backlog(enough, environment);
}

void UetQueuePair::on_delivered(const SesPacket& packet, verbs::Context& context, Time now) {
  const SesCall environment = call(context, now);
  if (half_of(packet.owner) == Half::kResponder) {
    responder_.on_delivered(packet);
    return;
  }
  if (requester_.on_delivered(packet, environment)) [[unlikely]]
    settle(environment);
}

void UetQueuePair::on_response(const SesPacket& packet, const wire::UetExtension& response, verbs::Context& context,
                               Time now) {
  if (half_of(packet.owner) == Half::kResponder)
    return;  // the requester takes answers as they are
  const SesCall environment = call(context, now);
  requester_.on_response(packet, response.return_code, environment);
  settle(environment);
}

Duration UetQueuePair::on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, verbs::Context& context,
                                  Time now) {
  const SesCall environment = call(context, now);
  if (half_of(packet.owner) == Half::kResponder)
    return environment.options.timeout;
  const Duration pause = requester_.on_refused(packet, notice, environment);
  settle(environment);
  return pause;
}

SesReception UetQueuePair::on_request(const ReceivedPacket& received, std::uint16_t pdc, verbs::Context& context,
                                      Time now) {
  ++epoch_;
  const SesCall environment = call(context, now);
  if (!established_ && core_.state() == verbs::QpState::kRtr)
    raise(verbs::AsyncEventType::kCommEst, environment);
  established_ = true;
  // Answers to requests of an earlier context have nobody left to take them.
  if (answer_pdc_ != pdc) {
    if (answer_pdc_ != 0 && answer_queued_) {
      endpoint_.forget(answer_pdc_, owner_of(Half::kResponder));
      answer_queued_ = false;
    }
    answer_pdc_ = pdc;
  }
  const SesReception reception = responder_.on_request(received, environment);
  settle(environment);
  return reception;
}

bool UetQueuePair::find_take_run(const wire::Packet& packet, std::uint16_t pdc, const verbs::Context& context,
                                 TakeRun& run) {
  const verbs::QpState state = core_.state();
  // A shared receive queue is looked at after every packet.
  if (!established_ || answer_pdc_ != pdc || (state != verbs::QpState::kRts && state != verbs::QpState::kRtr) ||
      core_.attributes().address.destination != packet.common.source || core_.init().srq.is_valid())
    return false;
  run.epoch = epoch_;
  run.epoch_now = &epoch_;
  return responder_.find_run(packet, core_, context, run);
}

void UetQueuePair::on_answer(const ReceivedPacket& received, verbs::Context& context, Time now) {
  const SesCall environment = call(context, now);
  requester_.on_answer(received, environment);
  settle(environment);
}

void UetQueuePair::on_context_lost(std::uint16_t pdc, verbs::Context& context, Time now) {
  end_runs();
  const SesCall environment = call(context, now);
  if (answer_pdc_ == pdc) {
    answer_pdc_ = 0;
    answer_queued_ = false;
    responder_.on_context_lost();
  }
  if (pdc_ != pdc)
    return;
  pdc_ = 0;
  request_queued_ = uses_context_ = false;
  if (core_.state() != verbs::QpState::kErr)
    requester_.on_context_lost(environment);
  settle(environment);
}

void UetQueuePair::on_context_closed(std::uint16_t pdc) {
  end_runs();
  if (answer_pdc_ != pdc)
    return;
  answer_pdc_ = 0;
  answer_queued_ = false;
  responder_.on_context_lost();
}

void UetQueuePair::forget_contexts() {
  end_runs();
  pdc_ = answer_pdc_ = 0;
  request_queued_ = answer_queued_ = uses_context_ = false;
}

}  // namespace weft::transport
