// A frame of the control plane between two neighbouring switches: a TCP segment of a BGP session, a BFD control packet,
// or an LLDP unit. The payload is the bytes of the wire; headers below are counted, not written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::fabric {

enum class ControlFrameKind : std::uint8_t { kSegment, kBfd, kLldp };

/// A segment of a session's connection.
struct Segment {
  std::uint32_t sequence = 0;
  std::uint32_t acknowledgement = 0;
  std::uint8_t flags = 0;  // wire::TcpFlag bits
  std::vector<std::byte> bytes{};
};

struct ControlFrame {
  ControlFrameKind kind = ControlFrameKind::kBfd;
  Segment segment{};               // kSegment
  std::vector<std::byte> bytes{};  // otherwise
};

/// Of the Ethernet frame with its FCS: TCP over IPv4 with timestamps, UDP over IPv4, or the EtherType alone.
[[nodiscard]] std::uint32_t control_frame_bytes(const ControlFrame& frame);

}  // namespace weft::fabric
