// Congestion control of one flow: the interface between an engine and its algorithm. The sender's half limits what may
// be in flight and how fast packets leave; the receiver's half turns marks into notifications.
//
// An algorithm has no timer: due rate updates are applied when the rate is read. "None" is a null pointer in the engine
// and costs nothing. Most packets change nothing: an algorithm declares a steady interval (`rest`), during which
// `transmit` makes no virtual call.
#pragma once

#include <cstdint>

#include "base/assert.h"
#include "base/data_size.h"
#include "base/rate.h"
#include "base/time.h"
#include "wire/telemetry.h"

namespace weft::transport {

/// What one acknowledgement reports. The last members are told by transports whose receivers count (Ultra Ethernet) and
/// zero elsewhere.
struct AckSample {
  Duration rtt;                                // negative: not measured
  Bytes acknowledged;                          // payload newly acknowledged
  bool marked = false;                         // the acknowledgement echoes a congestion mark
  std::uint8_t receiver_penalty = 0;           // rcv_cwnd_pend: how far the receiver asks for less, in 128ths, to 127
  std::uint16_t entropy = 0;                   // the path the acknowledged packet took
  std::uint16_t out_of_order = 0;              // packets that the receiver has beyond a gap
  const wire::Telemetry* telemetry = nullptr;  // of the packet that was acknowledged; with it `rtt` is that packet's
  Bytes received = Bytes::zero();              // newly received as the receiver counts them, in any order
  Bytes in_flight = Bytes::zero();             // sent and neither received nor known to be lost, after this
};

/// One packet that arrived without its payload, cut off by a switch for lack of room.
struct TrimSample {
  Duration rtt;     // from its departure to this report; negative: not measured
  Bytes size;       // that it had, as `AckSample::received` counts
  Bytes in_flight;  // after this
  std::uint16_t entropy = 0;
  bool last_hop = false;  // trimmed at the link to its receiver: no other path would have helped
};

/// How a loss was detected.
enum class LossEvent : std::uint8_t { kDetected, kTimeout };

/// Sender's half. Times never go backwards from call to call.
class CongestionControl {
 public:
  virtual ~CongestionControl() = default;
  /// Called only if the algorithm wants acknowledgements.
  virtual void on_ack(const AckSample& sample, Time now) = 0;
  /// An explicit notification arrived: CNP, BECN, or a loss that the engine takes for congestion.
  virtual void on_congestion(Time now) = 0;
  /// Packets are retransmitted. Algorithms with other congestion signals ignore it.
  virtual void on_loss(LossEvent /*sign*/, Time /*now*/) {}
  /// A packet of this flow was trimmed on its way, and is sent again. `on_congestion` and `on_loss` do not hear of it.
  virtual void on_trim(const TrimSample& /*sample*/, Time /*now*/) {}
  /// A packet of `size` leaves; algorithms with byte counters count it. Not called during a rest.
  virtual void on_transmit(Bytes size, Time now) = 0;
  /// Bytes that may be unacknowledged; at least one packet may always be in flight. Changes in `on_ack`,
  /// `on_congestion`, `on_loss` and `on_trim` only: an engine asks after these. One that may shrink needs an
  /// acknowledgement for every packet, or the flow may wait for its timeout.
  [[nodiscard]] virtual Bytes window(Time now) = 0;
  /// Rate at which packets leave; Rate::zero() = not paced.
  [[nodiscard]] virtual Rate pacing_rate(Time now) = 0;
  /// From the start of a packet of `size` to the start of the next one; zero = not paced. Override it where a rate is
  /// not the whole story.
  [[nodiscard]] virtual Duration gap_after(Bytes size, Time now);

  /// For the engine: a packet of `size` leaves now. Returns the gap after it.
  [[nodiscard]] Duration transmit(Bytes size, Time now) {
    return is_steady(size, now) ? transmit_steady(size) : transmit_slow(size, now);
  }
  /// Whether that needs no virtual call, and then how it is done. A gap that reaches beyond the rest is asked for.
  [[nodiscard]] bool is_steady(Bytes size, Time now) const {
    return now + gap_ < steady_until_ && size < steady_bytes_ && size == gap_size_;
  }
  [[nodiscard]] Duration transmit_steady(Bytes size) {
    WEFT_DCHECK(size == gap_size_ && size < steady_bytes_);
    steady_bytes_ -= size;
    return gap_;
  }
  [[nodiscard]] bool wants_acks() const { return wants_acks_; }
  /// How often delays or telemetry showed congestion and it slowed down. Signs that switches give, marks and losses,
  /// are not counted here: switches count them.
  [[nodiscard]] std::uint32_t cuts() const { return cuts_; }
  /// What data packets are to carry, and acknowledgements to bring back in AckSample::telemetry.
  [[nodiscard]] wire::TelemetryKind telemetry() const { return telemetry_; }

 protected:
  /// Whether the algorithm learns from acknowledgements.
  enum class Acks : std::uint8_t { kWanted, kIgnored };
  explicit CongestionControl(Acks acks = Acks::kWanted) : wants_acks_(acks == Acks::kWanted) {}
  /// One that learns from telemetry wants acknowledgements.
  explicit CongestionControl(wire::TelemetryKind telemetry) : wants_acks_(true), telemetry_(telemetry) {}
  CongestionControl(const CongestionControl&) = default;
  CongestionControl& operator=(const CongestionControl&) = default;

  void note_cut() { ++cuts_; }

  /// What a rest lasts for, whichever ends first.
  struct SteadyInterval {
    Time until = Time::never();  // exclusive
    Bytes bytes = Bytes::max();  // a packet that would use up the last of them ends it
  };
  /// From now on, transmissions need not be reported, and the gap depends on the packet size only. Replaces an earlier
  /// interval; an algorithm that never sets one is called for every packet.
  void set_steady(SteadyInterval limits) {
    steady_until_ = limits.until;
    steady_bytes_ = limits.bytes;
    gap_size_ = kNoSize;
  }
  /// What is left of `Rest::bytes`: a byte counter that needs no other place.
  [[nodiscard]] Bytes steady_bytes() const { return steady_bytes_; }

 private:
  static constexpr Bytes kNoSize = Bytes(-1);

  [[nodiscard]] Duration transmit_slow(Bytes size, Time now);

  Time steady_until_;
  Bytes steady_bytes_;
  Bytes gap_size_ = kNoSize;  // the size that `gap_` belongs to
  Duration gap_;
  bool wants_acks_;
  wire::TelemetryKind telemetry_ = wire::TelemetryKind::kNone;
  std::uint32_t cuts_ = 0;
};

/// What a receiver returns for one packet.
enum class CongestionSignal : std::uint8_t { kNone, kCnp, kEcho };

/// Receiver's half: sees whether data packets were marked (CE or FECN).
class CongestionReceiver {
 public:
  virtual ~CongestionReceiver() = default;
  [[nodiscard]] virtual CongestionSignal on_data(bool marked, Time now) = 0;

  /// For the engine: whether `on_data` is to hear of a packet.
  [[nodiscard]] bool wants(bool marked) const { return marked || sees_ == Sees::kEveryPacket; }
  /// From now on, the acknowledgement that answers a marked packet is to name its entropy, for a sender whose path
  /// selection learns. Beside what `on_data` returns, and at once.
  void name_marked_paths() { names_marked_paths_ = true; }
  [[nodiscard]] bool names_marked_paths() const { return names_marked_paths_; }

 protected:
  /// Which packets the receiver hears of.
  enum class Sees : std::uint8_t { kEveryPacket, kMarkedPackets };
  explicit CongestionReceiver(Sees sees = Sees::kEveryPacket) : sees_(sees) {}
  CongestionReceiver(const CongestionReceiver&) = default;
  CongestionReceiver& operator=(const CongestionReceiver&) = default;

 private:
  Sees sees_;
  bool names_marked_paths_ = false;
};

}  // namespace weft::transport
