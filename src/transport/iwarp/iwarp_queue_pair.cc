// What is left when start-up, sending, receiving and errors have files of their own.
#include "transport/iwarp/iwarp_queue_pair.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::transport {

IwarpQueuePair::IwarpQueuePair(const QpIdentity& identity, const verbs::QpInitAttributes& init,
                               const IwarpOptions& options)
    : StreamQueuePair(identity, init, options), settings_(options) {
  WEFT_ASSERT(options.mpa_revision == 1 || options.mpa_revision == 2);
  WEFT_ASSERT(options.private_data.size() <= wire::MpaStartFrame::kMaxPrivateData - wire::MpaEnhanced::kSize);
}

IwarpQueuePair::~IwarpQueuePair() = default;

Result<void> IwarpQueuePair::check_request(const verbs::SendWr& request) const {
  switch (request.opcode) {
    case verbs::WrOpcode::kSend:
    case verbs::WrOpcode::kSendWithInv:
    case verbs::WrOpcode::kRdmaWrite:
    case verbs::WrOpcode::kRdmaWriteWithImm:
      return {};
    case verbs::WrOpcode::kRdmaRead:
      if (core().attributes().max_rd_atomic == 0)
        return fail("post_send: max_rd_atomic is 0; READ needs at least 1");
      return {};
    case verbs::WrOpcode::kSendWithImm:
      return fail(
          "post_send: SEND with immediate data over iWARP, where immediate data are a message of their own; use WRITE "
          "with immediate data, or put the value in the message");
    case verbs::WrOpcode::kAtomicCmpAndSwp:
    case verbs::WrOpcode::kAtomicFetchAndAdd:
      break;
  }
  return fail("post_send: an atomic over iWARP, which carries SEND, WRITE and READ");
}

void IwarpQueuePair::reset_framing() {
  agreement_ = {};
  phase_ = Phase::kIdle;
  writing_ = Writing::kNothing;
  read_turn_ = immediate_due_ = in_send_ = in_write_ = false;
  write_origin_ = read_origin_ = 0;
  send_msn_ = read_msn_ = expected_send_msn_ = expected_read_msn_ = 1;
  send_received_ = write_received_ = 0;
  inbound_reads_ = {};
  outbound_reads_ = {};
  early_.clear();
  early_first_ = 0;
  own_.clear();
  start_request_.clear();
  peer_private_data_.clear();
  terminate_sent_.reset();
  terminate_received_.reset();
}

StreamQueuePair::Step IwarpQueuePair::write_next(const StreamCall& call) {
  switch (phase_) {
    case Phase::kRequestDue:
      if (!core().may_request())
        return Step::kNothing;
      write_start_frame(make_request(settings_, depths()), call);
      phase_ = Phase::kAwaitsReply;
      return Step::kNothing;
    case Phase::kReplyDue:
      if (!core().may_request())
        return Step::kNothing;
      write_reply(call);
      return Step::kNothing;
    case Phase::kOperation:
      return write_operation(call);
    case Phase::kIdle:
    case Phase::kAwaitsReply:
    case Phase::kAwaitsRequest:
    case Phase::kAwaitsFirst:
    case Phase::kTerminated:
      break;
  }
  return Step::kNothing;
}

StreamQueuePair::Step IwarpQueuePair::read_next(const StreamCall& call) {
  switch (phase_) {
    case Phase::kAwaitsReply:
    case Phase::kAwaitsRequest:
      return read_start_frame(call);
    case Phase::kAwaitsFirst:
    case Phase::kOperation:
      return read_fpdu(call);
    case Phase::kIdle:
    case Phase::kRequestDue:
    case Phase::kReplyDue:
    case Phase::kTerminated:
      break;
  }
  return Step::kNothing;
}

// An FPDU is made as a whole, since its CRC covers all of it, and cut to what is asked for: almost always everything.
bool IwarpQueuePair::gather_frame(const OutgoingFrame& frame, std::uint32_t from, std::span<std::byte> out) const {
  WEFT_DCHECK(from + out.size() <= frame.length);
  const bool own = frame.source == OutgoingFrame::Source::kOwn;
  if (own && frame.header_bytes == 0) {
    std::ranges::copy(std::span(own_[frame.number]).subspan(from, out.size()), out.begin());
    return true;
  }
  const std::span<const std::byte> header = frame.header_span().subspan(wire::kMpaLengthSize);
  std::vector<std::byte> ulpdu(header.size() + frame.payload_bytes);
  std::ranges::copy(header, ulpdu.begin());
  const std::span<std::byte> payload = std::span(ulpdu).subspan(header.size());
  bool readable = true;
  switch (frame.source) {
    case OutgoingFrame::Source::kNone:
      break;
    case OutgoingFrame::Source::kRequest:
      readable = payload.empty() || gather_request(frame.number, frame.payload_offset, payload);
      break;
    case OutgoingFrame::Source::kRegion:
      readable = ReceivePlacement::fetch({.key = frame.key, .address = frame.address, .length = frame.payload_bytes},
                                         payload, core(), context());
      break;
    case OutgoingFrame::Source::kOwn:
      std::ranges::copy(own_[frame.number], payload.begin());
      break;
  }
  const std::uint64_t place = frame.begin - write_origin_;
  if (out.size() == frame.length) {
    wire::emit_fpdu({.ulpdu = ulpdu}, place, agreement_.sends, out);
    return readable;
  }
  std::vector<std::byte> whole(frame.length);
  wire::emit_fpdu({.ulpdu = ulpdu}, place, agreement_.sends, whole);
  std::ranges::copy(std::span(whole).subspan(from, out.size()), out.begin());
  return readable;
}

std::size_t IwarpQueuePair::heap_bytes() const {
  std::size_t bytes = StreamQueuePair::heap_bytes() + inbound_reads_.heap_bytes() + outbound_reads_.heap_bytes() +
                      early_.capacity() * sizeof(EarlyFpdu) + own_.capacity() * sizeof(own_[0]) +
                      start_request_.capacity() + peer_private_data_.capacity() + settings_.private_data.capacity();
  for (const std::vector<std::byte>& frame : own_)
    bytes += frame.capacity();
  bytes += (terminate_sent_ != nullptr ? sizeof(wire::Terminate) : 0) +
           (terminate_received_ != nullptr ? sizeof(wire::Terminate) : 0);
  return bytes;
}

}  // namespace weft::transport
