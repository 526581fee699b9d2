// Swift: a window that follows the round-trip time of every packet towards a target delay. Below the target it grows by
// a constant per round trip, above it shrinks in proportion to the excess, at most once per round trip.
//
// The target grows with the switches on the path (hop scaling) and as the window shrinks (flow scaling). The window is
// a fraction of packets: below one packet the flow is paced at one packet per round trip divided by the window. Round
// trips are those between NICs; the second window that Swift keeps for delays inside hosts is not modelled. Windows are
// fixed-point numbers of 2^-20 packets. Source: Kumar et al., SIGCOMM 2020, sections 3.1 to 3.5 and algorithm 1.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// Part of a packet, in 2^-20.
class PacketCount {
 public:
  static constexpr std::int64_t kOne = std::int64_t{1} << 20;

  constexpr PacketCount() = default;
  [[nodiscard]] static constexpr PacketCount raw(std::int64_t parts) { return PacketCount(parts); }
  [[nodiscard]] static constexpr PacketCount packets(std::int64_t count) { return PacketCount(count * kOne); }
  [[nodiscard]] static constexpr PacketCount of(Probability part) {
    return PacketCount(static_cast<std::int64_t>(part.raw() >> (63 - 20)));
  }
  [[nodiscard]] constexpr std::int64_t raw() const { return parts_; }
  friend constexpr auto operator<=>(PacketCount, PacketCount) = default;

 private:
  constexpr explicit PacketCount(std::int64_t parts) : parts_(parts) {}
  std::int64_t parts_ = 0;
};

/// All durations >= 0, base_target > 0.
struct SwiftParameters {
  Bytes packet;                            // payload of a full packet, > 0
  Duration base_target;                    // of the round trip, without switches
  Duration hop_delay;                      // added for each switch on the way there
  Duration flow_scaling_range;             // added at most for small windows
  PacketCount flow_scaling_least;          // the window that gets all of it, > 0
  PacketCount flow_scaling_most;           // the window from which on there is none, > flow_scaling_least
  PacketCount additive_increase;           // per round trip, > 0
  Probability decrease;                    // beta: of the excess over the target, relative to the delay
  Probability maximum_decrease;            // of the window, at once
  PacketCount initial_window;              // within the two
  PacketCount least_window;                // > 0
  PacketCount largest_window;              // >= least_window
  std::int32_t timeouts_before_reset = 5;  // in a row, after which the window is the least one; > 0
};

class Swift final : public CongestionControl {
 public:
  /// `parameters` is shared by flows and must outlive them.
  explicit Swift(const SwiftParameters& parameters);
  explicit Swift(SwiftParameters&&) = delete;

  void on_ack(const AckSample& sample, Time now) override;
  void on_congestion(Time) override {}
  void on_loss(LossEvent sign, Time now) override;
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override;
  [[nodiscard]] Rate pacing_rate(Time) override;
  [[nodiscard]] Duration gap_after(Bytes size, Time now) override;

  [[nodiscard]] PacketCount congestion_window() const { return window_; }
  /// For a path over so many switches, at the present window.
  [[nodiscard]] Duration target_delay(std::int64_t switches) const;

 private:
  [[nodiscard]] bool may_decrease(Time now) const { return !decreased_ || now - last_decrease_ >= round_trip_; }
  void decrease(Probability part, Time now);
  void settle();

  const SwiftParameters* parameters_;
  PacketCount window_;
  Duration round_trip_;  // of the latest sample
  Time last_decrease_;
  std::int32_t timeouts_ = 0;  // in a row
  bool decreased_ = false;     // ever
};

}  // namespace weft::transport
