// What the parts of a TCP connection share: states, sequence numbers, identity, counters.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace weft::transport {

/// States of a connection.
//= rfc9293 3.3.2
enum class TcpState : std::uint8_t {
  kClosed,
  kListen,
  kSynSent,
  kSynReceived,
  kEstablished,
  kFinWait1,
  kFinWait2,
  kCloseWait,
  kClosing,
  kLastAck,
  kTimeWait,
};

/// Why a connection ended other than by being closed: reset by either end, no answer, or refused by the peer.
enum class TcpFailure : std::uint8_t { kNone, kReset, kTimedOut, kRefused };

/// A sequence number that does not wrap: 0 is the SYN, 1 the first byte of data. The wire has its low 32 bits, counted
/// from the initial sequence number.
using TcpSequence = std::int64_t;

/// One direction's sequence numbers on the wire.
//= rfc9293 3.4
struct TcpSequenceMap {
  std::uint32_t initial = 0;

  [[nodiscard]] constexpr std::uint32_t to_wire(TcpSequence sequence) const {
    return initial + static_cast<std::uint32_t>(sequence);
  }
  /// Of the numbers that look like `wire`, the one closest to `near`; may be negative.
  [[nodiscard]] constexpr TcpSequence from_wire(std::uint32_t wire, TcpSequence near) const {
    return near + static_cast<std::int32_t>(wire - to_wire(near));
  }
};

/// One end of a connection.
struct TcpEnd {
  EndpointId endpoint;
  Qpn connection;          // its number of the connection
  std::uint16_t port = 0;  // 0 = not known yet (the peer of a passive end)
};

/// Who the two ends are. The peer's endpoint and number must be known when the first packet leaves.
struct TcpIdentity {
  TcpEnd local;
  TcpEnd peer;
};

/// What a connection has done so far.
struct TcpCounters {
  std::uint64_t segments_sent = 0;  // of every kind
  std::uint64_t segments_received = 0;
  std::uint64_t payload_sent = 0;  // bytes, retransmitted ones included
  std::uint64_t payload_received = 0;
  std::uint64_t payload_retransmitted = 0;
  std::uint64_t duplicate_payload = 0;  // bytes that had arrived before
  std::uint32_t data_segments_sent = 0;
  std::uint32_t retransmissions = 0;  // segments
  std::uint32_t timeouts = 0;
  std::uint32_t tail_probes = 0;
  std::uint32_t window_probes = 0;
  std::uint32_t fast_recoveries = 0;
  std::uint32_t spurious_recoveries = 0;  // undone
  std::uint32_t mark_reductions = 0;      // answers to echoed congestion marks
  std::uint32_t marks_received = 0;       // data segments that arrived with CE
  std::uint32_t acks_sent = 0;            // without payload
  std::uint32_t duplicate_acks_received = 0;
  std::uint32_t out_of_order = 0;  // segments that arrived before an earlier one
  std::uint32_t rejected = 0;  // segments outside the window, with an old timestamp or an impossible acknowledgement
  std::uint32_t dropped_for_room = 0;  // segments beyond what reassembly keeps track of
};

}  // namespace weft::transport
