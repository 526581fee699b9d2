// States and the driver's functions. What is done with the connection: stream_queue_pair_work.cc.
#include "transport/stream/stream_queue_pair.h"

#include "base/assert.h"

namespace weft::transport {

StreamQueuePair::StreamQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init,
                                 const StreamOptions& options)
    : core_(identity, init), options_(options), sink_(init) {
  WEFT_ASSERT(options.send_buffer > Bytes::zero());
}

StreamQueuePair::~StreamQueuePair() { release(); }

StreamCall StreamQueuePair::begin(verbs::Context& context, Time now) {
  context_ = &context;
  now_ = now;
  return {core_, context, now};
}

Result<void> StreamQueuePair::modify(const verbs::QpAttributes& attributes, verbs::QpAttributeMask mask,
                                     verbs::Context& context, Time now) {
  const verbs::QpModification modification{
      .type = verbs::QpType::kRc, .from = core_.state(), .mask = mask, .attributes = attributes};
  if (Result<void> applied = core_.apply(attributes, mask); !applied)
    return applied;
  enter(verbs::state_after(modification), begin(context, now));
  return {};
}

void StreamQueuePair::enter(verbs::QpState state, const StreamCall& call) {
  using verbs::QpState;
  const QpState from = core_.state();
  if (state == QpState::kErr) {
    if (from == QpState::kReset) {
      core_.set_state(QpState::kErr);
    } else {
      fail_stream({}, call);
    }
    return;
  }
  core_.set_state(state);
  if (state == QpState::kReset) {
    reset();
  } else if (state == QpState::kRtr && from == QpState::kInit) {
    open(call);
  } else if (state == QpState::kSqd && from != QpState::kSqd) {
    drain_reported_ = false;
  }
  work(call);
}

void StreamQueuePair::reset() {
  release();
  requests_.reset();
  sink_.reset();
  reset_framing();
  counters_ = {};
  established_ = drain_reported_ = waits_for_receive_ = unreadable_ = false;
}

// What is already written goes out if the end is an orderly one; requests are flushed in any case.
//= ibta-1.7 10.3.1.6
void StreamQueuePair::fail_stream(const Failure& failure, const StreamCall& call) {
  if (has_failed())
    return;
  core_.set_state(verbs::QpState::kErr);
  const auto raise = [&](verbs::AsyncEventType type) {
    call.context.raise({.type = type, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  };
  if (failure.event.has_value())
    raise(*failure.event);
  requests_.flush(failure.status, call);
  sink_.flush(call);
  waits_for_receive_ = false;
  if (core_.init().srq.is_valid())
    raise(verbs::AsyncEventType::kQpLastWqeReached);
  if (connection_ == nullptr)
    return;
  if (failure.close_gracefully) {
    connection_->close(call.now);
  } else {
    connection_->abort(call.now);
  }
}

Result<void> StreamQueuePair::post_send(const verbs::SendWr& request, verbs::Context& context, Time now) {
  if (Result<void> known = check_request(request); !known)
    return known;
  const StreamCall call = begin(context, now);
  if (Result<void> posted = requests_.post(request, call); !posted)
    return posted;
  if (has_failed()) {
    requests_.flush(verbs::WcStatus::kWrFlushErr, call);
  } else {
    write_frames(call);
  }
  return {};
}

Result<void> StreamQueuePair::post_recv(const verbs::RecvWr& request, verbs::Context& context, Time now) {
  if (core_.init().srq.is_valid()) {
    return fail("post_recv: the queue pair takes receive requests from its shared receive queue; post them there");
  }
  if (core_.state() == verbs::QpState::kReset)
    return fail("post_recv: the queue pair is in RESET; move it to INIT");
  if (Result<void> posted = sink_.post(request); !posted)
    return posted;
  const StreamCall call = begin(context, now);
  if (has_failed()) {
    sink_.flush(call);
  } else if (waits_for_receive_) {
    work(call);
  }
  return {};
}

void StreamQueuePair::on_shared_receive(verbs::Context& context, Time now) {
  if (waits_for_receive_)
    work(begin(context, now));
}

void StreamQueuePair::on_packet(const ReceivedPacket& received, verbs::Context& context, Time now) {
  if (connection_ == nullptr || received.packet.has(wire::kCorrupted)) {
    ++counters_.discarded;
    return;
  }
  const StreamCall call = begin(context, now);
  connection_->on_packet(received, now);
  work(call);
}

void StreamQueuePair::on_timeout(verbs::Context& context, Time now) {
  if (connection_ == nullptr)
    return;
  const StreamCall call = begin(context, now);
  connection_->on_timeout(now);
  work(call);
}

bool StreamQueuePair::poll_transmit(const TransmitSlot& slot, verbs::Context& context, Time now) {
  if (connection_ == nullptr)
    return false;
  const StreamCall call = begin(context, now);
  const bool sent = connection_->poll_transmit(slot, now);
  if (!unreadable_) {
    if (sent && unsent() < kWriteAhead / 2)
      write_frames(call);
    return sent;
  }
  // The bytes of this segment are not what was posted: a reset goes in its place.
  unreadable_ = false;
  if (has_failed())
    return sent;
  fail_stream({.status = verbs::WcStatus::kLocProtErr}, call);
  return connection_->poll_transmit(slot, now);
}

Time StreamQueuePair::next_transmit() const {
  return connection_ == nullptr ? Time::never() : connection_->next_transmit();
}
bool StreamQueuePair::response_pending() const { return connection_ != nullptr && connection_->response_pending(); }
Time StreamQueuePair::next_data() const { return connection_ == nullptr ? Time::never() : connection_->next_data(); }
Time StreamQueuePair::next_timeout() const {
  return connection_ == nullptr ? Time::never() : connection_->next_timeout();
}

std::size_t StreamQueuePair::heap_bytes() const {
  std::size_t bytes = requests_.heap_bytes() + frames_.heap_bytes() + input_.heap_bytes() + sink_.heap_bytes();
  if (connection_ != nullptr)
    bytes += sizeof(TcpConnection) + connection_->heap_bytes();
  if (ledger_ != nullptr)
    bytes += ledger_->heap_bytes();
  return bytes;
}

StreamQueuePair::Buffers StreamQueuePair::buffers() const {
  Buffers buffers{.send_limit = options_.send_buffer, .receive_limit = options_.tcp.receive_buffer};
  if (connection_ != nullptr) {
    buffers.send = Bytes(static_cast<std::int64_t>(connection_->written() - connection_->acknowledged()));
    buffers.receive = Bytes(static_cast<std::int64_t>(connection_->arrived() - connection_->consumed()));
  }
  return buffers;
}

}  // namespace weft::transport
