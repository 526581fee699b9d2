// Sums of money and power that stay at the largest value instead of overflowing.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/int128.h"
#include "study/scenario/quantities.h"

namespace weft::study::cost {

[[nodiscard]] inline std::int64_t clamped(Int128 value) {
  constexpr Int128 kMost = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, kMost));
}

template <class Tag>
[[nodiscard]] scenario::Milli<Tag> times(scenario::Milli<Tag> each, std::int64_t count) {
  return {clamped(Int128{each.count} * count)};
}

template <class Tag>
void add_to(scenario::Milli<Tag>& sum, scenario::Milli<Tag> more) {
  sum.count = clamped(Int128{sum.count} + more.count);
}

/// What `power` takes over so many years; a year has 8,760 hours.
[[nodiscard]] inline scenario::Money energy_cost(scenario::Power power, scenario::EnergyPrice price,
                                                 std::int64_t years) {
  constexpr Int128 kHoursPerYear = 8'760;
  constexpr Int128 kMilliwattsPerKilowatt = 1'000'000;
  const Int128 milliwatt_hours = Int128{power.count} * kHoursPerYear * years;
  // A price of at most 10^12 and hours of a century leave room in 128 bits.
  return {clamped(milliwatt_hours * price.count / kMilliwattsPerKilowatt)};
}

}  // namespace weft::study::cost
