// TIMELY: a rate that follows the gradient of the round-trip time. While the time falls the rate grows by a constant,
// while it rises the rate shrinks in proportion to the gradient; below and above two thresholds the time alone decides.
//
// One sample per segment: the round trip of the packet that completes it, between NICs. After so many segments in a row
// without a rising round trip the steps are larger. The gradient counts as one at most, so that a rate never shrinks by
// more than `decrease` at once; the paper names no limit. A flow starts at the line's rate.
// Source: Mittal et al., SIGCOMM 2015, section 4.3 and algorithm 1.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// All durations > 0, low_threshold <= high_threshold.
struct TimelyParameters {
  Rate line_rate;                   // > 0
  Rate minimum_rate;                // > 0, at most the line's
  Rate additive_increase;           // delta: per segment
  Duration base_round_trip;         // minRTT: what the gradient is relative to
  Duration low_threshold;           // T_low: below it the rate grows whatever the gradient
  Duration high_threshold;          // T_high: above it the rate shrinks whatever the gradient
  Probability weight;               // alpha: of a new difference in the average
  Probability decrease;             // beta
  std::int32_t hyper_after = 5;     // segments in a row without a rising round trip, > 0
  std::int64_t hyper_multiple = 5;  // of the increase from then on, > 0
  Bytes segment;                    // > 0
  Bytes window_limit = Bytes::max();
};

class Timely final : public CongestionControl {
 public:
  /// `parameters` is shared by flows and must outlive them.
  explicit Timely(const TimelyParameters& parameters);
  explicit Timely(TimelyParameters&&) = delete;

  void on_ack(const AckSample& sample, Time now) override;
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override { return parameters_->window_limit; }
  [[nodiscard]] Rate pacing_rate(Time) override { return rate_; }

  [[nodiscard]] Rate rate() const { return rate_; }

 private:
  void take(Duration round_trip);
  void increase(std::int64_t steps);
  void shrink(Probability part);

  const TimelyParameters* parameters_;
  Rate rate_;
  Bytes pending_;             // acknowledged of the segment
  Duration last_;             // round trip of the segment before; zero: none yet
  Duration difference_;       // average, of either sign
  std::int32_t falling_ = 0;  // segments in a row without a rising round trip
};

}  // namespace weft::transport
