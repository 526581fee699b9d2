// CUBIC: after a reduction the window follows a cubic function of time that is flat at the window of the last loss,
// and is never below what NewReno with the same reduction would reach.
//
// Integers only: times in microseconds, windows in bytes, remainders carried. Source: RFC 9438, with C = 0.4 and
// beta = 0.7. HyStart++ is not there.
#pragma once

#include <cstdint>

#include "transport/congestion/tcp_congestion_control.h"

namespace weft::transport {

class Cubic final : public TcpCongestionControl {
 public:
  void start(const TcpWindowStart& start) override;
  void on_tcp_ack(const TcpAckSample& sample, Time now) override;
  void on_idle(Time now) override;

  /// Time from the start of an epoch until the function reaches the last maximum again (K).
  [[nodiscard]] Duration time_to_maximum() const { return Duration::microseconds(state_.k_us); }
  /// The window at which the last reduction happened (W_max), after fast convergence.
  [[nodiscard]] Bytes maximum() const { return state_.maximum; }

 protected:
  [[nodiscard]] Bytes reduced(Bytes flight, Cause cause, Time now) override;
  void save() override { saved_ = state_; }
  void restore() override { state_ = saved_; }

 private:
  struct State {
    Time epoch = Time::never();  // start of congestion avoidance
    Bytes maximum;               // W_max
    Bytes prior;                 // window before the last reduction (cwnd_prior)
    std::int64_t k_us = 0;
    std::int64_t estimate = 0;  // W_est, bytes
    bool after_timeout = false;
  };

  void begin_epoch(Time now);
  [[nodiscard]] Bytes cubic_window(Time at) const;
  void raise_estimate(Bytes acknowledged);

  State state_;
  State saved_;
  std::int64_t estimate_credit_ = 0;  // numerators that did not make a whole byte yet
  std::int64_t window_credit_ = 0;
  Bytes target_;
  Time target_until_;  // `target_` holds before it, for the window it was computed for
};

}  // namespace weft::transport
