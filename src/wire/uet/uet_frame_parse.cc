#include <algorithm>
#include <utility>

#include "wire/byte_order.h"
#include "wire/uet/uet_frame.h"

namespace weft::wire::uet {

namespace {

tl::unexpected<FrameError> malformed_uet(Error error) {
  return tl::unexpected<FrameError>({.fault = FrameFault::kMalformed, .error = std::move(error)});
}
template <class... Args>
tl::unexpected<FrameError> malformed_uet(fmt::format_string<Args...> format, Args&&... args) {
  return malformed_uet(Error{fmt::format(format, std::forward<Args>(args)...)});
}
template <class... Args>
tl::unexpected<FrameError> not_uet(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<FrameError>(
      {.fault = FrameFault::kNotRdma, .error = {fmt::format(format, std::forward<Args>(args)...)}});
}

/// What each step below takes: what it read is in `frame`, or an error says why not.
using UetStep = tl::expected<void, FrameError>;

template <class Header>
UetStep read_uet(std::optional<Header>& member, std::span<const std::byte> bytes) {
  auto header = Header::parse(bytes);
  if (!header) {
    return malformed_uet(std::move(header.error()));
  }
  member = *header;
  return {};
}

/// `bytes` begin with the TSS header and end with the ICV.
UetStep read_secured(UetFrame& frame, std::span<const std::byte> bytes) {
  if (auto step = read_uet(frame.tss, bytes); !step) {
    return step;
  }
  const std::size_t least = frame.tss->size() + kTssIcvSize;
  if (bytes.size() < least) {
    return malformed_uet("TSS and ICV need {} bytes, found {}", least, bytes.size());
  }
  frame.payload = bytes.subspan(frame.tss->size()).first(bytes.size() - least);
  std::ranges::copy(bytes.last(kTssIcvSize), frame.icv.begin());
  return {};
}

/// `bytes` begin with the PDS header and end with the payload.
UetStep read_uet_headers(UetFrame& frame, std::span<const std::byte> bytes) {
  Result<PdsHeader> pds = parse_pds(bytes);
  if (!pds) {
    return malformed_uet(std::move(pds.error()));
  }
  frame.pds = *pds;
  bytes = bytes.subspan(size_of(*pds));
  Result<Ses> ses = Ses::parse(next_header_of(*pds), bytes);
  if (!ses) {
    return malformed_uet(std::move(ses.error()));
  }
  frame.ses = *ses;
  frame.payload = bytes.subspan(ses->size());
  return {};
}

/// `bytes` begin with the PDS header and end with the CRC.
UetStep read_plain(UetFrame& frame, std::span<const std::byte> bytes) {
  if (bytes.size() < kCrcSize) {
    return malformed_uet("UET's CRC needs {} bytes, found {}", kCrcSize, bytes.size());
  }
  frame.crc = load_le32(bytes, bytes.size() - kCrcSize);
  return read_uet_headers(frame, bytes.first(bytes.size() - kCrcSize));
}

UetStep read_uet_transport(UetFrame& frame, std::span<const std::byte> bytes) {
  const bool secured = bytes.size() >= 2 &&
                       PdsPrologue::unpack(load_be16(bytes, 0)).type == static_cast<std::uint8_t>(PdsType::kSecurity);
  return secured ? read_secured(frame, bytes) : read_plain(frame, bytes);
}

/// `bytes` begin behind the IP header, whose length leaves `announced` of them.
UetStep read_behind_ip(UetFrame& frame, std::uint8_t protocol, std::span<const std::byte> bytes,
                       std::size_t announced) {
  if (protocol == kIpProtocolUdp) {
    if (auto step = read_uet(frame.udp, bytes); !step) {
      return step;
    }
    if (frame.udp->destination_port != kUdpPort) {
      return not_uet("UDP destination port is {}, UET has {}", frame.udp->destination_port, kUdpPort);
    }
  } else if (protocol != kIpProtocol) {
    return not_uet("IP protocol is {}, UET has UDP ({}) or {}", protocol, kIpProtocolUdp, kIpProtocol);
  }
  if (announced > bytes.size()) {
    return malformed_uet("IP header announces {} bytes behind it, found {}", announced, bytes.size());
  }
  frame.trailer = bytes.subspan(announced);
  bytes = bytes.first(announced);
  if (frame.udp) {
    if (frame.udp->length != announced) {
      return malformed_uet("UDP length is {}, the IP header leaves {} bytes", frame.udp->length, announced);
    }
    return read_uet_transport(frame, bytes.subspan(UdpHeader::kSize));
  }
  if (auto step = read_uet(frame.entropy, bytes); !step) {
    return step;
  }
  return read_uet_transport(frame, bytes.subspan(EntropyHeader::kSize));
}

UetStep read_uet_ipv4(UetFrame& frame, std::span<const std::byte> bytes) {
  if (auto step = read_uet(frame.ipv4, bytes); !step) {
    return step;
  }
  const Ipv4Header& ip = *frame.ipv4;
  if (ip.is_fragment()) {
    return not_uet("IPv4 fragment at offset {}", ip.fragment_offset * 8);
  }
  if (ip.total_length < ip.size()) {
    return malformed_uet("IPv4 total length is {}, its header alone has {} bytes", ip.total_length, ip.size());
  }
  return read_behind_ip(frame, ip.protocol, bytes.subspan(ip.size()), ip.total_length - ip.size());
}

UetStep read_uet_ipv6(UetFrame& frame, std::span<const std::byte> bytes) {
  if (auto step = read_uet(frame.ipv6, bytes); !step) {
    return step;
  }
  return read_behind_ip(frame, frame.ipv6->next_header, bytes.subspan(Ipv6Header::kSize), frame.ipv6->payload_length);
}

UetStep read_uet_ip(UetFrame& frame, std::span<const std::byte> bytes) {
  if (bytes.empty()) {
    return malformed_uet("IP header needs 20 bytes, found 0");
  }
  switch (const auto version = load_u8(bytes, 0) >> 4; version) {
    case 4:
      return read_uet_ipv4(frame, bytes);
    case 6:
      return read_uet_ipv6(frame, bytes);
    default:
      return malformed_uet("IP version is {}, must be 4 or 6", version);
  }
}

UetStep read_uet_ethernet(UetFrame& frame, std::span<const std::byte> bytes) {
  if (auto step = read_uet(frame.ethernet, bytes); !step) {
    return step;
  }
  const std::span<const std::byte> behind = bytes.subspan(frame.ethernet->size());
  switch (frame.ethernet->ether_type) {
    case kEtherTypeIpv4:
      return read_uet_ipv4(frame, behind);
    case kEtherTypeIpv6:
      return read_uet_ipv6(frame, behind);
    default:
      return not_uet("EtherType is 0x{:04X}, UET has 0x0800 or 0x86DD", frame.ethernet->ether_type);
  }
}

template <class Read>
UetFrameResult uet_frame_from(Read read_into) {
  UetFrame frame;
  if (auto step = read_into(frame); !step) {
    return tl::unexpected<FrameError>(std::move(step.error()));
  }
  return frame;
}

}  // namespace

UetFrameResult parse_uet_frame(std::span<const std::byte> bytes) {
  return uet_frame_from([&](UetFrame& frame) { return read_uet_ethernet(frame, bytes); });
}

UetFrameResult parse_uet_transport(std::span<const std::byte> bytes) {
  return uet_frame_from([&](UetFrame& frame) { return read_uet_transport(frame, bytes); });
}

UetFrameResult parse_uet_decrypted(std::span<const std::byte> bytes) {
  return uet_frame_from([&](UetFrame& frame) { return read_uet_headers(frame, bytes); });
}

UetFrameResult parse_uet_ip_packet(std::span<const std::byte> bytes) {
  return uet_frame_from([&](UetFrame& frame) { return read_uet_ip(frame, bytes); });
}

}  // namespace weft::wire::uet
