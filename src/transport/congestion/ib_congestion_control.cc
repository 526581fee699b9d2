#include "transport/congestion/ib_congestion_control.h"

#include <algorithm>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::transport {
namespace {

constexpr std::uint8_t kMaxShift = 3;

}  // namespace

std::vector<CctEntry> linear_cct(LinearCct shape) {
  WEFT_ASSERT(shape.entries > 0 && shape.shift <= kMaxShift);
  WEFT_ASSERT((shape.entries - 1) * shape.step <= CctEntry::kMaxMultiplier);
  std::vector<CctEntry> table(shape.entries);
  for (std::uint16_t i = 0; i < shape.entries; ++i)
    table[i] = {.shift = shape.shift, .multiplier = static_cast<std::uint16_t>(i * shape.step)};
  return table;
}

IbCongestionParameters ib_congestion_published(Rate link) { return {.link_rate = link, .table = linear_cct({})}; }

IbCongestionControl::IbCongestionControl(const IbCongestionParameters& parameters)
    : CongestionControl(Acks::kIgnored),
      parameters_(&parameters),
      ccti_(parameters.ccti_min),
      ccti_min_(parameters.ccti_min) {
  WEFT_ASSERT(parameters.link_rate > Rate::zero() && parameters.ccti_increase > 0 && parameters.ccti_timer > 0);
  WEFT_ASSERT(parameters.ccti_min <= parameters.ccti_limit && parameters.ccti_limit < parameters.table.size());
  for (const CctEntry& entry : parameters.table)
    WEFT_ASSERT(entry.shift <= kMaxShift && entry.multiplier <= CctEntry::kMaxMultiplier);
  set_steady({});
}

//= ibta-1.7 A10
void IbCongestionControl::on_congestion(Time now) {
  apply_due(now);
  const std::uint16_t before = ccti_;
  ccti_ = static_cast<std::uint16_t>(
      std::min<std::uint32_t>(std::uint32_t{ccti_} + parameters_->ccti_increase, parameters_->ccti_limit));
  const std::uint16_t threshold = parameters_->trigger_threshold;
  if (threshold != 0 && before < threshold && ccti_ >= threshold)
    ++threshold_events_;
  if (next_tick_.is_never() && ccti_ > ccti_min_)
    next_tick_ = now + parameters_->timer();
  WEFT_DCHECK(consistent());
  set_steady({.until = next_tick_});
}

void IbCongestionControl::apply_due(Time now) {
  if (next_tick_ > now)
    return;
  const std::int64_t ticks = (now - next_tick_) / parameters_->timer() + 1;
  const int above_minimum = ccti_ - ccti_min_;
  if (ticks >= above_minimum) {
    ccti_ = ccti_min_;
    next_tick_ = Time::never();
  } else {
    ccti_ = static_cast<std::uint16_t>(ccti_ - ticks);
    next_tick_ += parameters_->timer() * ticks;
  }
  WEFT_DCHECK(consistent());
  set_steady({.until = next_tick_});
}

Rate IbCongestionControl::pacing_rate(Time now) {
  apply_due(now);
  if (entry().multiplier == 0)
    return Rate::zero();
  const std::int64_t unit = std::int64_t{1} << entry().shift;
  const auto scaled = static_cast<Int128>(parameters_->link_rate.bits_per_second()) * unit;
  return Rate::bits_per_second(static_cast<std::int64_t>(scaled / (unit + entry().multiplier)));
}

// Rounded up, as a transmission time is.
Duration IbCongestionControl::gap_after(Bytes size, Time now) {
  apply_due(now);
  if (entry().multiplier == 0)
    return Duration::zero();
  const Duration packet_time = parameters_->link_rate.transmit_time(size);
  const std::int64_t unit = std::int64_t{1} << entry().shift;
  return packet_time + (packet_time * entry().multiplier + Duration::picoseconds(unit - 1)) / unit;
}

std::uint16_t IbCongestionControl::ccti(Time now) {
  apply_due(now);
  return ccti_;
}

void IbCongestionControl::set_minimum(std::uint16_t ccti_min, Time now) {
  WEFT_ASSERT(ccti_min <= parameters_->ccti_limit);
  apply_due(now);
  ccti_min_ = ccti_min;
  if (ccti_ <= ccti_min) {
    ccti_ = ccti_min;
    next_tick_ = Time::never();
  } else if (next_tick_.is_never()) {
    next_tick_ = now + parameters_->timer();
  }
  set_steady({.until = next_tick_});
}

FecnReply::FecnReply(CongestionSignal signal) : CongestionReceiver(Sees::kMarkedPackets), signal_(signal) {
  WEFT_ASSERT(signal != CongestionSignal::kNone);
}

}  // namespace weft::transport
