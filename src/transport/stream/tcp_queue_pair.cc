#include "transport/stream/tcp_queue_pair.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/assert.h"

namespace weft::transport {
namespace {

StreamMessageKind kind_of(verbs::WrOpcode opcode) {
  switch (opcode) {
    case verbs::WrOpcode::kSendWithImm:
      return StreamMessageKind::kSendWithImmediate;
    case verbs::WrOpcode::kRdmaWrite:
      return StreamMessageKind::kWrite;
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return StreamMessageKind::kWriteWithImmediate;
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithInv:
    case verbs::WrOpcode::kRdmaRead:
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return StreamMessageKind::kSend;
}

StreamMessage header_of(const SendWqe& wqe) {
  StreamMessage message;
  message.kind = kind_of(wqe.opcode);
  message.solicited = (wqe.flags & verbs::kSendSolicited) != 0;
  message.length = wqe.length;
  if (message.has_immediate())
    message.immediate = wqe.immediate;
  if (message.is_write()) {
    message.remote_key = wqe.rkey;
    message.remote_address = wqe.remote_address;
  }
  return message;
}

OutgoingFrame frame_of(const StreamMessage& message) {
  OutgoingFrame frame;
  frame.header_bytes = StreamMessage::kSize;
  message.emit(frame.header);
  frame.payload_bytes = message.length;
  frame.length = static_cast<std::uint32_t>(StreamMessage::kSize) + message.length;
  return frame;
}

/// What RC answers to the same fault.
//= ibta-1.7 9.7.4
RefusalCode code_of(SinkFault fault) {
  switch (fault) {
    case SinkFault::kInvalidKey:
    case SinkFault::kWrongDomain:
    case SinkFault::kOutOfBounds:
    case SinkFault::kAddressWrap:
    case SinkFault::kPermission:
    case SinkFault::kNotInvalidatable:
      return RefusalCode::kRemoteAccess;
    case SinkFault::kReceiveMemory:
    case SinkFault::kCompletionQueue:
      return RefusalCode::kRemoteOperational;
    case SinkFault::kNone:
    case SinkFault::kNoReceive:
    case SinkFault::kTooLong:
    case SinkFault::kNotAdmitted:
      break;
  }
  return RefusalCode::kInvalidRequest;
}

verbs::WcStatus status_of(RefusalCode code) {
  switch (code) {
    case RefusalCode::kInvalidRequest:
      return verbs::WcStatus::kRemInvReqErr;
    case RefusalCode::kRemoteAccess:
      return verbs::WcStatus::kRemAccessErr;
    case RefusalCode::kRemoteOperational:
      break;
  }
  return verbs::WcStatus::kRemOpErr;
}

}  // namespace

TcpQueuePair::TcpQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init, const TcpQpOptions& options)
    : StreamQueuePair(identity, init, options) {}

Result<void> TcpQueuePair::check_request(const verbs::SendWr& request) const {
  switch (request.opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithImm:
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return {};
    case verbs::WrOpcode::kRdmaRead:
      return fail(
          "post_send: READ over kernel TCP; a stream carries SEND and WRITE only: let the target send the data");
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      return fail("post_send: an atomic over kernel TCP; a stream carries SEND and WRITE only");
    case verbs::WrOpcode::kSendWithInv:
      break;
  }
  return fail("post_send: SEND with invalidate over kernel TCP; a stream carries SEND and WRITE only");
}

void TcpQueuePair::reset_framing() {
  arriving_ = {};
  received_ = messages_taken_ = 0;
  in_message_ = false;
}

void TcpQueuePair::start_framing(const StreamCall&) {}

StreamQueuePair::Step TcpQueuePair::write_next(const StreamCall& call) {
  StreamRequest* const request = writable_request(call);
  if (request == nullptr)
    return Step::kNothing;
  OutgoingFrame frame = frame_of(header_of(request->wqe));
  frame.source = OutgoingFrame::Source::kRequest;
  frame.number = requests().next_number();
  write(frame, frame.header_span(), call);
  request->wqe.started = true;
  request->written = request->wqe.length;
  requests().mark_written(write_position());
  return Step::kDone;
}

bool TcpQueuePair::gather_frame(const OutgoingFrame& frame, std::uint32_t from, std::span<std::byte> out) const {
  if (from < frame.header_bytes) {
    const std::size_t head = std::min<std::size_t>(out.size(), frame.header_bytes - from);
    std::ranges::copy(frame.header_span().subspan(from, head), out.begin());
    out = out.subspan(head);
    from = frame.header_bytes;
  }
  return out.empty() || gather_request(frame.number, from - frame.header_bytes, out);
}

// The kernel's socket buffer keeps what comes early; the program sees bytes in order only.
bool TcpQueuePair::place_early(const StreamRun&, const StreamCall&) { return false; }

StreamQueuePair::Step TcpQueuePair::read_next(const StreamCall& call) {
  return in_message_ ? continue_message(call) : begin_message(call);
}

StreamQueuePair::Step TcpQueuePair::begin_message(const StreamCall& call) {
  if (available() < StreamMessage::kSize)
    return Step::kNothing;
  std::array<std::byte, StreamMessage::kSize> header;
  const std::size_t size = input().read_header(input().position(), header);
  const Result<StreamMessage> message = StreamMessage::parse(std::span(header).first(size));
  if (!message) {
    refuse(SinkFault::kNotAdmitted, call);
    return Step::kNothing;
  }
  if (message->kind == StreamMessageKind::kRefusal) {
    on_refusal(*message, call);
    return Step::kNothing;
  }
  if (message->consumes_receive() && sink().take_receive(call) == SinkFault::kNoReceive) {
    wait_for_receive();
    return Step::kNothing;
  }
  arriving_ = *message;
  received_ = 0;
  if (const SinkFault fault = check_rest(call); fault != SinkFault::kNone) {
    refuse(fault, call);
    return Step::kNothing;
  }
  input().consume_to(input().position() + StreamMessage::kSize);
  in_message_ = true;
  return Step::kDone;
}

// What is left of the message: its memory may have been closed since it began.
SinkFault TcpQueuePair::check_rest(const StreamCall& call) {
  return arriving_.is_write() ? sink().check(rest(), verbs::kAccessRemoteWrite, call)
                              : sink().check_receive(received_, arriving_.length - received_, call);
}

RemoteRange TcpQueuePair::rest() const {
  return {.key = arriving_.remote_key,
          .address = arriving_.remote_address + received_,
          .length = arriving_.length - received_};
}

StreamQueuePair::Step TcpQueuePair::continue_message(const StreamCall& call) {
  const auto left = static_cast<std::size_t>(std::min<StreamOffset>(available(), arriving_.length - received_));
  if (received_ == arriving_.length) {
    end_message(call);
    return Step::kDone;
  }
  if (left == 0)
    return Step::kNothing;
  std::size_t piece = left;
  if (input().carries_bytes()) {
    if (const SinkFault fault = check_rest(call); fault != SinkFault::kNone) {
      refuse(fault, call);
      return Step::kNothing;
    }
    const std::span<const std::byte> bytes = input().view(input().position(), left);
    piece = bytes.size();
    if (arriving_.is_write()) {
      sink().place(rest(), bytes, call);
    } else {
      sink().place_received(received_, bytes, call);
    }
  }
  received_ += static_cast<std::uint32_t>(piece);
  input().consume_to(input().position() + piece);
  return Step::kDone;
}

void TcpQueuePair::end_message(const StreamCall& call) {
  WEFT_DCHECK(in_message_ && received_ == arriving_.length);
  in_message_ = false;
  ++messages_taken_;
  ++count().frames_received;
  if (!arriving_.consumes_receive())
    return;
  verbs::WorkCompletion completion;
  completion.byte_len = arriving_.length;
  completion.opcode = arriving_.is_write() ? verbs::WcOpcode::kRecvRdmaWithImm : verbs::WcOpcode::kRecv;
  if (arriving_.has_immediate()) {
    completion.imm_data = arriving_.immediate;
    completion.wc_flags |= verbs::kWcWithImm;
  }
  if (arriving_.solicited)
    completion.wc_flags |= verbs::kWcSolicited;
  if (const SinkFault fault = sink().complete(completion, call); fault != SinkFault::kNone)
    refuse(fault, call);
}

// The peer learns which message failed and why, and nothing more is said.
void TcpQueuePair::refuse(SinkFault fault, const StreamCall& call) {
  ++count().bad_requests;
  const RefusalCode code = code_of(fault);
  const OutgoingFrame frame = frame_of({.kind = StreamMessageKind::kRefusal,
                                        .immediate = static_cast<std::uint32_t>(code),
                                        .remote_address = messages_taken_});
  write(frame, frame.header_span(), call);
  // Of a WRITE the fault is not in the receive request, which is flushed with the others.
  if (!arriving_.is_write())
    sink().fail_receive(fault, call);
  const bool access = code == RefusalCode::kRemoteAccess;
  fail_stream({.event = access ? verbs::AsyncEventType::kQpAccessErr : verbs::AsyncEventType::kQpReqErr,
               .close_gracefully = true},
              call);
}

// Requests before the refused one have been executed. The refused one may have completed already, since TCP
// acknowledges what nobody has looked at; then only an event can tell.
void TcpQueuePair::on_refusal(const StreamMessage& message, const StreamCall& call) {
  const auto number = static_cast<std::uint32_t>(message.remote_address);
  Failure failure;
  if (requests().is_pending(number)) {
    failure.status = status_of(static_cast<RefusalCode>(message.immediate));
    (void)requests().complete_before(number, call);
  } else {
    failure.event = verbs::AsyncEventType::kQpFatal;
  }
  fail_stream(failure, call);
}

}  // namespace weft::transport
