#include "wire/rdmap.h"

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/header_error.h"

namespace weft::wire {
namespace {

struct NamedCode {
  TerminateCode code;
  std::string_view name;
};

//= rfc5040 4.8
//= rfc5041 7
//= rfc5044 8
//= rfc6581 9.2
constexpr NamedCode kCodes[] = {
    {terminate::kLocalCatastrophic, "RDMAP: local catastrophic error"},
    {terminate::kInvalidStag, "RDMAP remote protection: invalid STag"},
    {terminate::kBounds, "RDMAP remote protection: base or bounds violation"},
    {terminate::kAccessRights, "RDMAP remote protection: access rights violation"},
    {terminate::kStagNotAssociated, "RDMAP remote protection: STag not associated with the stream"},
    {terminate::kOffsetWrap, "RDMAP remote protection: TO wrap"},
    {terminate::kCannotInvalidate, "RDMAP remote protection: STag cannot be invalidated"},
    {terminate::kRdmapVersion, "RDMAP remote operation: invalid version"},
    {terminate::kUnexpectedOpcode, "RDMAP remote operation: unexpected opcode"},
    {terminate::kCatastrophicStream, "RDMAP remote operation: catastrophic error of the stream"},
    {terminate::kCatastrophicGlobal, "RDMAP remote operation: catastrophic error, global"},
    {terminate::kUnspecified, "RDMAP remote operation: unspecified error"},
    {terminate::kDdpCatastrophic, "DDP: local catastrophic error"},
    {terminate::kTaggedInvalidStag, "DDP tagged buffer: invalid STag"},
    {terminate::kTaggedBounds, "DDP tagged buffer: base or bounds violation"},
    {terminate::kTaggedNotAssociated, "DDP tagged buffer: STag not associated with the stream"},
    {terminate::kTaggedOffsetWrap, "DDP tagged buffer: TO wrap"},
    {terminate::kTaggedVersion, "DDP tagged buffer: invalid version"},
    {terminate::kInvalidQueue, "DDP untagged buffer: invalid queue number"},
    {terminate::kNoBuffer, "DDP untagged buffer: no buffer available"},
    {terminate::kMessageNumberRange, "DDP untagged buffer: MSN range is not valid"},
    {terminate::kInvalidMessageOffset, "DDP untagged buffer: invalid MO"},
    {terminate::kMessageTooLong, "DDP untagged buffer: message too long"},
    {terminate::kUntaggedVersion, "DDP untagged buffer: invalid version"},
    {terminate::kStreamLost, "MPA: TCP connection lost"},
    {terminate::kCrc, "MPA: CRC error"},
    {terminate::kMarker, "MPA: marker and length field do not agree"},
    {terminate::kBadStartFrame, "MPA: invalid request or reply frame"},
    {terminate::kLocalCatastrophicMpa, "MPA: local catastrophic error"},
    {terminate::kInsufficientIrd, "MPA: insufficient IRD resources"},
    {terminate::kNoMatchingRtr, "MPA: no matching RTR"},
};

constexpr unsigned kFlagLength = 0x8000;  // M, D, R in the low half of the control word
constexpr unsigned kFlagDdp = 0x4000;
constexpr unsigned kFlagRdmap = 0x2000;
constexpr unsigned kReservedMask = 0x1FFF;

}  // namespace

std::string_view to_string(RdmapOpcode opcode) {
  switch (opcode) {
    case RdmapOpcode::kWrite:
      return "RDMA Write";
    case RdmapOpcode::kReadRequest:
      return "RDMA Read request";
    case RdmapOpcode::kReadResponse:
      return "RDMA Read response";
    case RdmapOpcode::kSend:
      return "Send";
    case RdmapOpcode::kSendInvalidate:
      return "Send with invalidate";
    case RdmapOpcode::kSendSolicited:
      return "Send with solicited event";
    case RdmapOpcode::kSendSolicitedInvalidate:
      return "Send with solicited event and invalidate";
    case RdmapOpcode::kTerminate:
      return "Terminate";
    case RdmapOpcode::kImmediate:
      return "Immediate data";
    case RdmapOpcode::kImmediateSolicited:
      return "Immediate data with solicited event";
    case RdmapOpcode::kAtomicRequest:
      return "Atomic request";
    case RdmapOpcode::kAtomicResponse:
      return "Atomic response";
  }
  return "reserved";
}

std::uint32_t queue_of(RdmapOpcode opcode) {
  switch (opcode) {
    case RdmapOpcode::kReadRequest:
    case RdmapOpcode::kAtomicRequest:
      return kDdpReadRequestQueue;
    case RdmapOpcode::kTerminate:
      return kDdpTerminateQueue;
    case RdmapOpcode::kAtomicResponse:
      return kDdpAtomicResponseQueue;
    case RdmapOpcode::kWrite:
    case RdmapOpcode::kReadResponse:
    case RdmapOpcode::kSend:
    case RdmapOpcode::kSendInvalidate:
    case RdmapOpcode::kSendSolicited:
    case RdmapOpcode::kSendSolicitedInvalidate:
    case RdmapOpcode::kImmediate:
    case RdmapOpcode::kImmediateSolicited:
      break;
  }
  return kDdpSendQueue;
}

Result<ReadRequest> ReadRequest::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kSize) {
    return too_short("RDMAP Read request", {.needed = kSize, .found = bytes.size()});
  }
  ReadRequest request;
  request.sink_stag = load_be32(bytes, 0);
  request.sink_offset = load_be64(bytes, 4);
  request.length = load_be32(bytes, 12);
  request.source_stag = load_be32(bytes, 16);
  request.source_offset = load_be64(bytes, 20);
  return request;
}

void ReadRequest::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= kSize);
  store_be32(out, 0, sink_stag);
  store_be64(out, 4, sink_offset);
  store_be32(out, 12, length);
  store_be32(out, 16, source_stag);
  store_be64(out, 20, source_offset);
}

std::string_view to_string(TerminateCode code) {
  for (const NamedCode& named : kCodes) {
    if (named.code == code) {
      return named.name;
    }
  }
  return "unknown";
}

std::size_t Terminate::size() const {
  // The length of the segment and the DDP header come together.
  return kControlSize + (has_length || ddp ? 2 : 0) + (ddp ? ddp->size() : 0) + (read_request ? ReadRequest::kSize : 0);
}

Result<Terminate> Terminate::parse(std::span<const std::byte> bytes) {
  if (bytes.size() < kControlSize) {
    return too_short("RDMAP Terminate", {.needed = kControlSize, .found = bytes.size()});
  }
  Terminate message;
  const std::uint8_t first = load_u8(bytes, 0);
  message.code = {.layer = static_cast<std::uint8_t>(first >> 4),
                  .type = static_cast<std::uint8_t>(first & 15U),
                  .code = load_u8(bytes, 1)};
  const std::uint16_t flags = load_be16(bytes, 2);
  message.has_length = (flags & kFlagLength) != 0;
  message.reserved = flags & kReservedMask;
  std::span<const std::byte> rest = bytes.subspan(kControlSize);
  if (message.has_length || (flags & kFlagDdp) != 0) {
    if (rest.size() < 2) {
      return too_short("RDMAP Terminate", {.needed = kControlSize + 2, .found = bytes.size()});
    }
    message.segment_length = load_be16(rest, 0);
    rest = rest.subspan(2);
  }
  if ((flags & kFlagDdp) != 0) {
    Result<DdpHeader> header = DdpHeader::parse(rest);
    if (!header) {
      return pass_on(header);
    }
    message.ddp = *header;
    rest = rest.subspan(header->size());
  }
  if ((flags & kFlagRdmap) != 0) {
    Result<ReadRequest> request = ReadRequest::parse(rest);
    if (!request) {
      return pass_on(request);
    }
    message.read_request = *request;
  }
  return message;
}

void Terminate::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  store_u8(out, 0, static_cast<std::uint8_t>((code.layer & 15U) << 4 | (code.type & 15U)));
  store_u8(out, 1, code.code);
  store_be16(out, 2,
             static_cast<std::uint16_t>((has_length ? kFlagLength : 0U) | (ddp ? kFlagDdp : 0U) |
                                        (read_request ? kFlagRdmap : 0U) | (reserved & kReservedMask)));
  std::span<std::byte> rest = out.subspan(kControlSize);
  if (has_length || ddp) {
    store_be16(rest, 0, segment_length);
    rest = rest.subspan(2);
  }
  if (ddp) {
    ddp->emit(rest);
    rest = rest.subspan(ddp->size());
  }
  if (read_request) {
    read_request->emit(rest);
  }
}

}  // namespace weft::wire
