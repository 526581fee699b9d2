#include "wire/uet/uet_text.h"

#include <fmt/format.h>

#include <iterator>

#include "wire/uet/control_ordered_set.h"

namespace weft::wire::uet {

namespace {

template <class... Args>
void say(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

std::string addresses(const UetFrame& frame) {
  const std::string_view form = frame.udp ? "UET/UDP" : "UET/IP";
  const Ecn ecn = frame.ipv4 ? frame.ipv4->ecn : frame.ipv6 ? frame.ipv6->ecn : Ecn::kNotEct;
  const std::string ends =
      frame.ipv4   ? fmt::format("{} > {}", to_string(frame.ipv4->source), to_string(frame.ipv4->destination))
      : frame.ipv6 ? fmt::format("{} > {}", to_string(frame.ipv6->source), to_string(frame.ipv6->destination))
                   : "";
  return fmt::format("{} {}{} ev {}", form, ends, ecn == Ecn::kCe ? " CE" : "", frame.entropy_value());
}

/// Requests and control packets say where they go in the same way.
template <class Header>
void say_contexts(const Header& header, std::string& text) {
  if (header.syn) {
    say(text, " psn {} pdc {} > {}", header.psn, header.source_pdc,
        header.pdc_info.use_reserved_pdc ? "reserved" : "-");
  } else {
    say(text, " psn {} pdc {} > {}", header.psn, header.source_pdc, header.destination_pdc);
  }
}

template <class Header>
void say_flags(const Header& header, std::string& text) {
  if (header.syn) {
    say(text, " syn +{}", header.pdc_info.psn_offset);
  }
  text += header.retransmitted ? " rtx" : "";
  text += header.ack_request ? " ar" : "";
}

void say_pds(const PdsRequest& request, std::string& text) {
  say(text, " {}", to_string(request.type));
  say_flags(request, text);
  say_contexts(request, text);
  say(text, " clear {}", request.clear_psn());
  if (has_congestion_context(request.type)) {
    say(text, " ccc {} target {}", request.ccc_id, request.credit_target);
  }
}

void say_pds(const PdsRudi& rudi, std::string& text) {
  say(text, " {}{}{} id {}", to_string(rudi.type), rudi.retransmitted ? " rtx" : "", rudi.marked ? " M" : "",
      rudi.packet_id);
}

void say_pds(const PdsUud& /*uud*/, std::string& text) { say(text, " {}", to_string(PdsType::kUudRequest)); }

void say_cc_state(const PdsAck& ack, std::string& text) {
  say(text, " mpr {} sack {:+} {:#x} {}", ack.mpr, ack.sack_psn_offset, ack.sack_bitmap, to_string(ack.cc_type));
  if (ack.type == PdsType::kAckCcx || ack.cc_type > CcType::kCredit) {
    say(text, " {:#x}", ack.cc_state);
  } else if (ack.cc_type == CcType::kNscc) {
    const NsccState state = NsccState::unpack(ack.cc_state);
    say(text, " service {} pend {} received {} ooo {}{}", state.service_time, state.rcv_cwnd_pend, state.rcvd_bytes,
        state.ooo_count, state.restore_cwnd ? " restore" : "");
  } else {
    const CreditState state = CreditState::unpack(ack.cc_state);
    say(text, " {} ooo {}", state.credit, state.ooo_count);
  }
}

void say_pds(const PdsAck& ack, std::string& text) {
  say(text, " {}{}{}", to_string(ack.type), ack.retransmitted ? " rtx" : "", ack.marked ? " M" : "");
  if (ack.probe) {
    say(text, " probe {:#x}", ack.probe_opaque);
  } else {
    say(text, " psn {}", ack.ack_psn());
  }
  say(text, " cumulative {} pdc {} > {}", ack.cumulative_psn, ack.source_pdc, ack.destination_pdc);
  switch (ack.request) {
    case AckRequest::kNone:
      break;
    case AckRequest::kClear:
      text += " clear please";
      break;
    case AckRequest::kClose:
      text += " close please";
      break;
    case AckRequest::kReserved:
      text += " reserved request";
      break;
  }
  if (ack.has_expected_psn()) {
    say(text, " expected {}", ack.expected_psn);
  }
  if (ack.type != PdsType::kAck) {
    say_cc_state(ack, text);
  }
}

void say_pds(const PdsNack& nack, std::string& text) {
  say(text, " {}{}{} ({})", to_string(nack.type), nack.retransmitted ? " rtx" : "", nack.marked ? " M" : "",
      to_string(nack.code));
  if (nack.rudi) {
    say(text, " id {}", nack.psn);
  } else {
    say(text, " psn {} pdc {} > {}", nack.psn, nack.source_pdc, nack.destination_pdc);
  }
  if (nack.payload != 0) {
    say(text, " payload {}", nack.payload);
  }
}

void say_pds(const PdsControl& control, std::string& text) {
  say(text, " control ({}){}", to_string(control.control), control.rod ? " ROD" : "");
  say_flags(control, text);
  say_contexts(control, text);
  if (control.control == ControlType::kProbe) {
    say(text, " opaque {:#x}", control.probe_opaque);
  }
  if (control.payload != 0) {
    say(text, " payload {}", control.payload);
  }
}

void say_operation(const SesOperation& operation, std::string& text) {
  say(text, " {}{}{}{}{}{}", to_string(operation.opcode), operation.start_of_message ? " som" : "",
      operation.end_of_message ? " eom" : "", operation.delivery_complete ? " dc" : "",
      operation.relative ? " rel" : "", operation.initiator_error ? " error" : "");
}

void say_target(const SesTarget& target, std::string& text) {
  if (target.job_id != 0) {
    say(text, " job {:#x}", target.job_id);
  }
  if (target.pid_on_fep != 0 || target.resource_index != 0) {
    say(text, " pid {} index {}", target.pid_on_fep, target.resource_index);
  }
}

void say_ses(const std::monostate& /*none*/, std::string& /*text*/) {}

void say_ses(const SesSmallRequest& request, std::string& text) {
  say_operation(request.operation, text);
  say_target(request.target, text);
  say(text, " offset {:#x} size {}", request.buffer_offset, request.request_length.bytes);
}

void say_ses(const SesMediumRequest& request, std::string& text) {
  say_operation(request.operation, text);
  say_target(request.target, text);
  say(text, " {} {:#x} initiator {} key {:#x} size {}", request.operation.header_data ? "data" : "offset",
      request.header_data, request.initiator, request.memory_key, request.request_length.bytes);
}

void say_ses(const SesStandardRequest& request, std::string& text) {
  say_operation(request.operation, text);
  say(text, " msg {}", request.message_id);
  say_target(request.target, text);
  say(text, " {} {:#x} initiator {} {} {:#x}", is_deferrable(request.operation.opcode) ? "token" : "offset",
      request.buffer_offset, request.initiator,
      request.operation.opcode == SesOpcode::kReadyToRestart ? "token" : "key", request.memory_key);
  if (!request.operation.start_of_message) {
    say(text, " at {}", request.message_offset);
  } else if (request.operation.header_data) {
    say(text, " data {:#x}", request.completion_data);
  }
  say(text, " size {}", request.request_length);
}

void say_outcome(const SesOutcome& outcome, std::string& text) {
  say(text, " {} ({}){}", to_string(outcome.opcode), to_string(outcome.return_code),
      outcome.list == SesList::kOverflow ? " overflow" : "");
}

void say_ses(const SesResponse& response, std::string& text) {
  say_outcome(response.outcome, text);
  say(text, " msg {} size {}", response.message_id, response.modified_length);
}

void say_ses(const SesDataResponse& response, std::string& text) {
  say_outcome(response.outcome, text);
  say(text, " msg {} of {} at {} size {}", response.message_id, response.read_message_id, response.message_offset,
      response.modified_length);
}

void say_ses(const SesSmallDataResponse& response, std::string& text) {
  say_outcome(response.outcome, text);
  say(text, " of psn {}", response.original_psn);
}

void say_extensions(const SesExtensions& extensions, std::string& text) {
  if (extensions.sync) {
    say(text, " group {} count {}", extensions.sync->group, extensions.sync->count);
  }
  if (extensions.atomic) {
    say(text, " {} {}", to_string(extensions.atomic->operation), to_string(extensions.atomic->type));
  }
  if (extensions.rendezvous) {
    say(text, " eager {} rest at {:#x} key {:#x}", extensions.rendezvous->eager_length,
        extensions.rendezvous->read_offset, extensions.rendezvous->read_memory_key);
  }
}

}  // namespace

std::string frame_text(const UetFrame& frame) {
  std::string text;
  if (frame.ethernet) {
    for (std::size_t i = 0; i < frame.ethernet->tag_count; ++i) {
      say(text, "vlan {} pcp {} ", frame.ethernet->tags[i].vlan, frame.ethernet->tags[i].priority);
    }
  }
  text += addresses(frame);
  if (frame.tss) {
    say(text, " TSS domain {} key {} epoch {} counter {}", frame.tss->domain, frame.tss->association ? 1 : 0,
        frame.tss->epoch, frame.tss->counter);
    if (frame.tss->has_source) {
      say(text, " source {}", frame.tss->source);
    }
  }
  if (frame.pds) {
    std::visit([&text](const auto& header) { say_pds(header, text); }, *frame.pds);
    std::visit([&text](const auto& header) { say_ses(header, text); }, frame.ses.header);
    say_extensions(frame.ses.extensions, text);
  }
  say(text, " len {}", frame.payload.size());
  return text;
}

Result<std::string> ctlos_text(std::span<const std::byte> bytes) {
  if (bytes.size() != LlrMessage::kSize) {
    return fail("a control ordered set has {} bytes, found {}", LlrMessage::kSize, bytes.size());
  }
  if (const Result<CfUpdate> update = CfUpdate::parse(bytes)) {
    return fmt::format("{} vc {} freed {} vc {} freed {}", to_string(CtlosType::kCfUpdate), update->first.channel,
                       update->first.count, update->second.channel, update->second.count);
  }
  Result<LlrMessage> message = LlrMessage::parse(bytes);
  if (!message) {
    return pass_on(message);
  }
  std::string text = fmt::format("{} seq {}", to_string(message->type), message->sequence);
  if (message->init_data != 0) {
    say(text, " data {:#x}", message->init_data);
  }
  return text;
}

}  // namespace weft::wire::uet
