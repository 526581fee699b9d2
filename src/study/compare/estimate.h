// What the seeds of a comparison say of a figure.
#pragma once

#include <span>

#include "study/report/interval.h"

namespace weft::study::compare {

using Estimate = report::Interval;

/// The mean of one is within the interval of the other: no difference was shown. Intervals that touch at their ends
/// alone do not make two figures alike.
[[nodiscard]] inline bool is_alike(const Estimate& own, const Estimate& other) {
  const auto holds = [](const Estimate& interval, double mean) {
    return interval.low.value_or(interval.mean) <= mean && mean <= interval.high.value_or(interval.mean);
  };
  return holds(own, other.mean) || holds(other, own.mean);
}

[[nodiscard]] Estimate estimate_of(std::span<const double> values);

}  // namespace weft::study::compare
