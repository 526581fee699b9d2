// Settings of one TCP connection. The defaults are Linux's where it has the same setting.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/time.h"
#include "transport/congestion/tcp_congestion_control.h"
#include "transport/path/tcp_plb.h"
#include "wire/packet.h"

namespace weft::transport {

/// How lost segments are told from late ones.
enum class TcpLossDetection : std::uint8_t {
  kRack,           // by time of sending, with a probe for lost tails; without SACK it falls back to the next
  kDuplicateAcks,  // three duplicate acknowledgements, or as much reported as received beyond the segment
};

/// Use of ECN; what both ends offer is used, and kOff wins.
enum class TcpEcn : std::uint8_t {
  kOff,
  kClassic,    // echo until the sender says that it has reduced its window
  kPerPacket,  // echo exactly the marked segments, as DCTCP needs; both ends must choose it
};

enum class TcpNagle : std::uint8_t { kOff, kOn };

/// What spreads the segments of a window over a round trip.
enum class TcpPacing : std::uint8_t {
  kOff,
  kWindow,   // congestion window per smoothed round trip, times a gain: 2 in slow start, 1.2 after it
  kControl,  // the rate of the congestion control
};

/// When arriving data are acknowledged that are neither early, late nor marked.
struct TcpDelayedAck {
  std::uint8_t every = 2;  // segments; 1 = each at once
  Duration longest = Duration::milliseconds(40);
  /// A segment with PSH at once, as a kernel does as soon as the program has read everything.
  enum class Push : std::uint8_t { kAtOnce, kAsOthers } push = Push::kAtOnce;
};

/// All durations > 0.
struct TcpOptions {
  std::uint64_t seed = 0;    // of initial sequence numbers; both ends must have the same with establish()
  std::uint16_t mss = 1460;  // largest payload that this end takes, options not deducted; 64 to 9216
  Bytes receive_buffer = Bytes(4'194'304);  // at least one MSS, below 2^30
  bool timestamps = true;
  bool selective_acks = true;
  bool window_scaling = true;
  TcpLossDetection loss_detection = TcpLossDetection::kRack;
  TcpEcn ecn = TcpEcn::kOff;
  TcpNagle nagle = TcpNagle::kOff;
  TcpPacing pacing = TcpPacing::kOff;
  /// Whether the window falls back to its initial size after a pause longer than the retransmission timeout.
  enum class IdleRestart : std::uint8_t { kOff, kOn } idle_restart = IdleRestart::kOn;
  TcpDelayedAck delayed_ack{};
  Duration minimum_rto = Duration::milliseconds(200);
  Duration initial_rto = Duration::seconds(1);
  Duration maximum_rto = Duration::seconds(120);
  std::uint8_t retries = 15;     // timeouts in a row before the connection fails
  std::uint8_t syn_retries = 6;  // the same before it is established
  Duration time_wait = Duration::seconds(60);
  Duration timestamp_unit = Duration::microseconds(1);
  std::uint32_t max_segments = 65'536;  // that may be unacknowledged: bounds the scoreboard, 16 bytes each
  std::uint16_t max_gaps = 0;          // runs kept beyond a gap at the receiver, 16 bytes each; 0: what fits the buffer
  std::uint8_t initial_segments = 10;  // of the first window
  std::uint8_t priority = 0;           // 802.1p
  std::uint8_t traffic_class = 0;      // DSCP
  wire::Encapsulation encapsulation = wire::Encapsulation::kTcpIpv4;  // or kTcpIpv6
  /// Not owned; null = only the receiver's window limits. An object for each connection.
  TcpCongestionControl* congestion_control = nullptr;
  /// Chooses the flow label of segments over IPv6. Not owned; null = one label for ever. An object for each connection;
  /// it hears of marks only beside a congestion control.
  TcpPlb* plb = nullptr;
};

}  // namespace weft::transport
