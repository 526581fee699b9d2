#include "transport/congestion/timely.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

/// Rounded towards zero.
Duration times(Duration span, Probability part) {
  const Int128 whole = static_cast<Int128>(span.picoseconds()) * static_cast<Int128>(part.raw());
  return Duration::picoseconds(static_cast<std::int64_t>(whole / (static_cast<Int128>(1) << 63)));
}

/// `part` of `whole`, 0 <= part.
Probability share(Duration part, Duration whole) {
  return part >= whole ? Probability::one()
                       : Probability::from_ratio({.numerator = static_cast<std::uint64_t>(part.picoseconds()),
                                                  .denominator = static_cast<std::uint64_t>(whole.picoseconds())});
}

}  // namespace

Timely::Timely(const TimelyParameters& parameters)
    : CongestionControl(wire::TelemetryKind::kTimestamp), parameters_(&parameters), rate_(parameters.line_rate) {
  WEFT_ASSERT(parameters.minimum_rate > Rate::zero() && parameters.minimum_rate <= parameters.line_rate);
  WEFT_ASSERT(parameters.base_round_trip > Duration::zero() && parameters.segment > Bytes::zero());
  WEFT_ASSERT(parameters.low_threshold <= parameters.high_threshold);
  WEFT_ASSERT(parameters.hyper_after > 0 && parameters.hyper_multiple > 0);
  set_steady({});
}

void Timely::on_ack(const AckSample& sample, Time) {
  if (sample.telemetry == nullptr)
    return;
  pending_ += sample.acknowledged;
  if (pending_ < parameters_->segment)
    return;
  pending_ = Bytes::zero();
  take(sample.rtt);
}

// Algorithm 1. The average is kept up in every branch, as there.
void Timely::take(Duration round_trip) {
  const TimelyParameters& from = *parameters_;
  const Duration change = last_ == Duration::zero() ? Duration::zero() : round_trip - last_;
  last_ = round_trip;
  difference_ = times(difference_, from.weight.complement()) + times(change, from.weight);
  falling_ = difference_ > Duration::zero() ? 0 : std::min(falling_ + 1, from.hyper_after);
  if (round_trip < from.low_threshold) {
    increase(1);
  } else if (round_trip > from.high_threshold) {
    shrink(share(round_trip - from.high_threshold, round_trip) * from.decrease);
  } else if (difference_ <= Duration::zero()) {
    increase(falling_ >= from.hyper_after ? from.hyper_multiple : 1);
  } else {
    shrink(share(difference_, from.base_round_trip) * from.decrease);
  }
  WEFT_DCHECK(from.minimum_rate <= rate_ && rate_ <= from.line_rate);
}

void Timely::increase(std::int64_t steps) {
  rate_ = std::min(parameters_->line_rate, rate_ + parameters_->additive_increase * steps);
  set_steady({});
}

void Timely::shrink(Probability part) {
  note_cut();
  const Int128 kept = static_cast<Int128>(rate_.bits_per_second()) * static_cast<Int128>(part.complement().raw());
  const auto bits = static_cast<std::int64_t>(kept / (static_cast<Int128>(1) << 63));
  rate_ = std::max(parameters_->minimum_rate, Rate::bits_per_second(bits));
  set_steady({});
}

}  // namespace weft::transport
