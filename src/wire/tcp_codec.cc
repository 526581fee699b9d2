#include "wire/tcp_codec.h"

#include <algorithm>
#include <array>

#include "base/assert.h"
#include "wire/byte_order.h"
#include "wire/encapsulation.h"
#include "wire/internet_checksum.h"

namespace weft::wire {

namespace {

constexpr std::array<std::byte, TcpFrame::kMaxSealedPayload> kZeroSegment{};
constexpr std::size_t kTcpChecksumOffset = 16;

TcpOptionFields option_fields(const TcpHeader& header, const ColdPacket& cold) {
  TcpOptionFields fields;
  if (header.mss != 0) {
    fields.mss = header.mss;
  }
  if (header.has(kTcpHasWindowScale)) {
    fields.window_scale = header.window_scale;
  }
  fields.sack_permitted = header.has(kTcpSackPermitted);
  if (header.has(kTcpHasTimestamps)) {
    fields.timestamps = TcpTimestamps{.value = header.timestamp, .echo = header.timestamp_echo};
  }
  if (header.sack_blocks > 0) {
    fields.sack = cold.tcp_sack;
    fields.sack_blocks = header.sack_blocks;
  }
  return fields;
}

TcpSegmentHeader segment_header(const TcpHeader& header, const ColdPacket& cold) {
  TcpSegmentHeader segment{.source_port = header.source_port,
                           .destination_port = header.destination_port,
                           .sequence = header.sequence,
                           .acknowledgement = header.acknowledgement,
                           .flags = header.flags,
                           .window = header.window};
  const TcpOptionFields fields = option_fields(header, cold);
  WEFT_ASSERT(fields.size() <= TcpSegmentHeader::kMaxOptions);
  segment.options_size = static_cast<std::uint8_t>(fields.size());
  fields.emit(segment.options);
  return segment;
}

/// Without the connection, which is not on the wire.
TcpHeader record_of(const TcpSegmentHeader& segment, const TcpOptionFields& fields) {
  TcpHeader header{};
  header.sequence = segment.sequence;
  header.acknowledgement = segment.acknowledgement;
  header.source_port = segment.source_port;
  header.destination_port = segment.destination_port;
  header.window = segment.window;
  header.flags = segment.flags;
  header.mss = fields.mss.value_or(0);
  header.window_scale = fields.window_scale.value_or(0);
  header.timestamp = fields.timestamps ? fields.timestamps->value : 0;
  header.timestamp_echo = fields.timestamps ? fields.timestamps->echo : 0;
  header.options = static_cast<std::uint8_t>((fields.timestamps ? kTcpHasTimestamps : 0) |
                                             (fields.window_scale ? kTcpHasWindowScale : 0) |
                                             (fields.sack_permitted ? kTcpSackPermitted : 0));
  header.sack_blocks = fields.sack_blocks;
  return header;
}

/// Fills in the IP header; returns the bytes of header and segment, without what is behind them.
Result<std::size_t> read_ipv4(std::span<const std::byte> bytes, TcpFrame& frame) {
  auto ip = Ipv4Header::parse(bytes);
  if (!ip) {
    return pass_on(ip);
  }
  if (ip->protocol != kIpProtocolTcp || ip->is_fragment()) {
    return fail("IPv4 protocol is {}{}, a whole TCP segment has {}", ip->protocol,
                ip->is_fragment() ? ", fragment" : "", kIpProtocolTcp);
  }
  if (ip->total_length < ip->size() || ip->total_length > bytes.size()) {
    return fail("IPv4 total length is {}, its header has {} bytes and {} were found", ip->total_length, ip->size(),
                bytes.size());
  }
  frame.ipv4 = *ip;
  return ip->total_length;
}

Result<std::size_t> read_ipv6(std::span<const std::byte> bytes, TcpFrame& frame) {
  auto ip = Ipv6Header::parse(bytes);
  if (!ip) {
    return pass_on(ip);
  }
  if (ip->next_header != kIpProtocolTcp) {
    return fail("IPv6 next header is {}, TCP has {}", ip->next_header, kIpProtocolTcp);
  }
  const std::size_t length = Ipv6Header::kSize + ip->payload_length;
  if (length > bytes.size()) {
    return fail("IPv6 payload length is {}, and {} bytes were found behind its header", ip->payload_length,
                bytes.size() - Ipv6Header::kSize);
  }
  frame.ipv6 = *ip;
  return length;
}

}  // namespace

Result<TcpFrame> parse_tcp_frame(std::span<const std::byte> bytes) {
  auto ethernet = EthernetHeader::parse(bytes);
  if (!ethernet) {
    return pass_on(ethernet);
  }
  if (ethernet->ether_type != kEtherTypeIpv4 && ethernet->ether_type != kEtherTypeIpv6) {
    return fail("EtherType is {:#06x}, IPv4 has {:#06x} and IPv6 {:#06x}", ethernet->ether_type, kEtherTypeIpv4,
                kEtherTypeIpv6);
  }
  bytes = bytes.subspan(ethernet->size());
  TcpFrame frame{.ethernet = *ethernet};
  Result<std::size_t> length =
      ethernet->ether_type == kEtherTypeIpv6 ? read_ipv6(bytes, frame) : read_ipv4(bytes, frame);
  if (!length) {
    return pass_on(length);
  }
  frame.trailer = bytes.subspan(*length);
  bytes = bytes.first(*length).subspan(frame.ip_size());
  auto tcp = TcpSegmentHeader::parse(bytes);
  if (!tcp) {
    return pass_on(tcp);
  }
  frame.tcp = *tcp;
  frame.payload = bytes.subspan(tcp->size());
  return frame;
}

std::size_t emitted_size(const TcpFrame& frame) {
  return frame.ethernet.size() + frame.ip_size() + frame.tcp.size() + frame.payload.size() + frame.trailer.size();
}

std::size_t emit_tcp_frame(const TcpFrame& frame, std::span<std::byte> out) {
  const std::size_t size = emitted_size(frame);
  WEFT_ASSERT(out.size() >= size);
  frame.ethernet.emit(out);
  out = out.subspan(frame.ethernet.size());
  if (frame.ipv6) {
    frame.ipv6->emit(out);
  } else {
    frame.ipv4.emit(out);
  }
  out = out.subspan(frame.ip_size());
  frame.tcp.emit(out);
  const auto behind = std::ranges::copy(frame.payload, out.begin() + static_cast<std::ptrdiff_t>(frame.tcp.size())).out;
  std::ranges::copy(frame.trailer, behind);
  return size;
}

void seal_tcp_frame(TcpFrame& frame) {
  const std::size_t segment = frame.tcp.size() + frame.payload.size();
  const std::size_t packet = frame.ip_size() + segment;
  WEFT_ASSERT(frame.payload.size() <= TcpFrame::kMaxSealedPayload);
  if (frame.ipv6) {
    frame.ipv6->payload_length = static_cast<std::uint16_t>(segment);
  } else {
    frame.ipv4.total_length = static_cast<std::uint16_t>(packet);
    frame.ipv4.header_checksum = frame.ipv4.compute_checksum();
  }
  frame.tcp.checksum = compute_tcp_checksum(frame);
  const std::size_t exact = frame.ethernet.size() + packet;
  const std::size_t least = EthernetHeader::kMinFrameWithoutFcs;
  frame.trailer = std::span(kZeroSegment).first(exact < least ? least - exact : 0);
}

std::uint16_t compute_tcp_checksum(const TcpFrame& frame) {
  std::array<std::byte, TcpSegmentHeader::kSize + TcpSegmentHeader::kMaxOptions> header{};
  frame.tcp.emit(header);
  store_be16(header, kTcpChecksumOffset, 0);
  InternetChecksum sum;
  if (frame.ipv6) {
    //= rfc8200 8.1
    sum.add(std::as_bytes(std::span(frame.ipv6->source.octets)));
    sum.add(std::as_bytes(std::span(frame.ipv6->destination.octets)));
  } else {
    for (const auto address : {frame.ipv4.source, frame.ipv4.destination}) {
      sum.add_word(static_cast<std::uint16_t>(address.value >> 16));
      sum.add_word(static_cast<std::uint16_t>(address.value));
    }
  }
  sum.add_word(kIpProtocolTcp).add_word(static_cast<std::uint16_t>(frame.tcp.size() + frame.payload.size()));
  return sum.add(std::span(header).first(frame.tcp.size())).add(frame.payload).value();
}

bool checksums_ok(const TcpFrame& frame) {
  return (frame.ipv6 || frame.ipv4.checksum_ok()) && frame.tcp.checksum == compute_tcp_checksum(frame);
}

TcpFrame to_tcp_frame(const Packet& packet, const ColdPacket& cold, std::span<const std::byte> payload,
                      const Addresses& addresses) {
  const PacketCommon& common = packet.common;
  const std::size_t length = common.payload_bytes;
  WEFT_ASSERT(common.kind == PacketKind::kTcp && is_tcp(common.encapsulation));
  WEFT_ASSERT(payload.empty() ? length <= kZeroSegment.size() : payload.size() == length);
  TcpFrame frame;
  const bool over_ipv6 = common.encapsulation == Encapsulation::kTcpIpv6;
  frame.ethernet = {.destination = addresses.destination.mac,
                    .source = addresses.source.mac,
                    .ether_type = over_ipv6 ? kEtherTypeIpv6 : kEtherTypeIpv4};
  if (over_ipv6) {
    frame.ipv6 = Ipv6Header{.dscp = common.traffic_class,
                            .ecn = common.ecn,
                            .flow_label = common.entropy,
                            .next_header = kIpProtocolTcp,
                            .hop_limit = common.hop_limit,
                            .source = addresses.source.ipv6,
                            .destination = addresses.destination.ipv6};
  } else {
    frame.ipv4 = {.dscp = common.traffic_class,
                  .ecn = common.ecn,
                  .dont_fragment = true,
                  .time_to_live = common.hop_limit,
                  .protocol = kIpProtocolTcp,
                  .source = addresses.source.ipv4,
                  .destination = addresses.destination.ipv4};
  }
  frame.tcp = segment_header(packet.tcp, cold);
  frame.payload = payload.empty() ? std::span(kZeroSegment).first(length) : payload;
  seal_tcp_frame(frame);
  return frame;
}

Result<void> from_tcp_frame(const TcpFrame& frame, Packet& packet, ColdPacket& cold) {
  auto fields = TcpOptionFields::parse(frame.tcp.option_bytes());
  if (!fields) {
    return pass_on(fields);
  }
  PacketCommon& common = packet.common;
  const std::uint32_t connection = common.kind == PacketKind::kTcp ? packet.tcp.connection : 0;
  common.kind = PacketKind::kTcp;
  common.encapsulation = frame.ipv6 ? Encapsulation::kTcpIpv6 : Encapsulation::kTcpIpv4;
  common.payload_bytes = static_cast<std::uint16_t>(frame.payload.size());
  common.traffic_class = frame.ipv6 ? frame.ipv6->dscp : frame.ipv4.dscp;
  common.ecn = frame.ipv6 ? frame.ipv6->ecn : frame.ipv4.ecn;
  common.hop_limit = frame.ipv6 ? frame.ipv6->hop_limit : frame.ipv4.time_to_live;
  common.entropy = frame.ipv6 ? static_cast<std::uint16_t>(frame.ipv6->flow_label) : frame.tcp.source_port;
  packet.tcp = record_of(frame.tcp, *fields);
  packet.tcp.connection = connection;
  if (fields->sack_blocks > 0) {
    cold.tcp_sack = fields->sack;
  }
  common.flags = static_cast<std::uint8_t>((common.flags & ~kHasCold) | (fields->sack_blocks > 0 ? kHasCold : 0));
  const FrameSizes size = tcp_sizes(common.encapsulation,
                                    {.options = Bytes(frame.tcp.options_size), .payload = Bytes(common.payload_bytes)});
  common.frame_bytes = static_cast<std::uint16_t>(size.frame.count());
  common.wire_bytes = static_cast<std::uint16_t>(size.wire.count());
  return {};
}

}  // namespace weft::wire
