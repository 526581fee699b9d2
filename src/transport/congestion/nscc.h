// NSCC, the sender's congestion control of Ultra Ethernet: a window of bytes that follows two signals together, the
// queueing delay of acknowledged packets and whether they were marked.
//
//                 | delay below the target                  | delay at the target or above
//   not marked    | proportional increase; fast increase    | fair increase
//   marked        | nothing: only the path is changed       | multiplicative decrease by the averaged delay
//
// Beside these: quick adapt (once per round trip and target, after a loss or at a delay far above the target, the
// window becomes what was received in that time), a trimmed packet takes its size from the window, and the receiver's
// penalty takes its part of what it has received (destination flow control). Increases are collected and applied every
// eight packets or once per period; once per period a step is added. Delay is the round trip less the smallest one so
// far.
//
// Windows are whole bytes, as in the source; the averaged delay is whole picoseconds. Source: the consortium's own
// simulator (ultraethernet/uet-htsim, uec.cpp), facts only. What differs from it:
// - gains are whole bytes per window, or per MiB, instead of floating point: within 1e-4;
// - the receiver's penalty is the 7-bit form of the wire (rcv_cwnd_pend), 0 = none, instead of 8 bits with 255 = none;
// - one packet per timeout is taken from the window, as there, but a loss that was inferred from later arrivals also
//   makes the next quick adapt possible; there only trimming does.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// Whether switches trim packets that they have no room for.
enum class Trimming : std::uint8_t { kOff, kOn };

/// From what NSCC's parameters follow.
struct NsccNetwork {
  Duration round_trip;  // of a full packet through the empty network, between the hosts farthest apart
  Rate line;            // of a host
  Bytes packet;         // as windows count it, headers included
  Bytes payload;        // of it
  Trimming trimming = Trimming::kOn;
  Duration target = Duration::zero();  // zero: 0.75 round trips with trimming, one without
};

/// All > 0 unless said otherwise; least_window <= largest window of every flow.
struct NsccParameters {
  Bytes packet;
  Rate line;
  Duration round_trip;         // also the period of the step, and what a trimmed packet tells of its delay
  Duration target;             // queueing delay that flows settle at
  Bytes proportional_gain;     // alpha: window added per window acknowledged at no delay, falling to 0 at the target
  Bytes fair_gain;             // fi: window added per window acknowledged at or above the target
  Bytes fast_gain_per_mib;     // fi_scale: window added per MiB acknowledged while the path is empty
  Bytes step;                  // eta: window added per period
  Duration fast_delay;         // below which the path counts as empty
  Bytes adjust_bytes;          // received since the last adjustment, beyond which increases are applied
  Duration quick_adapt_delay;  // beyond which quick adapt needs no loss
  std::uint8_t quick_adapt_shift;  // and only if less than the largest window >> this was received, 0 to 62
  Probability decrease;            // gamma: of the averaged delay's excess over the target, relative to that delay
  Probability least_left;          // part of the window that a decrease leaves at least
  Probability delay_gain;          // of the averaged delay
  Bytes least_window;
  std::int32_t largest_percent = 150;  // largest window, of what the line carries in the smallest round trip; > 0
  bool credits = false;                // RCCC limits the last hop: a packet trimmed there leaves the window as it is
};

/// The values of the source for a network: scaled from a reference of 100 Gb/s and 12 us.
[[nodiscard]] NsccParameters nscc_parameters(const NsccNetwork& network);

class Nscc final : public CongestionControl {
 public:
  struct Flow {
    Duration round_trip;                   // between its two hosts, > 0; lowered when a smaller one is measured
    Bytes initial_window = Bytes::zero();  // zero = the largest
  };
  /// `parameters` is shared by flows and must outlive them.
  Nscc(const NsccParameters& parameters, const Flow& flow);
  Nscc(NsccParameters&&, const Flow&) = delete;

  void on_ack(const AckSample& sample, Time now) override;
  void on_trim(const TrimSample& sample, Time now) override;
  /// A packet is lost that nobody reported as trimmed.
  void on_loss(LossEvent sign, Time now) override;
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override { return Bytes(window_); }
  [[nodiscard]] Rate pacing_rate(Time) override { return Rate::zero(); }

  /// So many percent of what the line carries in the smallest round trip.
  [[nodiscard]] Bytes largest_window() const { return Bytes(largest_); }
  [[nodiscard]] Duration base_round_trip() const { return base_; }
  [[nodiscard]] Duration average_delay() const { return average_; }

 private:
  /// Whether this sample is the quick adaptation's alone: it took place, or its bytes left before the last one.
  struct Occasion {
    Duration delay;
    Bytes in_flight;
    bool marked = false;
    bool loss = false;
  };
  [[nodiscard]] bool quick_adapt(const Occasion& occasion, Time now);
  void lower_base(Duration round_trip);
  void average(Duration delay, bool marked);
  void average_towards(Duration delay);
  void increase_proportionally(std::int64_t received, Duration delay);
  [[nodiscard]] bool increase_fast(std::int64_t received, Duration delay);
  void decrease(Time now);
  void adjust(Time now);
  void settle();

  const NsccParameters* parameters_;
  std::int64_t window_;
  std::int64_t largest_ = 0;
  std::int64_t increase_ = 0;       // bytes times the window they are added to
  std::int64_t received_ = 0;       // since the last adjustment
  std::int64_t achieved_ = 0;       // since the last look at quick adapt
  std::int64_t to_ignore_ = 0;      // in flight when the window was adapted
  std::int64_t ignored_ = 0;        // of them
  std::int64_t without_delay_ = 0;  // acknowledged in a row with almost no delay
  Duration base_;
  Duration average_;
  Time adapt_at_;  // not before the first sample
  Time decreased_;
  Time stepped_;
  bool armed_ = false;  // a loss since the last quick adapt
  bool fast_ = false;
  bool started_ = false;
};

}  // namespace weft::transport
