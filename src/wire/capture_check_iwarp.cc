#include "wire/capture_check_iwarp.h"

#include <fmt/core.h>

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/ddp.h"
#include "wire/iwarp_text.h"
#include "wire/rdmap.h"
#include "wire/tcp.h"

namespace weft::wire {
namespace {

/// The ULPDU as parse and emit make it again: DDP header, then what RDMAP defines behind it, then the rest as it is.
Result<std::vector<std::byte>> remake_ulpdu(std::span<const std::byte> ulpdu) {
  Result<DdpHeader> ddp = DdpHeader::parse(ulpdu);
  if (!ddp) {
    return pass_on(ddp);
  }
  std::vector<std::byte> again(ulpdu.begin(), ulpdu.end());
  ddp->emit(again);
  const std::span<const std::byte> behind = ulpdu.subspan(ddp->size());
  const std::span<std::byte> out = std::span(again).subspan(ddp->size());
  const RdmapControl control = RdmapControl::unpack(ddp->upper_control);
  if (ddp->version != kDdpVersion || control.version != kRdmapVersion) {
    return fail("DDP version {} and RDMAP version {}, must be 1", ddp->version, control.version);
  }
  if (!control.is_known() || is_tagged(control.operation()) != ddp->tagged) {
    return fail("RDMAP opcode {} in {} DDP segment", control.opcode, ddp->tagged ? "a tagged" : "an untagged");
  }
  if (control.operation() == RdmapOpcode::kReadRequest) {
    Result<ReadRequest> request = ReadRequest::parse(behind);
    if (!request) {
      return pass_on(request);
    }
    request->emit(out);
  }
  if (control.operation() == RdmapOpcode::kTerminate) {
    Result<Terminate> message = Terminate::parse(behind);
    if (!message) {
      return pass_on(message);
    }
    message->emit(out);
  }
  return again;
}

}  // namespace

bool IwarpCheck::add(CaptureLink link, const CapturedPacket& packet, const Sink& on_fault) {
  const std::optional<CapturedSegment> segment = parse_captured_tcp(link, packet.bytes);
  if (!segment) {
    return false;
  }
  const bool from_smaller = segment->source < segment->destination;
  const Key key =
      from_smaller ? Key{segment->source, segment->destination} : Key{segment->destination, segment->source};
  const bool opens = (segment->flags & kTcpSyn) != 0 && (segment->flags & kTcpAck) == 0;
  auto found = connections_.find(key);
  if (found == connections_.end()) {
    if (connections_.size() == kMaxConnections) {
      return false;
    }
    found = connections_.emplace(key, Connection{}).first;
  } else if (opens && found->second.iwarp) {
    found->second = Connection{};
  }
  Connection& connection = found->second;
  const int index = from_smaller ? 0 : 1;
  Direction& direction = connection.directions[index];
  if (direction.phase == Phase::kForeign || direction.phase == Phase::kLost) {
    return connection.iwarp && segment->payload_bytes != 0;
  }
  if (!direction.reassembly.add(*segment, direction.pending)) {
    if (connection.iwarp) {
      on_fault("too many bytes of the TCP stream are missing: the rest of this direction is not checked");
    }
    direction = Direction{.phase = Phase::kLost};
    return connection.iwarp;
  }
  read(connection, index, on_fault);
  // What the other end has said may have waited for this end's answer.
  read(connection, 1 - index, on_fault);
  if (direction.pending.size() > TcpReassembly::kMaxEarly) {
    on_fault("the other end's MPA frame is missing: this direction is not checked");
    direction.phase = Phase::kLost;
    direction.pending.clear();
  }
  const bool counts = connection.iwarp && segment->payload_bytes != 0;
  counts_.packets += counts ? 1U : 0U;
  return counts;
}

void IwarpCheck::finish(const Sink& on_fault) const {
  for (const auto& [key, connection] : connections_) {
    for (const Direction& direction : connection.directions) {
      if (connection.iwarp && direction.phase == Phase::kOperation && !direction.pending.empty()) {
        on_fault(fmt::format("{} bytes of an iWARP stream are no whole FPDU, or the other end's MPA frame is missing",
                             direction.pending.size()));
      }
      if (connection.iwarp && direction.phase != Phase::kLost && direction.reassembly.early_bytes() != 0) {
        on_fault(fmt::format("{} bytes of an iWARP stream follow a gap that the capture does not fill",
                             direction.reassembly.early_bytes()));
      }
    }
  }
}

void IwarpCheck::read(Connection& connection, int index, const Sink& on_fault) {
  Direction& direction = connection.directions[index];
  bool more = true;
  while (more && !direction.pending.empty()) {
    more = false;
    switch (direction.phase) {
      case Phase::kStart:
        more = read_start_frame(connection, index, on_fault);
        break;
      case Phase::kOperation:
        more = connection.directions[1 - index].phase == Phase::kOperation && read_fpdu(connection, index, on_fault);
        break;
      case Phase::kForeign:
      case Phase::kLost:
        direction.pending.clear();
        break;
    }
  }
}

bool IwarpCheck::read_start_frame(Connection& connection, int index, const Sink& on_fault) {
  Direction& direction = connection.directions[index];
  const bool other_began = connection.directions[1 - index].phase == Phase::kOperation;
  const std::span<const std::byte> bytes = direction.pending;
  if (!is_mpa_start(other_began ? MpaFrameKind::kReply : MpaFrameKind::kRequest, bytes)) {
    if (other_began) {
      on_fault("an MPA request is answered with something that is no MPA reply");
    }
    // A reply may be seen before its request.
    if (!other_began && is_mpa_start(MpaFrameKind::kReply, bytes) &&
        bytes.size() <= MpaStartFrame::kSize + MpaStartFrame::kMaxPrivateData) {
      return false;
    }
    direction.phase = Phase::kForeign;
    return true;
  }
  if (bytes.size() < MpaStartFrame::kSize) {
    return false;
  }
  const Result<std::size_t> size = mpa_start_size(bytes);
  if (size && bytes.size() < *size) {
    return false;
  }
  const Result<MpaStartFrame> frame = MpaStartFrame::parse(bytes);
  if (!frame) {
    on_fault(frame.error().message);
    direction.phase = Phase::kLost;
    return true;
  }
  if (on_frame_) {
    on_frame_(mpa_start_text(*frame));
  }
  connection.iwarp = true;
  counts_.connections += other_began ? 0U : 1U;
  ++counts_.start_frames;
  std::vector<std::byte> again(frame->size());
  frame->emit(again);
  if (std::ranges::equal(again, bytes.first(*size))) {
    ++counts_.reemitted;
  } else {
    on_fault("the MPA start frame is emitted with other bytes");
  }
  direction.wants_markers = frame->markers;
  direction.wants_crc = frame->crc;
  direction.phase = Phase::kOperation;
  direction.pending.erase(direction.pending.begin(), direction.pending.begin() + static_cast<std::ptrdiff_t>(*size));
  return true;
}

bool IwarpCheck::read_fpdu(Connection& connection, int index, const Sink& on_fault) {
  Direction& direction = connection.directions[index];
  const Direction& other = connection.directions[1 - index];
  const MpaForm form{.markers = other.wants_markers ? MpaMarkers::kOn : MpaMarkers::kOff,
                     .crc = direction.wants_crc || other.wants_crc ? MpaCrc::kOn : MpaCrc::kOff};
  const std::optional<std::size_t> length = peek_ulpdu_length(direction.pending, direction.place, form.markers);
  if (!length) {
    return false;
  }
  const std::size_t extent = fpdu_extent(direction.place, *length, form.markers);
  if (direction.pending.size() < extent) {
    return false;
  }
  const std::span<const std::byte> bytes = std::span(direction.pending).first(extent);
  ++counts_.fpdus;
  check_fpdu(bytes, direction.place, form, on_fault);
  direction.place += extent;
  direction.pending.erase(direction.pending.begin(), direction.pending.begin() + static_cast<std::ptrdiff_t>(extent));
  return true;
}

void IwarpCheck::check_fpdu(std::span<const std::byte> bytes, std::uint64_t place, MpaForm form, const Sink& on_fault) {
  const Fpdu fpdu = parse_fpdu(bytes, place, form);
  if (on_frame_) {
    on_frame_(ulpdu_text(fpdu.ulpdu));
  }
  switch (fpdu.fault) {
    case FpduFault::kNone:
      counts_.verified += form.crc == MpaCrc::kOn ? 1U : 0U;
      break;
    case FpduFault::kCrc:
      on_fault(fmt::format("MPA CRC is {:#010x}, should be {:#010x}", fpdu.crc, fpdu.expected_crc));
      break;
    case FpduFault::kMarker:
      on_fault("an MPA marker does not point to the FPDU's length field");
      break;
  }
  // An FPDU without a ULPDU may begin full operation.
  const Result<std::vector<std::byte>> ulpdu =
      fpdu.ulpdu.empty() ? Result<std::vector<std::byte>>(std::vector<std::byte>{}) : remake_ulpdu(fpdu.ulpdu);
  if (!ulpdu) {
    on_fault(ulpdu.error().message);
    return;
  }
  std::vector<std::byte> again(bytes.size());
  emit_fpdu({.ulpdu = *ulpdu, .pad = fpdu.pad}, place, form, again);
  // A CRC that nobody agreed on may have any value, and one that is wrong has been told of.
  const std::size_t compared = bytes.size() - kMpaCrcSize;
  if (std::ranges::equal(std::span(again).first(compared), bytes.first(compared))) {
    ++counts_.reemitted;
  } else if (fpdu.fault != FpduFault::kMarker) {
    on_fault("the FPDU is emitted with other bytes");
  }
}

}  // namespace weft::wire
