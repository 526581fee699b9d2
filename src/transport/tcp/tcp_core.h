// What the two halves of a connection share: who it is, what was negotiated, what it counts.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/assert.h"
#include "transport/packet_io.h"
#include "transport/tcp/rtt_estimator.h"
#include "transport/tcp/tcp_options.h"
#include "transport/tcp/tcp_stream.h"
#include "transport/tcp/tcp_types.h"
#include "wire/encapsulation.h"
#include "wire/tcp.h"

namespace weft::transport {

/// What both ends agreed on, or one end says of itself, in the SYNs.
struct TcpNegotiated {
  std::uint16_t peer_mss = 536;  // of a peer that says nothing
  std::uint8_t send_scale = 0;   // of windows that arrive
  std::uint8_t receive_scale = 0;
  bool timestamps = false;
  bool sack = false;
  bool scaling = false;
  TcpEcn ecn = TcpEcn::kOff;
};

struct TcpCore {
  TcpOptions options;
  TcpIdentity identity;
  TcpNegotiated agreed;
  TcpSequenceMap sending;    // our sequence numbers
  TcpSequenceMap receiving;  // the peer's
  TcpStreamUser* user = nullptr;
  std::uint32_t room_bytes = 0;
  std::uint16_t entropy = 0;  // of segments: the source port, or the flow label where PLB chooses it
  TcpCounters counters;

  /// Largest payload of a data segment; follows from what was agreed (`update_room`).
  [[nodiscard]] std::uint32_t room() const { return room_bytes; }
  //= rfc9293 3.7.1
  void update_room() {
    constexpr std::uint32_t kTimestampBytes = 12;
    const std::uint32_t mss = std::min(agreed.peer_mss, options.mss);
    room_bytes = agreed.timestamps ? mss - kTimestampBytes : mss;
    WEFT_DCHECK(room_bytes > 0 && room_bytes <= mss);  // neither end offers less than 64
  }
  /// Runs beyond a gap that the receiver keeps: as many as full segments, every other one of them missing, make of its
  /// buffer.
  [[nodiscard]] std::size_t max_gaps() const {
    constexpr std::size_t kLeast = 256;
    const auto pairs = static_cast<std::size_t>(options.receive_buffer.count() / (2 * std::int64_t{room_bytes}));
    return options.max_gaps != 0 ? options.max_gaps : std::max(kLeast, pairs + 1);
  }
  /// The smallest shift with which the whole buffer fits into the window field.
  //= rfc7323 2.3
  [[nodiscard]] std::uint8_t offered_scale() const {
    std::uint8_t scale = 0;
    while ((options.receive_buffer.count() >> scale) > 0xFFFF && scale < wire::TcpOptionFields::kMaxWindowScale) {
      ++scale;
    }
    return scale;
  }
  [[nodiscard]] RttEstimator::Limits rto_limits() const {
    return {.initial = options.initial_rto, .minimum = options.minimum_rto, .maximum = options.maximum_rto};
  }
  [[nodiscard]] std::uint32_t timestamp(Time now) const {
    return static_cast<std::uint32_t>(now.since_start() / options.timestamp_unit);
  }

  /// The fields of a segment that do not depend on what it is for.
  void start_packet(wire::Packet& packet, Time now) const {
    packet.common = wire::PacketCommon{.source = identity.local.endpoint,
                                       .destination = identity.peer.endpoint,
                                       .entropy = entropy,
                                       .kind = wire::PacketKind::kTcp,
                                       .encapsulation = options.encapsulation,
                                       .priority = options.priority,
                                       .traffic_class = options.traffic_class};
    packet.tcp = wire::TcpHeader{};
    packet.tcp.connection = identity.peer.connection.value();
    packet.tcp.source_port = identity.local.port;
    packet.tcp.destination_port = identity.peer.port;
    if (agreed.timestamps) {
      packet.tcp.options = wire::kTcpHasTimestamps;
      packet.tcp.timestamp = timestamp(now);
    }
  }

  /// Sets the sizes; payload length and options must be set.
  static void finish_packet(wire::Packet& packet) {
    const auto size = wire::tcp_sizes(
        packet.common.encapsulation,
        {.options = Bytes(wire::tcp_option_bytes(packet.tcp)), .payload = Bytes(packet.common.payload_bytes)});
    WEFT_DCHECK(size.frame <= size.wire && size.wire <= Bytes(0xFFFF));
    packet.common.frame_bytes = static_cast<std::uint16_t>(size.frame.count());
    packet.common.wire_bytes = static_cast<std::uint16_t>(size.wire.count());
  }
};

}  // namespace weft::transport
