#include "wire/tcp_reassembly.h"

#include <algorithm>

#include "wire/byte_order.h"
#include "wire/ethernet.h"
#include "wire/ipv4.h"
#include "wire/ipv6.h"
#include "wire/tcp.h"

namespace weft::wire {
namespace {

/// What remains of a packet behind the headers of its link; empty if that is not IP.
std::span<const std::byte> ip_of(CaptureLink link, std::span<const std::byte> bytes) {
  constexpr std::size_t kCookedSize = 16;
  constexpr std::size_t kCooked2Size = 20;
  switch (link) {
    case CaptureLink::kEthernet: {
      const Result<EthernetHeader> header = EthernetHeader::parse(bytes);
      const bool ip = header && (header->ether_type == kEtherTypeIpv4 || header->ether_type == kEtherTypeIpv6);
      return ip ? bytes.subspan(header->size()) : std::span<const std::byte>{};
    }
    case CaptureLink::kRawIp:
      return bytes;
    case CaptureLink::kLinuxCooked:
      return bytes.size() < kCookedSize ? std::span<const std::byte>{} : bytes.subspan(kCookedSize);
    case CaptureLink::kLinuxCooked2:
      return bytes.size() < kCooked2Size ? std::span<const std::byte>{} : bytes.subspan(kCooked2Size);
    case CaptureLink::kInfiniBand:
    case CaptureLink::kErf:
    case CaptureLink::kOther:
      break;
  }
  return {};
}

/// Fills in the TCP part; `length` is that of header and payload as sent.
bool read_tcp(std::span<const std::byte> bytes, std::size_t length, CapturedSegment& segment) {
  const Result<TcpSegmentHeader> header = TcpSegmentHeader::parse(bytes);
  if (!header || header->size() > length) {
    return false;
  }
  segment.source.port = header->source_port;
  segment.destination.port = header->destination_port;
  segment.sequence = header->sequence;
  segment.flags = header->flags;
  segment.payload_bytes = static_cast<std::uint32_t>(length - header->size());
  segment.payload = bytes.subspan(header->size());
  segment.payload = segment.payload.first(std::min<std::size_t>(segment.payload.size(), segment.payload_bytes));
  return true;
}

bool read_ipv4(std::span<const std::byte> bytes, CapturedSegment& segment) {
  const Result<Ipv4Header> header = Ipv4Header::parse(bytes);
  if (!header || header->protocol != kIpProtocolTcp || header->is_fragment() || header->total_length < header->size()) {
    return false;
  }
  segment.source.address = gid_of(header->source).octets;
  segment.destination.address = gid_of(header->destination).octets;
  return read_tcp(bytes.subspan(header->size()), header->total_length - header->size(), segment);
}

bool read_ipv6(std::span<const std::byte> bytes, CapturedSegment& segment) {
  const Result<Ipv6Header> header = Ipv6Header::parse(bytes);
  if (!header || header->next_header != kIpProtocolTcp) {
    return false;
  }
  segment.source.address = header->source.octets;
  segment.destination.address = header->destination.octets;
  return read_tcp(bytes.subspan(Ipv6Header::kSize), header->payload_length, segment);
}

}  // namespace

std::optional<CapturedSegment> parse_captured_tcp(CaptureLink link, std::span<const std::byte> bytes) {
  const std::span<const std::byte> ip = ip_of(link, bytes);
  if (ip.empty()) {
    return std::nullopt;
  }
  CapturedSegment segment;
  const unsigned version = load_u8(ip, 0) >> 4;
  const bool read = version == 4 ? read_ipv4(ip, segment) : version == 6 && read_ipv6(ip, segment);
  return read ? std::optional(segment) : std::nullopt;
}

//= rfc9293 3.4
bool TcpReassembly::add(const CapturedSegment& segment, std::vector<std::byte>& out) {
  const bool syn = (segment.flags & kTcpSyn) != 0;
  const std::uint32_t first = segment.sequence + (syn ? 1U : 0U);
  if (!started_) {
    started_ = true;
    next_sequence_ = first;
  }
  const std::int64_t at = next_ + static_cast<std::int32_t>(first - next_sequence_);
  const std::int64_t passed =
      std::clamp<std::int64_t>(next_ - at, 0, static_cast<std::int64_t>(segment.payload.size()));
  keep(at + passed, segment.payload.subspan(static_cast<std::size_t>(passed)));
  drain(out);
  return early_bytes_ <= kMaxEarly;
}

void TcpReassembly::keep(std::int64_t at, std::span<const std::byte> bytes) {
  if (bytes.empty() || at < next_) {
    return;
  }
  std::vector<std::byte>& kept = early_[at];
  if (kept.size() < bytes.size()) {
    early_bytes_ += bytes.size() - kept.size();
    kept.assign(bytes.begin(), bytes.end());
  }
}

void TcpReassembly::drain(std::vector<std::byte>& out) {
  while (!early_.empty() && early_.begin()->first <= next_) {
    const auto node = early_.extract(early_.begin());
    const std::vector<std::byte>& bytes = node.mapped();
    early_bytes_ -= bytes.size();
    const std::int64_t known = next_ - node.key();
    if (known >= static_cast<std::int64_t>(bytes.size())) {
      continue;
    }
    out.insert(out.end(), bytes.begin() + known, bytes.end());
    const auto added = static_cast<std::int64_t>(bytes.size()) - known;
    next_ += added;
    next_sequence_ += static_cast<std::uint32_t>(added);
  }
}

}  // namespace weft::wire
