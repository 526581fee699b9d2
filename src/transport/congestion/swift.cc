#include "transport/congestion/swift.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

/// Rounded down.
std::uint64_t square_root(Uint128 of) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 63; bit != 0; bit >>= 1) {
    const std::uint64_t candidate = root | bit;
    if (static_cast<Uint128>(candidate) * candidate <= of)
      root = candidate;
  }
  return root;
}

/// 1 / sqrt(window), in 2^-20.
std::int64_t inverse_root(PacketCount window) {
  const Uint128 inverse = (static_cast<Uint128>(1) << 60) / static_cast<std::uint64_t>(window.raw());
  return static_cast<std::int64_t>(square_root(inverse));
}

PacketCount times(PacketCount window, Probability part) {
  return PacketCount::raw(
      static_cast<std::int64_t>((static_cast<Uint128>(static_cast<std::uint64_t>(window.raw())) * part.raw()) >> 63));
}

}  // namespace

Swift::Swift(const SwiftParameters& parameters)
    : CongestionControl(wire::TelemetryKind::kTimestamp),
      parameters_(&parameters),
      window_(parameters.initial_window),
      round_trip_(parameters.base_target) {
  WEFT_ASSERT(parameters.packet > Bytes::zero() && parameters.base_target > Duration::zero());
  WEFT_ASSERT(parameters.flow_scaling_least > PacketCount() &&
              parameters.flow_scaling_most > parameters.flow_scaling_least);
  WEFT_ASSERT(parameters.additive_increase > PacketCount() && parameters.timeouts_before_reset > 0);
  WEFT_ASSERT(parameters.least_window > PacketCount() && parameters.largest_window >= parameters.least_window);
  settle();
}

// Section 3.5: flow scaling falls with the root of the window, since so does the queue that N random flows need.
Duration Swift::target_delay(std::int64_t switches) const {
  const SwiftParameters& from = *parameters_;
  Duration target = from.base_target + from.hop_delay * switches;
  if (from.flow_scaling_range == Duration::zero() || window_ >= from.flow_scaling_most)
    return target;
  if (window_ <= from.flow_scaling_least)
    return target + from.flow_scaling_range;
  const std::int64_t most = inverse_root(from.flow_scaling_least);
  const std::int64_t least = inverse_root(from.flow_scaling_most);
  return target + from.flow_scaling_range * (inverse_root(window_) - least) / (most - least);
}

void Swift::on_ack(const AckSample& sample, Time now) {
  if (sample.telemetry == nullptr)
    return;
  round_trip_ = sample.rtt;
  timeouts_ = 0;
  const SwiftParameters& from = *parameters_;
  const Duration target = target_delay(sample.telemetry->switches);
  if (sample.rtt < target) {
    // The increase per round trip, shared out over the packets of the window.
    const Int128 acknowledged = static_cast<Int128>(sample.acknowledged.count()) * from.additive_increase.raw();
    const std::int64_t whole = static_cast<std::int64_t>(acknowledged / from.packet.count());
    const std::int64_t shared =
        window_.raw() >= PacketCount::kOne
            ? static_cast<std::int64_t>(static_cast<Int128>(whole) * PacketCount::kOne / window_.raw())
            : whole;
    window_ = PacketCount::raw(window_.raw() + shared);
    settle();
  } else if (may_decrease(now)) {
    const Probability excess =
        Probability::from_ratio({.numerator = static_cast<std::uint64_t>((sample.rtt - target).picoseconds()),
                                 .denominator = static_cast<std::uint64_t>(sample.rtt.picoseconds())});
    decrease(std::min(excess * from.decrease, from.maximum_decrease), now);
    note_cut();
  }
}

void Swift::on_loss(LossEvent sign, Time now) {
  if (sign == LossEvent::kTimeout && ++timeouts_ >= parameters_->timeouts_before_reset) {
    window_ = parameters_->least_window;
    last_decrease_ = now;
    decreased_ = true;
    return;
  }
  if (sign == LossEvent::kDetected)
    timeouts_ = 0;
  if (may_decrease(now))
    decrease(parameters_->maximum_decrease, now);
}

void Swift::decrease(Probability part, Time now) {
  window_ = times(window_, part.complement());
  last_decrease_ = now;
  decreased_ = true;
  settle();
}

void Swift::settle() { window_ = std::clamp(window_, parameters_->least_window, parameters_->largest_window); }

Bytes Swift::window(Time) {
  const Int128 bytes = static_cast<Int128>(window_.raw()) * parameters_->packet.count() / PacketCount::kOne;
  return std::max(Bytes(static_cast<std::int64_t>(bytes)), parameters_->packet);
}

Rate Swift::pacing_rate(Time now) {
  const Duration gap = gap_after(parameters_->packet, now);
  if (gap == Duration::zero())
    return Rate::zero();
  const Int128 bits = static_cast<Int128>(parameters_->packet.count()) * 8 * 1'000'000'000'000;
  return Rate::bits_per_second(static_cast<std::int64_t>(bits / gap.picoseconds()));
}

Duration Swift::gap_after(Bytes, Time) {
  if (window_.raw() >= PacketCount::kOne)
    return Duration::zero();
  WEFT_DCHECK(window_ >= parameters_->least_window);
  const Int128 gap = static_cast<Int128>(round_trip_.picoseconds()) * PacketCount::kOne / window_.raw();
  return Duration::picoseconds(static_cast<std::int64_t>(gap));
}

}  // namespace weft::transport
