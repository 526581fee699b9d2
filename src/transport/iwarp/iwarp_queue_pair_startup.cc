// Request and reply of MPA, and what the initiator sends first.
#include <array>

#include "transport/iwarp/iwarp_queue_pair.h"

namespace weft::transport {

ReadDepths IwarpQueuePair::depths() const {
  const verbs::QpAttributes& attributes = core().attributes();
  return {.ird = attributes.max_dest_rd_atomic, .ord = attributes.max_rd_atomic};
}

// The reply (or the request) leaves in RTS only, when the READ depths of both directions are known.
void IwarpQueuePair::start_framing(const StreamCall&) {
  if (settings_.start == StreamStart::kEstablished) {
    agreement_ = assume_negotiated(settings_, {.ird = depths().ird, .ord = wire::MpaEnhanced::kMaxDepth});
    phase_ = Phase::kOperation;
  } else {
    phase_ = is_initiator() ? Phase::kRequestDue : Phase::kAwaitsRequest;
  }
}

void IwarpQueuePair::write_start_frame(const wire::MpaStartFrame& frame, const StreamCall& call) {
  OutgoingFrame outgoing;
  outgoing.source = OutgoingFrame::Source::kOwn;
  outgoing.number = static_cast<std::uint32_t>(own_.size());
  outgoing.length = outgoing.payload_bytes = static_cast<std::uint32_t>(frame.size());
  own_.emplace_back(frame.size());
  frame.emit(own_.back());
  write(outgoing, own_.back(), call);
}

StreamQueuePair::Step IwarpQueuePair::read_start_frame(const StreamCall& call) {
  std::array<std::byte, wire::MpaStartFrame::kSize> head;
  if (available() < head.size())
    return Step::kNothing;
  const StreamOffset begin = input().position();
  const std::size_t found = input().read_header(begin, head);
  const Result<std::size_t> size = wire::mpa_start_size(std::span(head).first(found));
  const wire::MpaFrameKind due =
      phase_ == Phase::kAwaitsReply ? wire::MpaFrameKind::kReply : wire::MpaFrameKind::kRequest;
  if (!size || !wire::is_mpa_start(due, head)) {
    // Nothing can be said to the peer before full operation.
    //= rfc5044 7.1
    ++count().bad_requests;
    fail_stream({.event = verbs::AsyncEventType::kQpReqErr}, call);
    return Step::kNothing;
  }
  if (available() < *size)
    return Step::kNothing;
  std::vector<std::byte> bytes(*size);
  (void)input().read_header(begin, bytes);
  const Result<wire::MpaStartFrame> frame = wire::MpaStartFrame::parse(bytes);
  if (!frame) {
    ++count().bad_requests;
    fail_stream({.event = verbs::AsyncEventType::kQpReqErr}, call);
    return Step::kNothing;
  }
  input().consume_to(begin + *size);
  read_origin_ = input().position();
  peer_private_data_.assign(frame->private_data.begin(), frame->private_data.end());
  if (due == wire::MpaFrameKind::kReply) {
    on_start_reply(*frame, call);
  } else {
    start_request_ = std::move(bytes);
    phase_ = Phase::kReplyDue;
  }
  return Step::kDone;
}

// From here on the responder's stream is in full operation, but the first FPDU is the initiator's.
//= rfc5044 7.1.2
void IwarpQueuePair::write_reply(const StreamCall& call) {
  const Result<wire::MpaStartFrame> request = wire::MpaStartFrame::parse(start_request_);
  WEFT_ASSERT(request.has_value());
  const wire::MpaStartFrame reply = make_reply(*request, settings_, depths());
  agreement_ = agree_as_responder(*request, reply, depths());
  write_start_frame(reply, call);
  write_origin_ = write_position();
  start_request_ = {};
  phase_ = Phase::kAwaitsFirst;
}

void IwarpQueuePair::on_start_reply(const wire::MpaStartFrame& reply, const StreamCall& call) {
  if (reply.reject) {
    fail_stream({.status = verbs::WcStatus::kRetryExcErr, .event = verbs::AsyncEventType::kQpFatal}, call);
    return;
  }
  write_origin_ = write_position();
  phase_ = Phase::kOperation;
  const wire::MpaStartFrame request = make_request(settings_, depths());
  const auto agreement = agree_as_initiator(request, reply, depths());
  if (!agreement) {
    (void)terminate(agreement.error(), nullptr, call);
    return;
  }
  agreement_ = *agreement;
  write_rtr(call);
}

//= rfc6581 9
void IwarpQueuePair::write_rtr(const StreamCall& call) {
  switch (agreement_.rtr) {
    case wire::MpaRtr::kNone:
      return;
    case wire::MpaRtr::kEmptyFpdu: {
      OutgoingFrame frame;
      frame.header_bytes = wire::kMpaLengthSize;
      frame.length =
          static_cast<std::uint32_t>(wire::fpdu_extent(write_position() - write_origin_, 0, agreement_.sends.markers));
      write(frame, frame.header_span(), call);
      return;
    }
    case wire::MpaRtr::kZeroLengthWrite:
      write_fpdu({.tagged = true, .upper_control = wire::rdmap_control(wire::RdmapOpcode::kWrite)}, {}, {}, call);
      return;
    case wire::MpaRtr::kZeroLengthRead: {
      std::array<std::byte, wire::ReadRequest::kSize> control;
      wire::ReadRequest{}.emit(control);
      write_fpdu({.upper_control = wire::rdmap_control(wire::RdmapOpcode::kReadRequest),
                  .queue = wire::kDdpReadRequestQueue,
                  .message_number = read_msn_++},
                 control, {}, call);
      outbound_reads_.push_back({.number = kNoRequest});
      return;
    }
  }
}

}  // namespace weft::transport
