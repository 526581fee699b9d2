#include "transport/congestion/hpcc.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

constexpr std::int64_t kByte = std::int64_t{1} << 16;
/// Of a port's fields, the bytes sent wrap first: 2^20 times 128 bytes are 1.3 ms at 800 Gb/s.
constexpr Duration kStale = Duration::milliseconds(1);
constexpr Int128 kSecond = 1'000'000'000'000;

Rate rate_of(std::int64_t window, Duration round_trip) {
  const Int128 bits = static_cast<Int128>(window) * 8 * kSecond / kByte;
  return Rate::bits_per_second(static_cast<std::int64_t>(bits / round_trip.picoseconds()));
}

}  // namespace

Hpcc::Hpcc(const HpccParameters& parameters)
    : CongestionControl(wire::TelemetryKind::kInBand), parameters_(&parameters) {
  WEFT_ASSERT(parameters.base_round_trip > Duration::zero() && parameters.additive_increase > Bytes::zero());
  WEFT_ASSERT(parameters.minimum_rate > Rate::zero() && parameters.minimum_rate <= parameters.line_rate);
  WEFT_ASSERT(parameters.target > Probability::zero() && parameters.stages >= 0);
  const Int128 bits =
      static_cast<Int128>(parameters.line_rate.bits_per_second()) * parameters.base_round_trip.picoseconds() / kSecond;
  largest_ = window_ = reference_ = static_cast<std::int64_t>(bits * kByte / 8);
}

// Inflight bytes of the busiest port relative to what fills it: its queue, the smaller of two looks at it, and its rate
// between them. None: there is nothing to compare with.
std::optional<std::int64_t> Hpcc::measure(const wire::Telemetry& telemetry, Time now) {
  const bool comparable = !last_heard_.is_never() && now - last_heard_ < kStale && telemetry.path == last_.path &&
                          telemetry.switches == last_.switches;
  const Duration round_trip = parameters_->base_round_trip;
  std::optional<std::int64_t> busiest;
  Duration measured;
  for (std::size_t i = 0; comparable && i < telemetry.recorded(); ++i) {
    const wire::TelemetryHop& port = telemetry.hops[i];
    const Duration passed = port.since(last_.hops[i]);
    if (passed == Duration::zero())
      continue;
    const Int128 speed = port.speed().bits_per_second();
    const Int128 queued = std::min(port.queued(), last_.hops[i].queued()).count();
    const Int128 queue_load = queued * 8 * kSecond * kFullLoad / (speed * round_trip.picoseconds());
    const Int128 sent = port.sent_since(last_.hops[i]).count();
    const Int128 rate_load = sent * 8 * kSecond * kFullLoad / (speed * passed.picoseconds());
    const auto load = static_cast<std::int64_t>(queue_load + rate_load);
    if (!busiest || load > *busiest) {
      busiest = load;
      measured = passed;
    }
  }
  last_ = telemetry;
  last_heard_ = now;
  if (!busiest)
    return std::nullopt;
  const Duration weight = std::min(measured, round_trip);
  const Int128 average = (static_cast<Int128>(load_) * (round_trip - weight).picoseconds() +
                          static_cast<Int128>(*busiest) * weight.picoseconds()) /
                         round_trip.picoseconds();
  load_ = static_cast<std::int64_t>(average);
  return load_;
}

void Hpcc::on_ack(const AckSample& sample, Time now) {
  if (sample.telemetry == nullptr || sample.telemetry->kind() != wire::TelemetryKind::kInBand)
    return;
  const std::optional<std::int64_t> load = measure(*sample.telemetry, now);
  if (!load)
    return;
  const bool new_round_trip = now - sample.rtt >= reference_set_;
  set_window(*load, new_round_trip);
  if (new_round_trip)
    reference_set_ = now;
}

void Hpcc::set_window(std::int64_t load, bool new_round_trip) {
  const std::int64_t increase = parameters_->additive_increase.count() * kByte;
  const auto target = static_cast<std::int64_t>(parameters_->target.raw() >> (63 - 30));
  const bool by_load = load >= target || stage_ >= parameters_->stages;
  window_ =
      by_load ? static_cast<std::int64_t>(static_cast<Int128>(reference_) * target / std::max<std::int64_t>(load, 1)) +
                    increase
              : reference_ + increase;
  const Int128 least = static_cast<Int128>(parameters_->minimum_rate.bits_per_second()) *
                       parameters_->base_round_trip.picoseconds() / kSecond * kByte / 8;
  window_ = std::clamp(window_, std::min(static_cast<std::int64_t>(least), largest_), largest_);
  // One flow alone fills its link and is kept at the target. What lies as far beyond a full link is a queue of several.
  if (load > 2 * kFullLoad - target) {
    note_cut();
  }
  if (new_round_trip) {
    stage_ = by_load ? 0 : stage_ + 1;
    reference_ = window_;
  }
  WEFT_DCHECK(window_ <= largest_ && reference_ <= largest_ && stage_ <= parameters_->stages);
}

Bytes Hpcc::window(Time) { return std::min(Bytes(window_ / kByte), parameters_->window_limit); }

Rate Hpcc::pacing_rate(Time) { return rate_of(window_, parameters_->base_round_trip); }

}  // namespace weft::transport
