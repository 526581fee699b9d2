// What the seeds of a comparison say of a figure.
#pragma once

#include <optional>
#include <span>

namespace weft::study::compare {

/// Mean and 95 % confidence interval of the mean (Student's t); the interval needs two values.
struct Estimate {
  double mean = 0;
  std::optional<double> low;
  std::optional<double> high;
};

/// Its values are so far apart that the mean says little: the interval goes half of the mean or more to either side.
[[nodiscard]] inline bool is_unsettled(const Estimate& own) { return own.high && *own.high - own.mean >= own.mean / 2; }

/// It reaches up more than twice as far as down, and by more than a tenth: the mean is little more than a lower bound.
[[nodiscard]] inline bool is_lower_bound(const Estimate& own) {
  return own.low && own.high && *own.high - own.mean > 2 * (own.mean - *own.low) &&
         *own.high - own.mean > own.mean / 10;
}

/// Overlap with another figure's interval is then no sign that the two are alike.
[[nodiscard]] inline bool is_not_known(const Estimate& own) { return is_unsettled(own) || is_lower_bound(own); }

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
