#include "transport/congestion/dcqcn.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

// By squaring, so that the result depends on `exponent` alone and not on when it was asked for.
Probability power(Probability base, std::uint64_t exponent) {
  Probability result = Probability::one();
  for (; exponent != 0; exponent >>= 1) {
    if ((exponent & 1) != 0)
      result = result * base;
    base = base * base;
  }
  return result;
}

Probability grown(Probability alpha, Probability gain) {
  return Probability::from_raw((alpha * gain.complement()).raw() + gain.raw());
}

/// Rounded down.
Rate share(Rate rate, Probability part) {
  const auto product = static_cast<Uint128>(rate.bits_per_second()) * part.raw();
  return Rate::bits_per_second(static_cast<std::int64_t>(product >> 63));
}

}  // namespace

Dcqcn::Dcqcn(const DcqcnParameters& parameters)
    : CongestionControl(Acks::kIgnored),
      parameters_(&parameters),
      current_(parameters.line_rate),
      target_(parameters.line_rate),
      alpha_(parameters.initial_alpha) {
  WEFT_ASSERT(parameters.minimum_rate > Rate::zero() && parameters.minimum_rate <= parameters.line_rate);
  WEFT_ASSERT(parameters.additive_increase > Rate::zero() && parameters.hyper_increase > Rate::zero());
  WEFT_ASSERT(parameters.alpha_timer > Duration::zero() && parameters.increase_timer > Duration::zero());
  WEFT_ASSERT(parameters.decrease_interval >= Duration::zero() && parameters.byte_counter > Bytes::zero());
  WEFT_ASSERT(parameters.fast_recovery_threshold >= 1 && parameters.fast_recovery_threshold <= 1'000);
  set_steady({});
}

void Dcqcn::on_congestion(Time now) {
  apply_due(now);
  const bool at_once = parameters_->decrease_interval == Duration::zero();
  if (!started_) {
    started_ = true;
    first_cnp_ = alpha_time_ = now;
    if (const Rate first = parameters_->rate_on_first_cnp; first > Rate::zero())
      current_ = target_ = std::clamp(first, parameters_->minimum_rate, parameters_->line_rate);
    cut(now);
  } else if (at_once) {
    cut(now);
  } else {
    settle_alpha(now);
    cnp_since_tick_ = true;
    const Duration interval = parameters_->decrease_interval;
    cut_at_ = first_cnp_ + interval * ((now - first_cnp_) / interval + 1);
  }
  if (at_once) {
    alpha_ = grown(alpha_, parameters_->gain);
    alpha_time_ = now;
  }
  renew(steady_bytes());
}

void Dcqcn::on_transmit(Bytes size, Time now) {
  apply_due(now);
  if (!limited_)
    return;
  Bytes left = steady_bytes() - size;
  while (left <= Bytes::zero()) {
    ++byte_stage_;
    raise();
    left += parameters_->byte_counter;
  }
  renew(left);
}

Rate Dcqcn::pacing_rate(Time now) {
  apply_due(now);
  return limited_ ? current_ : Rate::zero();
}

Duration Dcqcn::gap_after(Bytes size, Time now) {
  apply_due(now);
  if (!limited_)
    return Duration::zero();
  const Duration unchanged = current_.transmit_time(size);
  if (now + unchanged <= next_event())
    return unchanged;
  // Bits times picoseconds per second, so that nothing is rounded on the way. Each round raises the rate.
  Dcqcn ahead = *this;
  Time at = now;
  auto left = static_cast<Uint128>(size.count()) * 8 * 1'000'000'000'000;
  while (ahead.limited_) {
    const Time next = ahead.next_event();
    const auto carried =
        static_cast<Uint128>(ahead.current_.bits_per_second()) * static_cast<std::uint64_t>((next - at).picoseconds());
    if (carried >= left)
      break;
    left -= carried;
    at = next;
    ahead.apply_due(next);
  }
  const auto rate = static_cast<std::uint64_t>(ahead.current_.bits_per_second());
  return at - now + Duration::picoseconds(static_cast<std::int64_t>((left + rate - 1) / rate));
}

Rate Dcqcn::current_rate(Time now) {
  apply_due(now);
  return current_;
}

Rate Dcqcn::target_rate(Time now) {
  apply_due(now);
  return target_;
}

Probability Dcqcn::alpha(Time now) {
  apply_due(now);
  Dcqcn settled = *this;
  settled.settle_alpha(now);
  return settled.alpha_;
}

Time Dcqcn::next_event() const { return limited_ ? earlier(next_increase_, cut_at_) : cut_at_; }

bool Dcqcn::rates_in_order() const {
  return parameters_->minimum_rate <= current_ && current_ <= target_ && target_ <= parameters_->line_rate;
}

// At most three rounds: increases before a cut, the cut, increases after it.
void Dcqcn::apply_due(Time now) {
  if (next_event() > now)
    return;
  while (next_event() <= now) {
    if (cut_at_ <= (limited_ ? next_increase_ : Time::never())) {
      cut(cut_at_);
      continue;
    }
    const Time last = cut_at_ <= now ? cut_at_ - Duration::picoseconds(1) : now;
    const std::int64_t events = (last - next_increase_) / parameters_->increase_timer + 1;
    WEFT_DCHECK(events > 0);  // or the loop would not end
    next_increase_ += parameters_->increase_timer * events;
    apply_timer(events);
  }
  renew(steady_bytes());
}

// While the target rises by equal steps, the distance to it soon stays the same; from then on the rest of the events
// is one multiplication.
void Dcqcn::apply_timer(std::int64_t events) {
  while (events > 0 && limited_) {
    const Rate distance = target_ - current_;
    ++time_stage_;
    --events;
    raise();
    if (!limited_ || !step_is_steady() || target_ - current_ != distance)
      continue;
    const Rate each = step();
    const std::int64_t jump =
        std::min(events, (parameters_->line_rate - target_).bits_per_second() / each.bits_per_second());
    target_ = target_ + each * jump;
    current_ = current_ + each * jump;
    time_stage_ += jump;
    events -= jump;
    WEFT_DCHECK(rates_in_order() && events >= 0);
  }
}

void Dcqcn::cut(Time at) {
  settle_alpha(at);
  cut_at_ = Time::never();
  const bool clamps = parameters_->target_clamp == TargetClamp::kAlways ||
                      (parameters_->target_clamp == TargetClamp::kAfterTimeIncrease && time_stage_ > 0);
  if (clamps)
    target_ = current_;
  const Rate decrease = std::min(share(current_, alpha_) / 2, share(current_, parameters_->maximum_cut));
  current_ = std::max(current_ - decrease, parameters_->minimum_rate);
  time_stage_ = byte_stage_ = 0;
  next_increase_ = at + parameters_->increase_timer;
  limited_ = current_ < parameters_->line_rate;
  WEFT_DCHECK(rates_in_order());
  set_steady({.until = at, .bytes = parameters_->byte_counter});
}

// The remaining distance is halved, rounded down, so that the target is reached.
void Dcqcn::raise() {
  target_ = std::min(target_ + step(), parameters_->line_rate);
  current_ = target_ - (target_ - current_) / 2;
  limited_ = current_ < parameters_->line_rate;
  WEFT_DCHECK(rates_in_order());
}

Rate Dcqcn::hyper_step(std::int64_t stage) const {
  const std::int64_t beyond = stage - parameters_->fast_recovery_threshold;
  return parameters_->hyper_increase * (parameters_->hyper_steps == HyperIncrease::kGrowing ? beyond + 1 : 1);
}

// Without a byte counter the timer alone tells the stage: F events of fast recovery, an additive one, hyper increase.
// So do the simulators of HPCC and ConWeave (ns-3), the only ones that have none.
Rate Dcqcn::step() const {
  const std::int64_t threshold = parameters_->fast_recovery_threshold;
  if (!counts_bytes()) {
    const std::int64_t stage = time_stage_ - 1;
    if (stage < threshold)
      return Rate::zero();
    return stage == threshold ? parameters_->additive_increase : hyper_step(stage);
  }
  if (std::max(time_stage_, byte_stage_) < threshold)
    return Rate::zero();
  const std::int64_t stage = std::min(time_stage_, byte_stage_);
  if (stage <= threshold)
    return parameters_->additive_increase;
  return hyper_step(stage);
}

// Whether later events of the timer, the byte counter standing still, all raise the target by the present step.
bool Dcqcn::step_is_steady() const {
  const std::int64_t threshold = parameters_->fast_recovery_threshold;
  if (!counts_bytes())
    return time_stage_ - 1 > threshold && parameters_->hyper_steps == HyperIncrease::kConstant;
  if (byte_stage_ <= threshold)
    return std::max(time_stage_, byte_stage_) >= threshold;
  return time_stage_ >= byte_stage_ ||
         (time_stage_ > threshold && parameters_->hyper_steps == HyperIncrease::kConstant);
}

void Dcqcn::settle_alpha(Time at) {
  if (!started_)
    return;
  WEFT_DCHECK(at >= alpha_time_);  // a negative exponent would be a huge one
  std::int64_t ticks = (at - alpha_time_) / parameters_->alpha_timer;
  alpha_time_ += parameters_->alpha_timer * ticks;
  if (ticks > 0 && cnp_since_tick_) {
    cnp_since_tick_ = false;
    --ticks;
    alpha_ = grown(alpha_, parameters_->gain);
  }
  alpha_ = alpha_ * power(parameters_->gain.complement(), static_cast<std::uint64_t>(ticks));
}

void Dcqcn::renew(Bytes until_byte_event) {
  set_steady({.until = next_event(), .bytes = limited_ ? until_byte_event : Bytes::max()});
}

}  // namespace weft::transport
