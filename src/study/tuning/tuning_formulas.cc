#include "study/tuning/tuning_formulas.h"

#include <algorithm>
#include <cmath>

#include "base/int128.h"

namespace weft::study::tuning {
namespace {

/// 2^shift as a fraction.
struct Alpha {
  Int128 over;
  Int128 under;
};
Alpha alpha_of(std::int8_t shift) { return shift >= 0 ? Alpha{Int128{1} << shift, 1} : Alpha{1, Int128{1} << -shift}; }

double per_second(Rate rate, Bytes packet) {
  return static_cast<double>(rate.bits_per_second()) / 8.0 / static_cast<double>(packet.count());
}

}  // namespace

Bytes pause_threshold(const DynamicThreshold& threshold, CrowdedPorts ports) {
  const Alpha alpha = alpha_of(threshold.alpha_shift);
  const Int128 share = Int128{threshold.pool.count()} * alpha.over / (alpha.under + alpha.over * ports.count);
  return threshold.reserve + Bytes(static_cast<std::int64_t>(share));
}

Bytes mark_before_pause(const DynamicThreshold& threshold, CrowdedPorts ports) {
  const Alpha alpha = alpha_of(threshold.alpha_shift);
  const Int128 share = Int128{threshold.pool.count()} * alpha.over / (ports.count * (alpha.under + alpha.over));
  return Bytes(static_cast<std::int64_t>(share));
}

Duration recovery_time(const DcqcnFormula& formula) {
  std::int64_t left = formula.line.bits_per_second() / 2;
  const std::int64_t close = formula.line.bits_per_second() / 100;
  std::int64_t events = 0;
  for (; left > close; ++events) {
    left /= 2;
  }
  return formula.increase_timer * events;
}

Duration additive_climb(const DcqcnFormula& formula) {
  const std::int64_t half = formula.line.bits_per_second() / 2;
  // A climb of more than a million steps is as good as none.
  const std::int64_t step = std::max(formula.additive_increase.bits_per_second(), half / 1'000'000 + 1);
  return formula.increase_timer * ((half + step - 1) / step);
}

FixedPoint fixed_point(const DcqcnFormula& formula, std::int64_t senders) {
  const double n = static_cast<double>(senders);
  const double capacity = per_second(formula.line, formula.packet);
  const double step = per_second(formula.additive_increase, formula.packet);
  const double interval = std::max(formula.cnp_interval.seconds(), 1 / capacity);
  const double per_byte_event = formula.byte_counter ? static_cast<double>(formula.packet.count()) /
                                                           static_cast<double>(formula.byte_counter->count())
                                                     : 0.0;
  const double events = per_byte_event + n / (formula.increase_timer.seconds() * capacity);
  const double p = std::cbrt(step * n * n / (interval * capacity * capacity) * events * events);
  const double most = static_cast<double>(formula.pmax.raw()) / static_cast<double>(Probability::kOne);
  FixedPoint point{.probability = std::min(p, 1.0), .queue = std::nullopt};
  if (most > 0 && p <= most) {
    const auto ramp = static_cast<double>((formula.kmax - formula.kmin).count());
    point.queue = formula.kmin + Bytes(std::llround(p / most * ramp));
  }
  return point;
}

}  // namespace weft::study::tuning
