// HPCC: the window follows what switches write into each packet. A port's load is its rate plus its queue per base
// round trip; the window is divided by the load of the busiest port relative to a target below one, so that queues
// drain.
//
// Every acknowledgement sets the window anew from a reference window, which itself moves once per round trip; after
// `stages` round trips of additive increase alone the load counts again. The flow is paced at window / base round trip.
// A flow that has heard nothing for a millisecond measures anew, before the counters of its ports could have wrapped.
// Windows and loads are fixed-point numbers. Source: Li et al., SIGCOMM 2019, algorithm 1.
#pragma once

#include <cstdint>
#include <optional>

#include "base/probability.h"
#include "transport/congestion/congestion_control.h"

namespace weft::transport {

struct HpccParameters {
  Rate line_rate;
  Rate minimum_rate;         // <= line_rate
  Duration base_round_trip;  // T: a little above the longest one of an idle network, > 0
  Probability target;        // eta: of a port's rate, > 0
  Bytes additive_increase;   // W_AI, > 0
  std::int32_t stages = 5;   // maxStage, >= 0
  Bytes window_limit = Bytes::max();
};

class Hpcc final : public CongestionControl {
 public:
  /// `parameters` is shared by flows and must outlive them.
  explicit Hpcc(const HpccParameters& parameters);
  explicit Hpcc(HpccParameters&&) = delete;

  void on_ack(const AckSample& sample, Time now) override;
  void on_congestion(Time) override {}
  void on_transmit(Bytes, Time) override {}
  [[nodiscard]] Bytes window(Time) override;
  [[nodiscard]] Rate pacing_rate(Time) override;

  /// U: the load of the busiest port, averaged, in 2^-30.
  [[nodiscard]] std::int64_t load() const { return load_; }
  static constexpr std::int64_t kFullLoad = std::int64_t{1} << 30;

 private:
  [[nodiscard]] std::optional<std::int64_t> measure(const wire::Telemetry& telemetry, Time now);
  void set_window(std::int64_t load, bool new_round_trip);

  const HpccParameters* parameters_;
  wire::Telemetry last_{};  // of the acknowledgement before
  Time last_heard_ = Time::never();
  Time reference_set_;          // packets that left before have seen an older window
  std::int64_t largest_ = 0;    // windows are in 2^-16 bytes
  std::int64_t window_ = 0;     // W
  std::int64_t reference_ = 0;  // Wc
  std::int64_t load_ = kFullLoad;
  std::int32_t stage_ = 0;
};

}  // namespace weft::transport
