#include "wire/capture_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "wire/captured_frame.h"
#include "wire/frame_text.h"

namespace weft::wire {
namespace {

/// IPv4 addresses stand in their IPv6 form, ::ffff:a.b.c.d.
std::string endpoint_text(const TcpEndpoint& end) {
  constexpr std::size_t kMapped = 12;
  constexpr std::array<std::uint8_t, kMapped> kPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  const auto& octets = end.address;
  if (std::equal(kPrefix.begin(), kPrefix.end(), octets.begin())) {
    return fmt::format("{}.{}.{}.{}:{}", octets[kMapped], octets[kMapped + 1], octets[kMapped + 2], octets[kMapped + 3],
                       end.port);
  }
  return fmt::format("[{}]:{}", to_string(Gid{octets}), end.port);
}

}  // namespace

CaptureList::CaptureList(std::vector<std::uint16_t> ports)
    : ports_(std::move(ports)), iwarp_([this](std::string_view frame) {
        frames_ += frames_.empty() ? "" : " | ";
        frames_ += frame;
      }) {}

std::string CaptureList::line(CaptureLink link, const CapturedPacket& packet) {
  const CapturedFrame captured = parse_captured(link, packet.bytes, ports_);
  if (captured.frame || captured.frame.error().fault != FrameFault::kNotRdma) {
    return packet_text(link, packet, ports_);
  }
  frames_.clear();
  std::string faults;
  const bool iwarp =
      iwarp_.add(link, packet, [&faults](std::string_view what) { faults += fmt::format("; fault: {}", what); });
  const std::optional<CapturedSegment> segment = parse_captured_tcp(link, packet.bytes);
  if (!iwarp || !segment) {
    return packet_text(link, packet, ports_);
  }
  if (frames_.empty()) {
    frames_ = fmt::format("{} bytes, no frame ends here", segment->payload_bytes);
  }
  return fmt::format("iWARP {} > {} {}{}", endpoint_text(segment->source), endpoint_text(segment->destination), frames_,
                     faults);
}

}  // namespace weft::wire
