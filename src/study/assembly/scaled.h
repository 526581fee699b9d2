// Thresholds, steps and timers that a profile gives for one rate, at the rate of a line.
#pragma once

#include <algorithm>
#include <optional>

#include "base/data_size.h"
#include "base/int128.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::study::assembly {

[[nodiscard]] inline Bytes scaled(Bytes step, Rate line, const std::optional<Rate>& reference) {
  if (!reference) {
    return step;
  }
  const auto product = static_cast<Int128>(step.count()) * line.bits_per_second();
  return Bytes(static_cast<std::int64_t>(product / reference->bits_per_second()));
}

[[nodiscard]] inline Rate scaled(Rate step, Rate line, const std::optional<Rate>& reference) {
  if (!reference) {
    return step;
  }
  const auto product = static_cast<Int128>(step.bits_per_second()) * line.bits_per_second();
  return Rate::bits_per_second(static_cast<std::int64_t>(product / reference->bits_per_second()));
}

/// The same number of bytes of the line at every rate; at least a nanosecond.
[[nodiscard]] inline Duration scaled(Duration timer, Rate line, const std::optional<Rate>& reference) {
  if (!reference) {
    return timer;
  }
  const auto product = static_cast<Int128>(timer.picoseconds()) * reference->bits_per_second();
  return std::max(Duration::picoseconds(static_cast<std::int64_t>(product / line.bits_per_second())), 1_ns);
}

}  // namespace weft::study::assembly
