#include "wire/captured_frame.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "wire/byte_order.h"
#include "wire/erf_record.h"

namespace weft::wire {
namespace {

/// The header that Linux puts in place of a link's own when it captures on any interface.
struct CookedHeader {
  std::size_t size;
  std::size_t protocol_offset;
};
constexpr CookedHeader kCooked{.size = 16, .protocol_offset = 14};
constexpr CookedHeader kCooked2{.size = 20, .protocol_offset = 0};

CapturedFrame not_rdma(std::span<const std::byte> bytes, std::string why) {
  return {.frame = tl::unexpected<FrameError>(FrameError{FrameFault::kNotRdma, Error{std::move(why)}}),
          .covered = bytes};
}

/// The IP packet behind a cooked header; nothing if it is cut short or holds something else.
std::optional<std::span<const std::byte>> cooked_ip(CookedHeader header, std::span<const std::byte> bytes) {
  if (bytes.size() < header.size) {
    return std::nullopt;
  }
  const std::uint16_t protocol = load_be16(bytes, header.protocol_offset);
  if (protocol != kEtherTypeIpv4 && protocol != kEtherTypeIpv6) {
    return std::nullopt;
  }
  return bytes.subspan(header.size);
}

CapturedFrame parse_cooked(CookedHeader header, std::span<const std::byte> bytes, FurtherRocePorts ports) {
  if (bytes.size() < header.size) {
    Error error{fmt::format("the cooked header needs {} bytes, found {}", header.size, bytes.size())};
    return {.frame = tl::unexpected<FrameError>(FrameError{FrameFault::kMalformed, std::move(error)}),
            .covered = bytes};
  }
  const std::optional<std::span<const std::byte>> ip = cooked_ip(header, bytes);
  if (!ip) {
    return not_rdma(bytes,
                    fmt::format("EtherType {:#06x} in a cooked capture", load_be16(bytes, header.protocol_offset)));
  }
  return {.frame = parse_ip_packet(*ip, ports), .covered = *ip};
}

CapturedUetFrame not_uet_frame(std::span<const std::byte> bytes) {
  return {.frame = tl::unexpected<FrameError>(FrameError{FrameFault::kNotRdma, Error{"no link type with UET"}}),
          .covered = bytes};
}

CapturedUetFrame parse_cooked_uet(CookedHeader header, std::span<const std::byte> bytes) {
  const std::optional<std::span<const std::byte>> ip = cooked_ip(header, bytes);
  return ip ? CapturedUetFrame{.frame = uet::parse_uet_ip_packet(*ip), .covered = *ip} : not_uet_frame(bytes);
}

CapturedFrame parse_erf(std::span<const std::byte> bytes) {
  Result<ErfHeader> header = ErfHeader::parse(bytes);
  if (!header) {
    return {.frame = tl::unexpected<FrameError>(FrameError{FrameFault::kMalformed, std::move(header.error())}),
            .covered = bytes};
  }
  if (header->type != static_cast<std::uint8_t>(ErfType::kInfiniBand)) {
    return not_rdma(bytes, fmt::format("ERF record type is {}, InfiniBand has {}", header->type,
                                       static_cast<unsigned>(ErfType::kInfiniBand)));
  }
  const std::span<const std::byte> rest = bytes.subspan(ErfHeader::kSize + header->extensions_size);
  // Records may be padded behind the packet.
  const std::span<const std::byte> packet = rest.first(std::min<std::size_t>(rest.size(), header->wire_length));
  return {.frame = parse_frame(LinkType::kInfiniBand, packet), .covered = packet};
}

}  // namespace

CapturedFrame parse_captured(CaptureLink link, std::span<const std::byte> bytes, FurtherRocePorts ports) {
  switch (link) {
    case CaptureLink::kEthernet:
      return {.frame = parse_frame(LinkType::kEthernet, bytes, ports), .covered = bytes};
    case CaptureLink::kInfiniBand:
      return {.frame = parse_frame(LinkType::kInfiniBand, bytes), .covered = bytes};
    case CaptureLink::kRawIp:
      return {.frame = parse_ip_packet(bytes, ports), .covered = bytes};
    case CaptureLink::kLinuxCooked:
      return parse_cooked(kCooked, bytes, ports);
    case CaptureLink::kLinuxCooked2:
      return parse_cooked(kCooked2, bytes, ports);
    case CaptureLink::kErf:
      return parse_erf(bytes);
    case CaptureLink::kOther:
      return not_rdma(bytes, "a link type that weft does not read");
  }
  return not_rdma(bytes, "no link type");
}

CapturedUetFrame parse_captured_uet(CaptureLink link, std::span<const std::byte> bytes) {
  switch (link) {
    case CaptureLink::kEthernet:
      return {.frame = uet::parse_uet_frame(bytes), .covered = bytes};
    case CaptureLink::kRawIp:
      return {.frame = uet::parse_uet_ip_packet(bytes), .covered = bytes};
    case CaptureLink::kLinuxCooked:
      return parse_cooked_uet(kCooked, bytes);
    case CaptureLink::kLinuxCooked2:
      return parse_cooked_uet(kCooked2, bytes);
    case CaptureLink::kInfiniBand:
    case CaptureLink::kErf:
    case CaptureLink::kOther:
      break;
  }
  return not_uet_frame(bytes);
}

}  // namespace weft::wire
