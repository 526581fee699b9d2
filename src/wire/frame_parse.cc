#include <algorithm>
#include <utility>

#include "wire/byte_order.h"
#include "wire/frame.h"
#include "wire/header_error.h"

namespace weft::wire {

namespace {

using ByteView = std::span<const std::byte>;

tl::unexpected<FrameError> malformed(Error error) {
  return tl::unexpected<FrameError>({.fault = FrameFault::kMalformed, .error = std::move(error)});
}

template <class... Args>
tl::unexpected<FrameError> malformed(fmt::format_string<Args...> format, Args&&... args) {
  return malformed(Error{fmt::format(format, std::forward<Args>(args)...)});
}

template <class... Args>
tl::unexpected<FrameError> not_rdma(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<FrameError>(
      {.fault = FrameFault::kNotRdma, .error = {fmt::format(format, std::forward<Args>(args)...)}});
}

/// The step that each `parse_*` below takes: what it read is in `frame`, or an error says why not.
using Step = tl::expected<void, FrameError>;

template <class Header>
Step read(std::optional<Header>& member, ByteView bytes) {
  auto header = Header::parse(bytes);
  if (!header) {
    return malformed(std::move(header.error()));
  }
  member = *header;
  return {};
}

/// Splits what stands between the extension headers and the ICRC into payload and pad.
Step split_payload(RdmaFrame& frame, const OpcodeInfo& opcode, ByteView rest) {
  const std::size_t pad = frame.bth.pad_count;
  if (!opcode.payload && !rest.empty()) {
    return malformed("{} carries no payload, found {} bytes", opcode_name(frame.bth.opcode), rest.size());
  }
  if (rest.size() % 4 != 0) {
    return malformed("payload and pad are {} bytes, must be a multiple of 4", rest.size());
  }
  if (pad > 0 && pad >= rest.size()) {
    return malformed("pad count is {}, payload and pad are {} bytes", pad, rest.size());
  }
  //= ibta-1.7 7.7.8
  const std::size_t most = frame.ethernet ? RdmaFrame::kMaxSealedPayload : RdmaFrame::kMaxPathMtu;
  if (rest.size() - pad > most) {
    return malformed("payload is {} bytes, the largest path MTU is {}", rest.size() - pad, most);
  }
  frame.payload = rest.first(rest.size() - pad);
  std::ranges::copy(rest.last(pad), frame.pad.begin());
  return {};
}

/// `bytes` are BTH to ICRC, exactly.
Step read_transport(RdmaFrame& frame, ByteView bytes) {
  constexpr auto kLeast = BthHeader::kSize + RdmaFrame::kIcrcSize;
  if (bytes.size() < kLeast) {
    return malformed("BTH and ICRC need {} bytes, found {}", kLeast, bytes.size());
  }
  const auto bth = BthHeader::parse(bytes);
  if (!bth) {
    return malformed(bth.error());
  }
  frame.bth = *bth;
  const auto& opcode = describe(bth->opcode);
  if (!opcode.valid) {
    return tl::unexpected<FrameError>(
        {.fault = FrameFault::kUnknownOpcode, .error = {fmt::format("BTH opcode is {}", opcode_name(bth->opcode))}});
  }
  const auto covered = bytes.subspan(BthHeader::kSize).first(bytes.size() - kLeast);
  const auto extensions = ExtensionHeaders::parse(opcode, covered);
  if (!extensions) {
    return malformed("{}: {}", opcode_name(bth->opcode), extensions.error().message);
  }
  frame.extensions = *extensions;
  frame.icrc = load_le32(bytes, bytes.size() - RdmaFrame::kIcrcSize);
  return split_payload(frame, opcode, covered.subspan(opcode.header_bytes - BthHeader::kSize));
}

/// `bytes` begin with the UDP header; `ip_payload` is what the IP header says follows it.
Step read_udp(RdmaFrame& frame, ByteView bytes, std::size_t ip_payload, FurtherRocePorts ports) {
  if (auto step = read(frame.udp, bytes); !step) {
    return step;
  }
  const std::uint16_t port = frame.udp->destination_port;
  if (port != kRoceV2Port && std::ranges::find(ports, port) == ports.end()) {
    return not_rdma("UDP destination port is {}, RoCEv2 has {}", port, kRoceV2Port);
  }
  if (ip_payload > bytes.size()) {
    return malformed("IP header announces {} bytes behind it, found {}", ip_payload, bytes.size());
  }
  if (frame.udp->length != ip_payload) {
    return malformed("UDP length is {}, the IP header leaves {} bytes", frame.udp->length, ip_payload);
  }
  frame.trailer = bytes.subspan(ip_payload);
  return read_transport(frame, bytes.first(ip_payload).subspan(UdpHeader::kSize));
}

Step read_ipv4(RdmaFrame& frame, ByteView bytes, FurtherRocePorts ports) {
  if (auto step = read(frame.ipv4, bytes); !step) {
    return step;
  }
  const auto& ip = *frame.ipv4;
  if (ip.protocol != kIpProtocolUdp) {
    return not_rdma("IPv4 protocol is {}, RoCEv2 has UDP ({})", ip.protocol, kIpProtocolUdp);
  }
  if (ip.is_fragment()) {
    return not_rdma("IPv4 fragment at offset {}", ip.fragment_offset * 8);
  }
  if (ip.total_length < ip.size()) {
    return malformed("IPv4 total length is {}, its header alone has {} bytes", ip.total_length, ip.size());
  }
  return read_udp(frame, bytes.subspan(ip.size()), ip.total_length - ip.size(), ports);
}

Step read_ipv6(RdmaFrame& frame, ByteView bytes, FurtherRocePorts ports) {
  if (auto step = read(frame.ipv6, bytes); !step) {
    return step;
  }
  if (frame.ipv6->next_header != kIpProtocolUdp) {
    return not_rdma("IPv6 next header is {}, RoCEv2 has UDP ({})", frame.ipv6->next_header, kIpProtocolUdp);
  }
  return read_udp(frame, bytes.subspan(Ipv6Header::kSize), frame.ipv6->payload_length, ports);
}

/// Reads a GRH and the transport behind it, which must not end beyond `bytes`; what follows is left in `trailer`.
Step read_grh(RdmaFrame& frame, ByteView bytes) {
  if (auto step = read(frame.grh, bytes); !step) {
    return step;
  }
  const auto& grh = *frame.grh;
  if (grh.next_header != GrhHeader::kNextHeaderIba) {
    return malformed("GRH next header is {}, must be {} (BTH)", grh.next_header, GrhHeader::kNextHeaderIba);
  }
  const auto behind = bytes.subspan(GrhHeader::kSize);
  if (grh.payload_length > behind.size()) {
    return malformed("GRH payload length is {}, found {} bytes", grh.payload_length, behind.size());
  }
  frame.trailer = behind.subspan(grh.payload_length);
  return read_transport(frame, behind.first(grh.payload_length));
}

Step read_ip(RdmaFrame& frame, ByteView bytes, FurtherRocePorts ports) {
  if (bytes.empty()) {
    return malformed("IP header needs 20 bytes, found 0");
  }
  const auto version = load_u8(bytes, 0) >> 4;
  switch (version) {
    case 4:
      return read_ipv4(frame, bytes, ports);
    case 6:
      return read_ipv6(frame, bytes, ports);
    default:
      return malformed("IP version is {}, must be 4 or 6", version);
  }
}

Step read_ethernet(RdmaFrame& frame, ByteView bytes, FurtherRocePorts ports) {
  if (auto step = read(frame.ethernet, bytes); !step) {
    return step;
  }
  const auto behind = bytes.subspan(frame.ethernet->size());
  switch (frame.ethernet->ether_type) {
    case kEtherTypeRoceV1:
      return read_grh(frame, behind);
    case kEtherTypeIpv4:
      return read_ipv4(frame, behind, ports);
    case kEtherTypeIpv6:
      return read_ipv6(frame, behind, ports);
    default:
      return not_rdma("EtherType is 0x{:04X}, RDMA has 0x8915, 0x0800 or 0x86DD", frame.ethernet->ether_type);
  }
}

/// `packet` is what the LRH's length says: LRH to ICRC.
Step read_behind_lrh(RdmaFrame& frame, ByteView packet) {
  const auto behind = packet.subspan(LrhHeader::kSize);
  if (frame.lrh->next_header == LinkNextHeader::kIbaLocal) {
    return read_transport(frame, behind);
  }
  if (auto step = read_grh(frame, behind); !step) {
    return step;
  }
  if (!frame.trailer.empty()) {
    return malformed("GRH payload length is {}, the LRH leaves {} bytes", frame.grh->payload_length,
                     behind.size() - GrhHeader::kSize);
  }
  return {};
}

Step read_infiniband(RdmaFrame& frame, ByteView bytes) {
  if (auto step = read(frame.lrh, bytes); !step) {
    return step;
  }
  const auto next = frame.lrh->next_header;
  if (next != LinkNextHeader::kIbaLocal && next != LinkNextHeader::kIbaGlobal) {
    return not_rdma("LRH next header is {}, a raw packet", static_cast<int>(next));
  }
  const auto length = std::size_t{frame.lrh->packet_length} * 4;
  if (length > bytes.size() || length < LrhHeader::kSize) {
    return malformed("LRH packet length is {} bytes, found {}", length, bytes.size());
  }
  if (auto step = read_behind_lrh(frame, bytes.first(length)); !step) {
    return step;
  }
  auto rest = bytes.subspan(length);
  if (rest.size() >= RdmaFrame::kVcrcSize) {
    frame.vcrc = load_le16(rest, 0);
    rest = rest.subspan(RdmaFrame::kVcrcSize);
  }
  frame.trailer = rest;
  return {};
}

template <class Read>
FrameResult frame_from(Read read_into) {
  RdmaFrame frame;
  if (auto step = read_into(frame); !step) {
    return tl::unexpected<FrameError>(std::move(step.error()));
  }
  return frame;
}

}  // namespace

FrameResult parse_frame(LinkType link, std::span<const std::byte> bytes, FurtherRocePorts ports) {
  return frame_from([&](RdmaFrame& frame) {
    return link == LinkType::kEthernet ? read_ethernet(frame, bytes, ports) : read_infiniband(frame, bytes);
  });
}

FrameResult parse_ip_packet(std::span<const std::byte> bytes, FurtherRocePorts ports) {
  return frame_from([&](RdmaFrame& frame) { return read_ip(frame, bytes, ports); });
}

FrameResult parse_transport(std::span<const std::byte> bytes) {
  return frame_from([&](RdmaFrame& frame) { return read_transport(frame, bytes); });
}

}  // namespace weft::wire
