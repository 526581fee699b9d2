// FPDUs in their turn: order, checks, memory, receive requests, answers due.
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/iwarp/terminate_codes.h"
#include "wire/byte_order.h"

namespace weft::transport {

namespace terminate_code = wire::terminate;

namespace {

bool invalidates(wire::RdmapOpcode opcode) {
  return opcode == wire::RdmapOpcode::kSendInvalidate || opcode == wire::RdmapOpcode::kSendSolicitedInvalidate;
}

}  // namespace

//= rfc5041 7
//= rfc5040 7
StreamQueuePair::Step IwarpQueuePair::deliver(const Segment& segment, const StreamCall& call) {
  const wire::DdpHeader& ddp = segment.ddp;
  const wire::RdmapControl control = segment.rdmap();
  if (ddp.version != wire::kDdpVersion) {
    return terminate(ddp.tagged ? terminate_code::kTaggedVersion : terminate_code::kUntaggedVersion, &segment, call);
  }
  if (control.version != wire::kRdmapVersion)
    return terminate(terminate_code::kRdmapVersion, &segment, call);
  if (!ddp.tagged && ddp.queue > wire::kDdpTerminateQueue)
    return terminate(terminate_code::kInvalidQueue, &segment, call);
  const bool known = control.is_known();
  if (!known || wire::is_tagged(control.operation()) != ddp.tagged ||
      (!ddp.tagged && wire::queue_of(control.operation()) != ddp.queue)) {
    return terminate(terminate_code::kUnexpectedOpcode, &segment, call);
  }
  if (!ddp.tagged)
    return deliver_untagged(segment, call);
  return control.operation() == wire::RdmapOpcode::kWrite ? on_write(segment, call) : on_read_response(segment, call);
}

// Messages of a queue come in the order of their numbers, and their segments in the order of their offsets.
//= rfc5041 5.3
StreamQueuePair::Step IwarpQueuePair::deliver_untagged(const Segment& segment, const StreamCall& call) {
  const wire::DdpHeader& ddp = segment.ddp;
  const wire::RdmapOpcode operation = segment.rdmap().operation();
  if (operation == wire::RdmapOpcode::kTerminate)
    return on_terminate(segment, call);
  const bool sends = ddp.queue == wire::kDdpSendQueue;
  if (ddp.message_number != (sends ? expected_send_msn_ : expected_read_msn_))
    return terminate(terminate_code::kMessageNumberRange, &segment, call);
  if (ddp.message_offset != (sends && in_send_ ? send_received_ : 0))
    return terminate(terminate_code::kInvalidMessageOffset, &segment, call);
  if (wire::is_send(operation))
    return on_send(segment, call);
  if (wire::is_immediate(operation) && !in_send_)
    return on_immediate(segment, call);
  if (operation == wire::RdmapOpcode::kReadRequest)
    return on_read_request(segment, call);
  return terminate(terminate_code::kUnexpectedOpcode, &segment, call);
}

StreamQueuePair::Step IwarpQueuePair::on_write(const Segment& segment, const StreamCall& call) {
  // Nothing to place needs no right to place it: the empty WRITE of the start-up.
  //= rfc5041 5.2
  if (!segment.placed && segment.payload != 0) {
    const RemoteRange range{.key = segment.ddp.stag, .address = segment.ddp.tagged_offset, .length = segment.payload};
    if (const SinkFault fault = sink().check(range, verbs::kAccessRemoteWrite, call); fault != SinkFault::kNone)
      return terminate(tagged_code(fault), &segment, call);
    sink().place(range, segment.bytes, call);
  }
  if (!in_write_)
    write_received_ = 0;
  write_received_ += segment.payload;
  in_write_ = !segment.ddp.last;
  return Step::kDone;
}

// Exactly the next bytes of the oldest READ.
StreamQueuePair::Step IwarpQueuePair::on_read_response(const Segment& segment, const StreamCall& call) {
  if (outbound_reads_.empty() || outbound_reads_.front().stag != segment.ddp.stag)
    return terminate(terminate_code::kTaggedInvalidStag, &segment, call);
  OutboundRead& read = outbound_reads_.front();
  const std::uint64_t end = std::uint64_t{read.received} + segment.payload;
  if (segment.ddp.tagged_offset != read.offset + read.received || end > read.length ||
      segment.ddp.last != (end == read.length)) {
    return terminate(terminate_code::kTaggedBounds, &segment, call);
  }
  if (read.number != kNoRequest && requests().is_pending(read.number)) {
    StreamRequest& request = requests().pending(read.number);
    const verbs::SgeList& list = request.wqe.sg_list;
    if (!segment.bytes.empty() && !segment.placed) {
      if (list.check(call.context.memory(), core().init().pd, verbs::kAccessLocalWrite) != verbs::AccessFault::kNone) {
        (void)requests().complete_before(read.number, call);
        fail_stream({.status = verbs::WcStatus::kLocProtErr}, call);
        return Step::kNothing;
      }
      list.scatter(call.context.memory(), read.received, segment.bytes);
    }
    request.is_responded = segment.ddp.last;
  }
  read.received = static_cast<std::uint32_t>(end);
  if (segment.ddp.last)
    (void)outbound_reads_.pop_front();
  return Step::kDone;
}

StreamQueuePair::Step IwarpQueuePair::on_missing_receive(const Segment& segment, const StreamCall& call) {
  if (settings_.missing_receive == MissingReceive::kTerminate)
    return terminate(untagged_code(SinkFault::kNoReceive), &segment, call);
  wait_for_receive();
  return Step::kNothing;
}

StreamQueuePair::Step IwarpQueuePair::on_send(const Segment& segment, const StreamCall& call) {
  if (!in_send_ && sink().take_receive(call) == SinkFault::kNoReceive)
    return on_missing_receive(segment, call);
  if (!in_send_)
    send_received_ = 0;
  SinkFault fault = sink().check_receive(send_received_, segment.payload, call);
  if (fault == SinkFault::kNone) {
    sink().place_received(send_received_, segment.bytes, call);
    // Only then: the key may be that of the buffer itself.
    if (segment.ddp.last && invalidates(segment.rdmap().operation()))
      fault = sink().invalidate(segment.ddp.upper_word, call);
  }
  if (fault != SinkFault::kNone) {
    sink().fail_receive(fault, call);
    return terminate(untagged_code(fault), &segment, call);
  }
  send_received_ += segment.payload;
  in_send_ = !segment.ddp.last;
  return in_send_ ? Step::kDone : finish_send(segment, call);
}

StreamQueuePair::Step IwarpQueuePair::finish_send(const Segment& segment, const StreamCall& call) {
  const wire::RdmapOpcode operation = segment.rdmap().operation();
  ++expected_send_msn_;
  verbs::WorkCompletion completion;
  completion.opcode = verbs::WcOpcode::kRecv;
  completion.byte_len = send_received_;
  if (invalidates(operation)) {
    completion.invalidated_rkey = segment.ddp.upper_word;
    completion.wc_flags |= verbs::kWcWithInv;
  }
  if (operation == wire::RdmapOpcode::kSendSolicited || operation == wire::RdmapOpcode::kSendSolicitedInvalidate)
    completion.wc_flags |= verbs::kWcSolicited;
  if (const SinkFault fault = sink().complete(completion, call); fault != SinkFault::kNone)
    return terminate(untagged_code(fault), &segment, call);
  return Step::kDone;
}

//= rfc7306 6
StreamQueuePair::Step IwarpQueuePair::on_immediate(const Segment& segment, const StreamCall& call) {
  if (segment.control.size() != wire::kRdmapImmediateSize || !segment.ddp.last || in_write_)
    return terminate(terminate_code::kMessageTooLong, &segment, call);
  if (sink().take_receive(call) == SinkFault::kNoReceive)
    return on_missing_receive(segment, call);
  ++expected_send_msn_;
  verbs::WorkCompletion completion;
  completion.opcode = verbs::WcOpcode::kRecvRdmaWithImm;
  completion.byte_len = write_received_;
  completion.imm_data = static_cast<std::uint32_t>(wire::load_be64(segment.control, 0));
  completion.wc_flags |= verbs::kWcWithImm;
  if (segment.rdmap().operation() == wire::RdmapOpcode::kImmediateSolicited)
    completion.wc_flags |= verbs::kWcSolicited;
  write_received_ = 0;
  if (const SinkFault fault = sink().complete(completion, call); fault != SinkFault::kNone)
    return terminate(untagged_code(fault), &segment, call);
  return Step::kDone;
}

StreamQueuePair::Step IwarpQueuePair::on_read_request(const Segment& segment, const StreamCall& call) {
  const Result<wire::ReadRequest> request = wire::ReadRequest::parse(segment.control);
  if (!request || segment.control.size() != wire::ReadRequest::kSize || !segment.ddp.last)
    return terminate(terminate_code::kMessageTooLong, &segment, call);
  // The empty READ of the start-up is beside the agreed depth.
  const std::uint32_t depth = agreement_.ird + (agreement_.rtr == wire::MpaRtr::kZeroLengthRead ? 1U : 0U);
  if (inbound_reads_.size() >= depth)
    return terminate(terminate_code::kNoBuffer, &segment, call);
  const RemoteRange range{.key = request->source_stag, .address = request->source_offset, .length = request->length};
  const SinkFault fault = request->length == 0 ? SinkFault::kNone : sink().check(range, verbs::kAccessRemoteRead, call);
  if (fault != SinkFault::kNone)
    return terminate(read_code(fault), &segment, call);
  ++expected_read_msn_;
  inbound_reads_.push_back({.request = *request});
  return Step::kDone;
}

}  // namespace weft::transport
