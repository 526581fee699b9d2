#include "transport/congestion/cubic.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {

namespace {

// beta = 7/10; C = 2/5 segments per second cubed; alpha = 3 (1 - beta) / (1 + beta) = 9/17.
//= rfc9438 4.6
constexpr std::int64_t kBetaNumerator = 7;
constexpr std::int64_t kBetaDenominator = 10;
constexpr std::int64_t kCNumerator = 2;
constexpr std::int64_t kCDenominator = 5;
constexpr std::int64_t kAlphaNumerator = 9;
constexpr std::int64_t kAlphaDenominator = 17;
constexpr std::int64_t kCubeOfMillion = 1'000'000'000'000'000'000;
/// Beyond this distance from K the window is limited by other things.
constexpr std::int64_t kLongestUs = 200'000'000;

/// The largest number whose cube is at most `value`.
std::int64_t cube_root(Uint128 value) {
  std::int64_t root = 0;
  for (int bit = 41; bit >= 0; --bit) {
    const std::int64_t candidate = root | (std::int64_t{1} << bit);
    const auto wide = static_cast<Uint128>(candidate);
    if (wide * wide * wide <= value) {
      root = candidate;
    }
  }
  return root;
}

std::int64_t microseconds(Duration span) { return span / Duration::microseconds(1); }

}  // namespace

void Cubic::start(const TcpWindowStart& start) {
  TcpCongestionControl::start(start);
  state_ = State();
  saved_ = State();
  estimate_credit_ = 0;
  window_credit_ = 0;
  target_until_ = Time::zero();
}

//= rfc9438 4.2
void Cubic::begin_epoch(Time now) {
  state_.epoch = now;
  state_.estimate = window().count();
  estimate_credit_ = 0;
  window_credit_ = 0;
  target_until_ = Time::zero();
  if (state_.after_timeout || window() >= state_.maximum) {
    //= rfc9438 4.8
    state_.k_us = 0;
    state_.maximum = window();
    state_.after_timeout = false;
    return;
  }
  const auto below = static_cast<Uint128>(static_cast<std::uint64_t>((state_.maximum - window()).count()));
  state_.k_us = cube_root(below * static_cast<Uint128>(kCubeOfMillion) * kCDenominator /
                          static_cast<Uint128>(segment().count() * kCNumerator));
}

/// W_cubic: C (t - K)^3 + W_max, in bytes; may be negative far before K.
//= rfc9438 4.2
Bytes Cubic::cubic_window(Time at) const {
  const std::int64_t distance = std::clamp(microseconds(at - state_.epoch) - state_.k_us, -kLongestUs, kLongestUs);
  const Int128 cube = static_cast<Int128>(distance) * distance * distance;
  const Int128 bytes = cube * (segment().count() * kCNumerator) / kCDenominator / kCubeOfMillion;
  return state_.maximum + Bytes(static_cast<std::int64_t>(bytes));
}

/// W_est: what NewReno with this reduction would have.
//= rfc9438 4.3
void Cubic::raise_estimate(Bytes acknowledged) {
  const bool caught_up = state_.estimate >= state_.prior.count();
  const std::int64_t numerator = caught_up ? 1 : kAlphaNumerator;
  const std::int64_t denominator = (caught_up ? 1 : kAlphaDenominator) * window().count();
  estimate_credit_ += acknowledged.count() * segment().count() * numerator;
  if (estimate_credit_ >= denominator) {
    const std::int64_t raise = estimate_credit_ / denominator;
    state_.estimate += raise;
    estimate_credit_ -= raise * denominator;
    WEFT_DCHECK(estimate_credit_ >= 0 && estimate_credit_ < denominator);
  }
}

void Cubic::on_tcp_ack(const TcpAckSample& sample, Time now) {
  if (!sample.may_grow) {
    return;
  }
  const Bytes acknowledged = slow_start(sample.acknowledged);
  if (acknowledged <= Bytes::zero()) {
    return;
  }
  if (state_.epoch.is_never()) {
    begin_epoch(now);
  }
  raise_estimate(acknowledged);
  if (now >= target_until_) {
    // The function is flat against a round trip: a part of one is as good.
    target_until_ = now + sample.smoothed_rtt / 8;
    target_ = cubic_window(now + sample.smoothed_rtt);
  }
  if (target_ < Bytes(state_.estimate)) {
    //= rfc9438 4.3
    set_window(std::max(window(), Bytes(state_.estimate)));
    return;
  }
  //= rfc9438 4.4
  const Bytes target = std::clamp(target_, window(), window() + window() / 2);
  window_credit_ += (target - window()).count() * acknowledged.count();
  if (window_credit_ >= window().count()) {
    const std::int64_t raise = window_credit_ / window().count();
    window_credit_ -= raise * window().count();
    WEFT_DCHECK(raise > 0 && window_credit_ >= 0 && window_credit_ < window().count());
    set_window(window() + Bytes(raise));
  }
}

void Cubic::on_idle(Time now) {
  TcpCongestionControl::on_idle(now);
  //= rfc9438 5.8
  state_.epoch = Time::never();
}

Bytes Cubic::reduced(Bytes flight, Cause cause, Time) {
  state_.prior = window();
  //= rfc9438 4.7
  const bool shrinking = window() < state_.maximum;
  state_.maximum = shrinking ? window() * (kBetaDenominator + kBetaNumerator) / (2 * kBetaDenominator) : window();
  state_.epoch = Time::never();
  state_.after_timeout = cause == Cause::kTimeout;
  //= rfc9438 4.6
  return flight * kBetaNumerator / kBetaDenominator;
}

}  // namespace weft::transport
