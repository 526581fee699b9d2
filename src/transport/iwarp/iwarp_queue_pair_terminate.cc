// The end of a stream by TERMINATE, in both directions.
#include <algorithm>
#include <array>

#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/iwarp/terminate_codes.h"
#include "wire/byte_order.h"

namespace weft::transport {

// The message names the segment that caused it; nothing follows it.
//= rfc5040 4.8
StreamQueuePair::Step IwarpQueuePair::terminate(wire::TerminateCode code, const Segment* segment,
                                                const StreamCall& call) {
  wire::Terminate message{.code = code};
  if (segment != nullptr) {
    message.has_length = true;
    message.segment_length = static_cast<std::uint16_t>(segment->ulpdu);
    message.ddp = segment->ddp;
    if (segment->rdmap().opcode == static_cast<unsigned>(wire::RdmapOpcode::kReadRequest) && !segment->ddp.tagged) {
      if (const Result<wire::ReadRequest> request = wire::ReadRequest::parse(segment->control))
        message.read_request = *request;
    }
  }
  std::array<std::byte, wire::Terminate::kMaxSize> control;
  message.emit(control);
  write_fpdu({.upper_control = wire::rdmap_control(wire::RdmapOpcode::kTerminate),
              .queue = wire::kDdpTerminateQueue,
              .message_number = 1},
             std::span(control).first(message.size()), {}, call);
  terminate_sent_ = std::make_unique<wire::Terminate>(message);
  phase_ = Phase::kTerminated;
  ++count().terminates_sent;
  ++count().bad_requests;
  fail_stream({.event = is_protection(code) ? verbs::AsyncEventType::kQpAccessErr : verbs::AsyncEventType::kQpReqErr,
               .close_gracefully = true},
              call);
  return Step::kNothing;
}

// Requests before the one in error have been executed. One that TCP had acknowledged is complete already; then only an
// event can tell.
StreamQueuePair::Step IwarpQueuePair::on_terminate(const Segment& segment, const StreamCall& call) {
  ++count().terminates_received;
  const Result<wire::Terminate> message = wire::Terminate::parse(segment.control);
  Failure failure{.status = verbs::WcStatus::kRemAbortErr};
  if (message) {
    terminate_received_ = std::make_unique<wire::Terminate>(*message);
    failure.status = status_of(message->code);
    const std::optional<std::uint32_t> number = request_of(*message);
    if (number.has_value()) {
      (void)requests().complete_before(*number, call);
    } else if (message->ddp.has_value()) {
      failure.status = verbs::WcStatus::kWrFlushErr;
      failure.event = verbs::AsyncEventType::kQpFatal;
    }
  }
  if (requests().queued() == 0)
    failure.event = verbs::AsyncEventType::kQpFatal;
  phase_ = Phase::kTerminated;
  fail_stream(failure, call);
  return Step::kNothing;
}

std::optional<std::uint32_t> IwarpQueuePair::request_of(const wire::Terminate& message) const {
  if (!message.ddp.has_value())
    return std::nullopt;
  const wire::DdpHeader& ddp = *message.ddp;
  for (std::uint32_t i = 0; i < requests().queued(); ++i) {
    const std::uint32_t number = requests().first_number() + i;
    const SendWqe& wqe = requests().at(number).wqe;
    if (!wqe.started)
      break;
    const bool same_queue = wqe.is_read() ? ddp.queue == wire::kDdpReadRequestQueue : ddp.queue == wire::kDdpSendQueue;
    const bool untagged =
        !ddp.tagged && same_queue && ddp.message_number == wqe.ssn && wqe.opcode != verbs::WrOpcode::kRdmaWrite;
    const bool tagged = ddp.tagged && wqe.is_write() && ddp.stag == wqe.rkey &&
                        ddp.upper_control == wire::rdmap_control(wire::RdmapOpcode::kWrite) &&
                        ddp.tagged_offset - wqe.remote_address < std::max(wqe.length, 1U);
    if (untagged || tagged)
      return number;
  }
  return std::nullopt;
}

}  // namespace weft::transport
