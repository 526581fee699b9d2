// Congestion control of one flow: the seam between an engine and its algorithm. The sender's half limits what may be
// in flight and how fast packets leave; the receiver's half turns marks into notifications.
//
// An algorithm holds no timer: rate updates that are due are applied when the rate is asked for. "None" is a null
// pointer in the engine and costs nothing.
#pragma once

#include <cstdint>

#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::transport {

/// What one acknowledgement tells.
struct AckSample {
  Duration rtt;               // negative: not measured
  Bytes acknowledged;         // payload newly acknowledged
  bool marked = false;        // the acknowledgement echoes a congestion mark
  std::uint16_t entropy = 0;  // the path the acknowledged packet took
};

/// Sender's half.
class CongestionControl {
 public:
  virtual ~CongestionControl() = default;
  virtual void on_ack(const AckSample& sample, Time now) = 0;
  /// An explicit notification arrived: CNP, BECN, or a loss that the engine takes for congestion.
  virtual void on_congestion(Time now) = 0;
  /// A packet of `size` left; algorithms with byte counters count it.
  virtual void on_transmit(Bytes size, Time now) = 0;
  /// Bytes that may be unacknowledged; at least one packet may always be in flight.
  [[nodiscard]] virtual Bytes window(Time now) = 0;
  /// Rate at which packets leave; Rate::zero() = not paced.
  [[nodiscard]] virtual Rate pacing_rate(Time now) = 0;
};

/// What a receiver answers to one packet.
enum class CongestionSignal : std::uint8_t { kNone, kCnp, kEcho };

/// Receiver's half: sees whether each data packet was marked (CE or FECN).
class CongestionReceiver {
 public:
  virtual ~CongestionReceiver() = default;
  [[nodiscard]] virtual CongestionSignal on_data(bool marked, Time now) = 0;
};

}  // namespace weft::transport
