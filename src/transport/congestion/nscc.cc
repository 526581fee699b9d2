#include "transport/congestion/nscc.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

constexpr Rate kReferenceRate = Rate::bits_per_second(100'000'000'000);
constexpr Duration kReferenceRoundTrip = Duration::microseconds(12);
constexpr std::int64_t kPenaltyParts = 128;
constexpr std::int64_t kMib = std::int64_t{1} << 20;

/// value * numerator / denominator, rounded down.
std::int64_t scaled(std::int64_t value, std::int64_t numerator, std::int64_t denominator) {
  return static_cast<std::int64_t>(static_cast<Int128>(value) * numerator / denominator);
}

std::int64_t part_of(std::int64_t value, Probability part) {
  return static_cast<std::int64_t>((static_cast<Uint128>(static_cast<std::uint64_t>(value)) * part.raw()) >> 63);
}

}  // namespace

NsccParameters nscc_parameters(const NsccNetwork& network) {
  WEFT_ASSERT(network.round_trip > Duration::zero() && network.line > Rate::zero());
  WEFT_ASSERT(network.payload > Bytes::zero() && network.packet >= network.payload);
  const Duration target = network.target > Duration::zero()   ? network.target
                          : network.trimming == Trimming::kOn ? network.round_trip * 3 / 4
                                                              : network.round_trip;
  // a: the bandwidth-delay product relative to the reference's; b: the target relative to its round trip.
  const std::int64_t bdp = network.line.bytes_in(network.round_trip).count();
  const std::int64_t reference = kReferenceRate.bytes_in(kReferenceRoundTrip).count();
  const std::int64_t payload = network.payload.count();
  const std::int64_t per_target = scaled(4 * payload, bdp, reference);
  return {.packet = network.packet,
          .line = network.line,
          .round_trip = network.round_trip,
          .target = target,
          .proportional_gain = Bytes(scaled(per_target, target.picoseconds(), kReferenceRoundTrip.picoseconds())),
          .fair_gain = Bytes(scaled(5 * payload, bdp, reference)),
          .fast_gain_per_mib = Bytes(scaled(kMib / 4, bdp, reference)),
          .step = Bytes(scaled(15 * payload, bdp, 100 * reference)),
          .fast_delay = Duration::microseconds(1),
          .adjust_bytes = 8 * network.packet,
          .quick_adapt_delay = 4 * target,
          .quick_adapt_shift = 3,
          .decrease = Probability::from_ratio({.numerator = 8, .denominator = 10}),
          .least_left = Probability::from_ratio({.numerator = 1, .denominator = 2}),
          .delay_gain = Probability::from_ratio({.numerator = 1, .denominator = 80}),
          .least_window = network.packet};
}

Nscc::Nscc(const NsccParameters& parameters, const Flow& flow)
    : parameters_(&parameters), window_(flow.initial_window.count()), base_(Duration::max()) {
  WEFT_ASSERT(flow.round_trip > Duration::zero() && flow.initial_window >= Bytes::zero());
  WEFT_ASSERT(parameters.packet > Bytes::zero() && parameters.line > Rate::zero());
  WEFT_ASSERT(parameters.target > Duration::zero() && parameters.round_trip > Duration::zero());
  WEFT_ASSERT(parameters.least_window > Bytes::zero() && parameters.quick_adapt_shift < 63);
  WEFT_ASSERT(parameters.largest_percent > 0);
  lower_base(flow.round_trip);
  if (window_ == 0) {
    window_ = largest_;
  }
  settle();
  // Nothing depends on when packets leave.
  set_steady({});
}

void Nscc::lower_base(Duration round_trip) {
  if (round_trip >= base_) {
    return;
  }
  base_ = round_trip;
  const std::int64_t bdp = parameters_->line.bytes_in(round_trip).count();
  largest_ = std::max(bdp * parameters_->largest_percent / 100, parameters_->least_window.count());
}

void Nscc::settle() { window_ = std::clamp(window_, parameters_->least_window.count(), largest_); }

void Nscc::on_ack(const AckSample& sample, Time now) {
  const NsccParameters& from = *parameters_;
  const std::int64_t received = sample.received.count();
  WEFT_DCHECK(received >= 0 && sample.receiver_penalty < kPenaltyParts);
  achieved_ += received;
  received_ += received;
  ignored_ += received;
  if (sample.receiver_penalty != 0) {
    window_ = std::max(window_ - received * sample.receiver_penalty / kPenaltyParts, from.least_window.count());
  }
  Duration delay = average_;
  if (sample.rtt >= Duration::zero()) {
    lower_base(sample.rtt);
    delay = sample.rtt - base_;
    average(delay, sample.marked);
  }
  if (quick_adapt({.delay = delay, .in_flight = sample.in_flight, .marked = sample.marked}, now)) {
    return;
  }
  const bool delayed = delay >= from.target;
  if (!sample.marked) {
    if (delayed) {
      increase_ += from.fair_gain.count() * received;
    } else {
      increase_proportionally(received, delay);
    }
  } else if (delayed) {
    decrease(now);
  }
  settle();
  if (received_ > from.adjust_bytes.count() || now - stepped_ > from.round_trip) {
    adjust(now);
    settle();
  }
}

// An unmarked packet with a long delay tells of a queue that is about to drain.
void Nscc::average(Duration delay, bool marked) {
  average_towards(!marked && delay > parameters_->target ? base_ / 4 : delay);
}

void Nscc::average_towards(Duration delay) {
  const Probability gain = parameters_->delay_gain;
  average_ =
      Duration::picoseconds(part_of(delay.picoseconds(), gain) + part_of(average_.picoseconds(), gain.complement()));
}

bool Nscc::quick_adapt(const Occasion& occasion, Time now) {
  const NsccParameters& from = *parameters_;
  bool alone = false;
  if (ignored_ < to_ignore_ && occasion.marked) {
    alone = true;
  } else if (!started_ || now > adapt_at_) {
    const bool called_for = armed_ || occasion.loss || occasion.delay > from.quick_adapt_delay;
    if (started_ && called_for && achieved_ < largest_ >> from.quick_adapt_shift) {
      window_ = std::max(achieved_, from.least_window.count());
      to_ignore_ = occasion.in_flight.count();
      ignored_ = 0;
      armed_ = false;
      alone = true;
    }
    achieved_ = 0;
    started_ = true;
    adapt_at_ = now + base_ + from.target;
  }
  if (alone) {
    increase_ = received_ = 0;
  }
  return alone;
}

void Nscc::increase_proportionally(std::int64_t received, Duration delay) {
  fast_ = increase_fast(received, delay);
  if (fast_) {
    return;
  }
  const Duration room = parameters_->target - delay;
  increase_ +=
      scaled(parameters_->proportional_gain.count() * received, room.picoseconds(), parameters_->target.picoseconds());
}

// A path without any queue for a whole window has room that nobody else claims.
bool Nscc::increase_fast(std::int64_t received, Duration delay) {
  if (delay >= parameters_->fast_delay) {
    without_delay_ = 0;
    return false;
  }
  without_delay_ += received;
  if (without_delay_ <= window_ && !fast_) {
    return false;
  }
  window_ += scaled(parameters_->fast_gain_per_mib.count(), received, kMib);
  return true;
}

void Nscc::decrease(Time now) {
  fast_ = false;
  without_delay_ = 0;
  const Duration target = parameters_->target;
  if (average_ <= target || now - decreased_ <= base_) {
    return;
  }
  const auto excess =
      Probability::from_ratio({.numerator = static_cast<std::uint64_t>((average_ - target).picoseconds()),
                               .denominator = static_cast<std::uint64_t>(average_.picoseconds())});
  const Probability left = std::max((excess * parameters_->decrease).complement(), parameters_->least_left);
  window_ = part_of(window_, left);
  decreased_ = now;
}

void Nscc::adjust(Time now) {
  window_ += increase_ / window_;
  if (now - stepped_ >= parameters_->round_trip) {
    window_ += parameters_->step.count();
    stepped_ = now;
  }
  increase_ = received_ = 0;
}

// Where it was trimmed the queue was full: its delay is taken for a round trip of the network.
void Nscc::on_trim(const TrimSample& sample, Time now) {
  if (sample.rtt >= Duration::zero()) {
    lower_base(sample.rtt);
  }
  ignored_ += sample.size.count();
  average_towards(parameters_->round_trip);
  armed_ = true;
  if (quick_adapt({.delay = Duration::zero(), .in_flight = sample.in_flight, .marked = true, .loss = true}, now)) {
    return;
  }
  if (!parameters_->credits || !sample.last_hop) {
    window_ -= sample.size.count();
    settle();
  }
}

void Nscc::on_loss(LossEvent sign, Time) {
  if (sign == LossEvent::kTimeout) {
    window_ = std::max(window_ - parameters_->packet.count(), parameters_->least_window.count());
  } else {
    armed_ = true;
  }
}

}  // namespace weft::transport
