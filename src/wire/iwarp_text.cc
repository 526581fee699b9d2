#include "wire/iwarp_text.h"

#include <fmt/format.h>

#include <iterator>

#include "wire/ddp.h"
#include "wire/rdmap.h"

namespace weft::wire {
namespace {

template <class... Args>
void append(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void append_enhanced(const MpaEnhanced& enhanced, std::string& text) {
  append(text, " ird {} ord {}", enhanced.ird, enhanced.ord);
  text += enhanced.peer_to_peer ? " peer-to-peer" : "";
  text += enhanced.fpdu_rtr ? " rtr FPDU" : "";
  text += enhanced.write_rtr ? " rtr Write" : "";
  text += enhanced.read_rtr ? " rtr Read" : "";
}

void append_ddp(const DdpHeader& ddp, std::string& text) {
  if (ddp.tagged) {
    append(text, " stag {:#x} offset {:#x}", ddp.stag, ddp.tagged_offset);
  } else {
    append(text, " queue {} msn {} offset {}", ddp.queue, ddp.message_number, ddp.message_offset);
  }
  text += ddp.last ? " last" : "";
}

/// What RDMAP itself puts behind the DDP header. False: too short for it.
bool append_operation(RdmapOpcode opcode, const DdpHeader& ddp, std::span<const std::byte> behind, std::string& text) {
  if (opcode == RdmapOpcode::kSendInvalidate || opcode == RdmapOpcode::kSendSolicitedInvalidate) {
    append(text, " invalidate {:#x}", ddp.upper_word);
  }
  if (opcode == RdmapOpcode::kReadRequest) {
    const Result<ReadRequest> request = ReadRequest::parse(behind);
    if (!request) {
      return false;
    }
    append(text, " sink {:#x} at {:#x} source {:#x} at {:#x} dma {}", request->sink_stag, request->sink_offset,
           request->source_stag, request->source_offset, request->length);
  }
  if (opcode == RdmapOpcode::kTerminate) {
    const Result<Terminate> message = Terminate::parse(behind);
    if (!message) {
      return false;
    }
    append(text, " {}", to_string(message->code));
  }
  return true;
}

}  // namespace

std::string mpa_start_text(const MpaStartFrame& frame) {
  std::string text =
      fmt::format("MPA {} revision {}", frame.kind == MpaFrameKind::kRequest ? "request" : "reply", frame.revision);
  text += frame.markers ? " markers" : "";
  text += frame.crc ? " crc" : "";
  text += frame.reject ? " reject" : "";
  if (frame.enhanced) {
    append_enhanced(*frame.enhanced, text);
  }
  append(text, " private data {}", frame.private_data.size());
  return text;
}

std::string ulpdu_text(std::span<const std::byte> ulpdu) {
  if (ulpdu.empty()) {
    return "empty FPDU";
  }
  const Result<DdpHeader> ddp = DdpHeader::parse(ulpdu);
  if (!ddp) {
    return fmt::format("no DDP segment, {} bytes", ulpdu.size());
  }
  const RdmapControl control = RdmapControl::unpack(ddp->upper_control);
  std::string text =
      control.is_known() ? std::string(to_string(control.operation())) : fmt::format("RDMAP opcode {}", control.opcode);
  append_ddp(*ddp, text);
  const std::span<const std::byte> behind = ulpdu.subspan(ddp->size());
  if (control.is_known() && !append_operation(control.operation(), *ddp, behind, text)) {
    text += " cut short";
  }
  append(text, " len {}", behind.size());
  return text;
}

}  // namespace weft::wire
