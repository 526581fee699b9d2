// The bytes of a TCP connection out of captured packets: which segment a packet holds, and one direction's bytes put
// back in order.
//
// A capture may begin in the middle of a connection, and hold segments twice or out of order. Memory is bounded: bytes
// beyond a gap are kept up to a limit, then the direction is given up.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "wire/address.h"
#include "wire/pcap_reader.h"

namespace weft::wire {

/// One end of a connection; IPv4 addresses in their IPv6 form.
struct TcpEndpoint {
  std::array<std::uint8_t, 16> address{};
  std::uint16_t port = 0;

  friend auto operator<=>(const TcpEndpoint&, const TcpEndpoint&) = default;
};

/// `payload` views the packet, and may be shorter than what was sent: the capture's snap length.
struct CapturedSegment {
  TcpEndpoint source{};
  TcpEndpoint destination{};
  std::uint32_t sequence = 0;
  std::uint8_t flags = 0;           // TcpFlag bits
  std::uint32_t payload_bytes = 0;  // as sent
  std::span<const std::byte> payload{};
};

/// Nothing if the packet is not a whole IPv4 or IPv6 packet with a TCP header.
[[nodiscard]] std::optional<CapturedSegment> parse_captured_tcp(CaptureLink link, std::span<const std::byte> bytes);

/// One direction of a connection.
class TcpReassembly {
 public:
  /// Bytes kept beyond a gap.
  static constexpr std::size_t kMaxEarly = std::size_t{1} << 20;

  /// Adds a segment and appends the bytes that are now in order to `out`. False: too much is missing, and the direction
  /// is given up.
  bool add(const CapturedSegment& segment, std::vector<std::byte>& out);
  /// Bytes that came behind a gap, which is still open.
  [[nodiscard]] std::size_t early_bytes() const { return early_bytes_; }

 private:
  void keep(std::int64_t at, std::span<const std::byte> bytes);
  void drain(std::vector<std::byte>& out);

  std::map<std::int64_t, std::vector<std::byte>> early_;  // by place in the stream
  std::size_t early_bytes_ = 0;
  std::int64_t next_ = 0;  // place of the next byte in order; sequence numbers wrap, places do not
  std::uint32_t next_sequence_ = 0;
  bool started_ = false;
};

}  // namespace weft::wire
