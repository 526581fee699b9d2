// Requests and answers become FPDUs.
#include <algorithm>
#include <array>

#include "base/assert.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/iwarp/terminate_codes.h"
#include "wire/byte_order.h"

namespace weft::transport {
namespace {

wire::RdmapOpcode send_opcode(const SendWqe& wqe) {
  const bool solicited = (wqe.flags & verbs::kSendSolicited) != 0;
  if (wqe.opcode == verbs::WrOpcode::kSendWithInv)
    return solicited ? wire::RdmapOpcode::kSendSolicitedInvalidate : wire::RdmapOpcode::kSendInvalidate;
  return solicited ? wire::RdmapOpcode::kSendSolicited : wire::RdmapOpcode::kSend;
}

}  // namespace

std::uint16_t IwarpQueuePair::usable_ord() const {
  return std::min<std::uint16_t>(core().attributes().max_rd_atomic, agreement_.ord);
}

// Answers and requests take turns by whole messages: segments of two messages are not mixed.
//= rfc5041 5.3
StreamQueuePair::Step IwarpQueuePair::write_operation(const StreamCall& call) {
  switch (writing_) {
    case Writing::kRequest:
      return write_request_frame(call);
    case Writing::kReadResponse:
      return write_read_response(call);
    case Writing::kNothing:
      break;
  }
  const bool answers = !inbound_reads_.empty();
  if (answers && !read_turn_) {
    read_turn_ = true;
    writing_ = Writing::kReadResponse;
    return write_read_response(call);
  }
  read_turn_ = false;
  if (may_begin(call)) {
    writing_ = Writing::kRequest;
    return write_request_frame(call);
  }
  if (!answers || has_failed())
    return Step::kNothing;
  writing_ = Writing::kReadResponse;
  return write_read_response(call);
}

bool IwarpQueuePair::may_begin(const StreamCall& call) {
  const StreamRequest* const request = writable_request(call);
  if (request == nullptr)
    return false;
  if ((request->wqe.flags & verbs::kSendFence) != 0 && !outbound_reads_.empty())
    return false;
  if (!request->wqe.is_read() || outbound_reads_.size() < usable_ord())
    return true;
  // The peer takes no READs at all: waiting would be for ever.
  if (usable_ord() == 0 && requests().next_is_oldest())
    fail_stream({.status = verbs::WcStatus::kLocQpOpErr}, call);
  return false;
}

StreamQueuePair::Step IwarpQueuePair::write_request_frame(const StreamCall& call) {
  StreamRequest& request = *requests().next();
  request.wqe.started = true;
  if (request.wqe.is_read()) {
    write_read_request(request, call);
  } else if (immediate_due_) {
    immediate_due_ = false;
    write_immediate(request, call);
  } else {
    write_data(request, call);
    const bool with_immediate = request.wqe.opcode == verbs::WrOpcode::kRdmaWriteWithImm;
    if (request.written < request.wqe.length || with_immediate) {
      immediate_due_ = request.written == request.wqe.length;
      return Step::kDone;
    }
  }
  requests().mark_written(write_position());
  writing_ = Writing::kNothing;
  return Step::kDone;
}

void IwarpQueuePair::write_data(StreamRequest& request, const StreamCall& call) {
  const SendWqe& wqe = request.wqe;
  wire::DdpHeader ddp;
  ddp.tagged = wqe.is_write();
  const std::uint32_t payload = std::min(payload_room(ddp.size()), wqe.length - request.written);
  ddp.last = request.written + payload == wqe.length;
  if (ddp.tagged) {
    ddp.upper_control = wire::rdmap_control(wire::RdmapOpcode::kWrite);
    ddp.stag = wqe.rkey;
    ddp.tagged_offset = wqe.remote_address + request.written;
  } else {
    if (request.written == 0)
      request.wqe.ssn = send_msn_++;
    ddp.upper_control = wire::rdmap_control(send_opcode(wqe));
    ddp.upper_word = wqe.opcode == verbs::WrOpcode::kSendWithInv ? wqe.immediate : 0;
    ddp.queue = wire::kDdpSendQueue;
    ddp.message_number = wqe.ssn;
    ddp.message_offset = request.written;
  }
  OutgoingFrame frame;
  frame.source = OutgoingFrame::Source::kRequest;
  frame.number = requests().next_number();
  frame.payload_offset = request.written;
  frame.payload_bytes = payload;
  request.written += payload;
  write_fpdu(ddp, {}, frame, call);
}

// The sink is named by the first element of the list; the answer's offsets count from there through the whole list.
void IwarpQueuePair::write_read_request(StreamRequest& request, const StreamCall& call) {
  const SendWqe& wqe = request.wqe;
  const std::span<const verbs::Sge> sink = wqe.sg_list.elements();
  WEFT_DCHECK(outbound_reads_.size() < usable_ord());
  OutboundRead read{.number = requests().next_number(), .length = wqe.length};
  if (!sink.empty()) {
    read.stag = sink.front().lkey;
    read.offset = sink.front().address;
  }
  std::array<std::byte, wire::ReadRequest::kSize> control;
  wire::ReadRequest{.sink_stag = read.stag,
                    .sink_offset = read.offset,
                    .length = wqe.length,
                    .source_stag = wqe.rkey,
                    .source_offset = wqe.remote_address}
      .emit(control);
  request.wqe.ssn = read_msn_++;
  write_fpdu({.upper_control = wire::rdmap_control(wire::RdmapOpcode::kReadRequest),
              .queue = wire::kDdpReadRequestQueue,
              .message_number = request.wqe.ssn},
             control, {}, call);
  outbound_reads_.push_back(read);
}

//= rfc7306 6
void IwarpQueuePair::write_immediate(StreamRequest& request, const StreamCall& call) {
  request.wqe.ssn = send_msn_++;
  const bool solicited = (request.wqe.flags & verbs::kSendSolicited) != 0;
  std::array<std::byte, wire::kRdmapImmediateSize> control;
  wire::store_be64(control, 0, request.wqe.immediate);
  write_fpdu({.upper_control = wire::rdmap_control(solicited ? wire::RdmapOpcode::kImmediateSolicited
                                                             : wire::RdmapOpcode::kImmediate),
              .queue = wire::kDdpSendQueue,
              .message_number = request.wqe.ssn},
             control, {}, call);
}

StreamQueuePair::Step IwarpQueuePair::write_read_response(const StreamCall& call) {
  InboundRead& read = inbound_reads_.front();
  const wire::ReadRequest& request = read.request;
  WEFT_DCHECK(read.sent < request.length || request.length == 0);  // one that is answered has left the queue
  const RemoteRange rest{
      .key = request.source_stag, .address = request.source_offset + read.sent, .length = request.length - read.sent};
  // The region may have been closed since the request was accepted.
  const SinkFault fault = rest.length == 0 ? SinkFault::kNone : sink().check(rest, verbs::kAccessRemoteRead, call);
  if (fault != SinkFault::kNone)
    return terminate(read_code(fault), nullptr, call);
  const std::uint32_t payload = std::min(payload_room(wire::DdpHeader::kTaggedSize), request.length - read.sent);
  const bool last = read.sent + payload == request.length;
  OutgoingFrame frame;
  frame.source = OutgoingFrame::Source::kRegion;
  frame.key = request.source_stag;
  frame.address = rest.address;
  frame.payload_bytes = payload;
  write_fpdu({.tagged = true,
              .last = last,
              .upper_control = wire::rdmap_control(wire::RdmapOpcode::kReadResponse),
              .stag = request.sink_stag,
              .tagged_offset = request.sink_offset + read.sent},
             {}, frame, call);
  read.sent += payload;
  if (last) {
    (void)inbound_reads_.pop_front();
    writing_ = Writing::kNothing;
  }
  return Step::kDone;
}

//= rfc5044 4.5
std::uint32_t IwarpQueuePair::payload_room(std::size_t ddp_size) {
  const std::size_t longest = wire::mulpdu(tcp().segment_room(), agreement_.sends.markers);
  return longest > ddp_size ? static_cast<std::uint32_t>(longest - ddp_size) : 1U;
}

void IwarpQueuePair::write_fpdu(const wire::DdpHeader& ddp, std::span<const std::byte> control, OutgoingFrame frame,
                                const StreamCall& call) {
  const std::size_t ulpdu = ddp.size() + control.size() + frame.payload_bytes;
  const std::span<std::byte> header(frame.header);
  WEFT_DCHECK(wire::kMpaLengthSize + ddp.size() + control.size() <= header.size() && ulpdu <= 0xFFFF);
  wire::store_be16(header, 0, static_cast<std::uint16_t>(ulpdu));
  ddp.emit(header.subspan(wire::kMpaLengthSize));
  std::ranges::copy(control, header.subspan(wire::kMpaLengthSize + ddp.size()).begin());
  frame.header_bytes = static_cast<std::uint8_t>(wire::kMpaLengthSize + ddp.size() + control.size());
  frame.length =
      static_cast<std::uint32_t>(wire::fpdu_extent(write_position() - write_origin_, ulpdu, agreement_.sends.markers));
  write(frame, frame.header_span(), call);
}

}  // namespace weft::transport
