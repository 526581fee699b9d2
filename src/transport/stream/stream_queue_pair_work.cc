// What a stream queue pair does with its connection: opens it, writes frames, takes what has arrived, completes what is
// acknowledged, and notices its end.
#include <algorithm>

#include "base/assert.h"
#include "transport/stream/stream_queue_pair.h"

namespace weft::transport {
namespace {

/// Both ends must know both ports without a word, and two connections of a pair of hosts should differ in one: the
/// dynamic range, by queue pair number.
//= rfc6335 6
std::uint16_t port_of(Qpn qpn) {
  constexpr std::uint32_t kFirst = 0xC000;
  constexpr std::uint32_t kMask = 0x3FFF;
  return static_cast<std::uint16_t>(kFirst | ((qpn.value() ^ (qpn.value() >> 14)) & kMask));
}

FramingHeaderLogs::Sender sender(EndpointId endpoint, Qpn qpn) { return {.endpoint = endpoint, .qpn = qpn}; }

}  // namespace

// The endpoint decides only between equal numbers, where both ends need some answer that is the same for both.
bool StreamQueuePair::is_initiator() const {
  const Qpn mine = core_.identity().qpn;
  const Qpn peers = core_.attributes().destination_qpn;
  return mine != peers ? mine < peers : core_.identity().endpoint < core_.attributes().address.destination;
}

void StreamQueuePair::open(const StreamCall& call) {
  const verbs::QpAttributes& attributes = call.attributes();
  const QpIdentity self = core_.identity();
  const TcpIdentity identity{
      .local = {.endpoint = self.endpoint, .connection = self.qpn, .port = port_of(self.qpn)},
      .peer = {.endpoint = attributes.address.destination,
               .connection = attributes.destination_qpn,
               .port = port_of(attributes.destination_qpn)},
  };
  if (attributes.address.traffic_class != 0)
    options_.tcp.traffic_class = static_cast<std::uint8_t>(attributes.address.traffic_class >> 2);
  connection_ = std::make_unique<TcpConnection>(identity, options_.tcp, static_cast<TcpStreamUser&>(*this));
  if (FramingHeaderLogs* const ledgers = options_.ledgers; ledgers != nullptr) {
    ledger_ = &ledgers->open(sender(self.endpoint, self.qpn));
    // What an earlier connection has left there.
    ledger_->clear();
    input_.start(&ledgers->open(sender(identity.peer.endpoint, identity.peer.connection)));
  }
  if (options_.start == StreamStart::kEstablished) {
    connection_->establish(call.now);
  } else if (is_initiator()) {
    connection_->connect(call.now);
  } else {
    connection_->listen();
  }
  start_framing(call);
}

void StreamQueuePair::release() {
  if (connection_ == nullptr)
    return;
  const TcpEnd peer = connection_->identity().peer;  // attributes may name another by now
  connection_.reset();
  if (ledger_ != nullptr) {
    options_.ledgers->close(sender(core_.identity().endpoint, core_.identity().qpn));
    options_.ledgers->close(sender(peer.endpoint, peer.connection));
    ledger_ = nullptr;
  }
  input_.reset();
  frames_.clear();
  contiguous_ = 0;
}

// What has arrived is taken before what is acknowledged is completed: a request that the peer refuses in the same
// packet has not succeeded.
void StreamQueuePair::work(const StreamCall& call) {
  if (connection_ == nullptr)
    return;
  take_arrivals(call);
  complete_acknowledged(call);
  watch_connection(call);
  write_frames(call);
  report_drained(call);
}

void StreamQueuePair::take_arrivals(const StreamCall& call) {
  WEFT_DCHECK(contiguous_ <= connection_->arrived());  // what has arrived in order stays so
  contiguous_ = connection_->arrived();
  if (!established_ && contiguous_ != 0) {
    established_ = true;
    if (core_.state() == verbs::QpState::kRtr)
      call.context.raise({.type = verbs::AsyncEventType::kCommEst, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
  }
  const bool waited = waits_for_receive_;
  waits_for_receive_ = false;
  while (core_.may_receive() && read_next(call) == Step::kDone) {
  }
  WEFT_DCHECK(input_.position() <= contiguous_);
  if (waits_for_receive_ && !waited)
    ++counters_.waits_for_receive;
  // Nobody reads any more, but the window must let the peer's FIN through.
  if (has_failed())
    input_.consume_to(contiguous_);
  // A connection that was reset meanwhile has no window to open.
  if (connection_->state() != TcpState::kClosed && input_.position() > connection_->consumed())
    connection_->consume(input_.position() - connection_->consumed(), call.now);
}

void StreamQueuePair::complete_acknowledged(const StreamCall& call) {
  const StreamOffset acknowledged = connection_->acknowledged();
  frames_.acknowledge(acknowledged);
  if (!requests_.complete_acknowledged(acknowledged, call))
    fail_stream({}, call);
}

// Ahead of what has been sent by little, lest a long message be kept as frames that nobody asks for yet.
void StreamQueuePair::write_frames(const StreamCall& call) {
  if (connection_ == nullptr)
    return;
  const auto limit = static_cast<StreamOffset>(options_.send_buffer.count());
  while (!has_failed() && unsent() < kWriteAhead && frames_.end() - connection_->acknowledged() < limit &&
         write_next(call) == Step::kDone) {
  }
}

// The oldest request not complete tells of the end; without one, an event does.
void StreamQueuePair::watch_connection(const StreamCall& call) {
  if (has_failed())
    return;
  const auto end_with = [&](verbs::WcStatus status) {
    Failure failure{.status = status};
    if (requests_.queued() == 0)
      failure.event = verbs::AsyncEventType::kQpFatal;
    fail_stream(failure, call);
  };
  switch (connection_->failure()) {
    case TcpFailure::kNone:
      break;
    case TcpFailure::kTimedOut:
    case TcpFailure::kRefused:
      return end_with(verbs::WcStatus::kRetryExcErr);
    case TcpFailure::kReset:
      return end_with(verbs::WcStatus::kRemAbortErr);
  }
  // A stream that waits for a receive request still has something to say.
  if (connection_->peer_closed() && !waits_for_receive_)
    end_with(verbs::WcStatus::kRemAbortErr);
}

void StreamQueuePair::report_drained(const StreamCall& call) {
  if (core_.state() != verbs::QpState::kSqd || drain_reported_ || !requests_.is_idle() || !between_messages())
    return;
  drain_reported_ = true;
  call.context.raise({.type = verbs::AsyncEventType::kSqDrained, .qp = core_.identity().qpn, .cq = {}, .srq = {}});
}

StreamRequest* StreamQueuePair::writable_request(const StreamCall& call) {
  if (!core_.may_request())
    return nullptr;
  StreamRequest* const request = requests_.next();
  if (request == nullptr || (core_.state() == verbs::QpState::kSqd && !request->wqe.started))
    return nullptr;
  SendWqe& wqe = request->wqe;
  if (!wqe.local_fault &&
      wqe.sg_list.check(call.context.memory(), core_.init().pd, wqe.local_access()) != verbs::AccessFault::kNone) {
    wqe.local_fault = true;
  }
  if (!wqe.local_fault)
    return request;
  // Requests before it complete first; it fails when it has come to the front.
  if (requests_.next_is_oldest())
    fail_stream({.status = verbs::WcStatus::kLocProtErr}, call);
  return nullptr;
}

StreamOffset StreamQueuePair::write_position() const { return frames_.end(); }

void StreamQueuePair::write(const OutgoingFrame& frame, std::span<const std::byte> note, const StreamCall& call) {
  ++counters_.frames_sent;
  if (ledger_ != nullptr)
    ledger_->append(frames_.end(), note);
  WEFT_DCHECK(frames_.end() == connection_->written());  // one count of the stream for framing and TCP
  frames_.push(frame);
  connection_->write(frame.length, call.now);
}

bool StreamQueuePair::gather_request(std::uint32_t number, std::uint64_t offset, std::span<std::byte> out) const {
  const SendWqe& wqe = requests_.at(number).wqe;
  if (wqe.sg_list.check(context_->memory(), core_.init().pd, 0) != verbs::AccessFault::kNone) {
    std::ranges::fill(out, std::byte{0});
    return false;
  }
  wqe.sg_list.gather(context_->memory(), offset, out);
  return true;
}

std::uint32_t StreamQueuePair::segment_length(StreamOffset offset, std::uint32_t room) const {
  if (!aligns_segments())
    return room;
  const StreamOffset left = frames_.at(offset).end() - offset;
  return static_cast<std::uint32_t>(std::min<StreamOffset>(left, room));
}

void StreamQueuePair::gather(StreamOffset offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const OutgoingFrame& frame = frames_.at(offset);
    const auto from = static_cast<std::uint32_t>(offset - frame.begin);
    const std::size_t piece = std::min<std::size_t>(out.size(), frame.length - from);
    unreadable_ |= !gather_frame(frame, from, out.first(piece));
    out = out.subspan(piece);
    offset += piece;
  }
}

void StreamQueuePair::on_arrival(const StreamRun& run) {
  if (has_failed())
    return;
  if (run.offset > contiguous_ && place_early(run, StreamCall{core_, *context_, now_}))
    return;
  if (input_.carries_bytes())
    input_.store(run);
}

}  // namespace weft::transport
