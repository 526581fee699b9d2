// DCQCN's reaction point: a flow runs at line rate until its first CNP; each cut divides the rate by up to two, and
// events of a timer and of a byte counter raise it again: fast recovery, additive increase, hyper increase.
//
// A flow at line rate is not paced: its port sends no faster. Rates are whole bits per second and alpha is a
// fixed-point fraction; what falls due between two calls is applied exactly, in bounded time, with the same result as
// if it had been applied when it fell due. At one instant alpha comes first, then a cut, then an increase. Source: Zhu
// et al., SIGCOMM 2015; the firmware's variant (periodic checks) after NVIDIA's description of its parameters.
#pragma once

#include <cstdint>

#include "base/probability.h"
#include "transport/congestion/congestion_control.h"

namespace weft::transport {

/// When a cut makes the present rate the target of the recovery that follows.
enum class TargetClamp : std::uint8_t { kAlways, kNever, kAfterTimeIncrease };
/// Each hyper increase adds its step times its index, or just its step.
enum class HyperIncrease : std::uint8_t { kGrowing, kConstant };

/// All durations > 0 and all rates > 0 unless told otherwise.
struct DcqcnParameters {
  Rate line_rate;
  Rate minimum_rate;                      // <= line_rate
  Rate additive_increase;                 // RAI
  Rate hyper_increase;                    // RHAI
  Rate rate_on_first_cnp = Rate::zero();  // cut from there; zero = from the present rate
  Duration alpha_timer;                   // K
  Duration decrease_interval;             // zero = a cut at each CNP; else at most one per interval
  Duration increase_timer;
  Bytes byte_counter = Bytes::max();         // > 0; max = no byte counter
  std::int32_t fast_recovery_threshold = 5;  // F, 1..1000
  Probability gain;                          // g
  Probability initial_alpha = Probability::one();
  Probability maximum_cut = Probability::from_ratio({.numerator = 1, .denominator = 2});  // of the rate, per cut
  TargetClamp target_clamp = TargetClamp::kAlways;
  HyperIncrease hyper_steps = HyperIncrease::kGrowing;
  Bytes window_limit = Bytes::max();  // in flight; max = none
  Duration cnp_interval;              // of the notification point that belongs to it, >= 0
};

class Dcqcn final : public CongestionControl {
 public:
  /// `parameters` is shared by flows and must outlive them.
  explicit Dcqcn(const DcqcnParameters& parameters);
  explicit Dcqcn(DcqcnParameters&&) = delete;

  void on_ack(const AckSample&, Time) override {}
  void on_congestion(Time now) override;
  void on_transmit(Bytes size, Time now) override;
  [[nodiscard]] Bytes window(Time) override { return parameters_->window_limit; }
  [[nodiscard]] Rate pacing_rate(Time now) override;
  /// The time that the rate, as it rises meanwhile, takes to carry the packet. A CNP in the gap does not lengthen it.
  [[nodiscard]] Duration gap_after(Bytes size, Time now) override;

  /// Rc, Rt and alpha after everything that was due by `now`.
  [[nodiscard]] Rate current_rate(Time now);
  [[nodiscard]] Rate target_rate(Time now);
  [[nodiscard]] Probability alpha(Time now);

 private:
  /// minimum_rate <= current <= target <= line_rate; for assertions.
  [[nodiscard]] bool rates_in_order() const;
  [[nodiscard]] Time next_event() const;
  void apply_due(Time now);
  void apply_timer(std::int64_t events);
  void cut(Time at);
  void raise();
  [[nodiscard]] bool counts_bytes() const { return parameters_->byte_counter < Bytes::max(); }
  [[nodiscard]] Rate hyper_step(std::int64_t stage) const;
  [[nodiscard]] Rate step() const;
  [[nodiscard]] bool step_is_steady() const;
  void settle_alpha(Time at);
  void renew(Bytes until_byte_event);

  const DcqcnParameters* parameters_;
  Rate current_;
  Rate target_;
  Probability alpha_;
  Time alpha_time_;     // the tick at which alpha_ held
  Time first_cnp_;      // the periodic checks count from here
  Time next_increase_;  // meaningful while limited
  Time cut_at_ = Time::never();
  std::int64_t time_stage_ = 0;
  std::int64_t byte_stage_ = 0;
  bool started_ = false;  // a CNP has come
  bool limited_ = false;  // below line rate
  bool cnp_since_tick_ = false;
};

}  // namespace weft::transport
