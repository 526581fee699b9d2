// What queue pairs over a TCP stream have in common besides their code: options, counters, the call environment.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/time.h"
#include "transport/qp_core.h"
#include "transport/stream/framing_header_log.h"
#include "transport/tcp/tcp_options.h"

namespace weft::transport {

/// Whether connection set-up is simulated.
enum class StreamStart : std::uint8_t {
  kEstablished,  // handshakes of TCP and MPA are assumed done, as RC connection set-up is not simulated either
  kOnTheWire,    // the end with the smaller queue pair number connects, the other listens
};

/// The part of the options that both kinds have.
struct StreamOptions {
  TcpOptions tcp{};
  /// Where the headers go when lengths alone travel; must outlive the queue pair. Null: bytes travel.
  FramingHeaderLogs* ledgers = nullptr;
  StreamStart start = StreamStart::kEstablished;
  /// Frames are handed to TCP while fewer bytes than this are unacknowledged; at least 1.
  Bytes send_buffer = Bytes(std::int64_t{4} << 20);
};

/// Events since creation or the last RESET.
struct StreamCounters {
  std::uint64_t frames_sent = 0;          // messages (TCP) or FPDUs (iWARP)
  std::uint64_t frames_received = 0;      // in order
  std::uint64_t frames_placed_early = 0;  // before bytes in front of them had arrived
  std::uint32_t waits_for_receive = 0;    // times the stream stalled for lack of a receive request
  std::uint32_t bad_requests = 0;         // messages refused
  std::uint32_t crc_errors = 0;
  std::uint32_t marker_errors = 0;
  std::uint32_t terminates_sent = 0;
  std::uint32_t terminates_received = 0;
  std::uint32_t discarded = 0;  // packets that found no connection, or were damaged
};

/// The environment of one call to a part of an engine.
struct StreamCall {
  QpCore& core;
  verbs::Context& context;
  Time now;

  [[nodiscard]] const verbs::QpAttributes& attributes() const { return core.attributes(); }
};

}  // namespace weft::transport
