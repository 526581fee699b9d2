// A mean with its confidence interval, and what it leaves open.
#pragma once

#include <cmath>
#include <optional>

namespace weft::study::report {

/// Mean and 95 % confidence interval of the mean (Student's t); the interval needs two values.
struct Interval {
  double mean = 0;
  std::optional<double> low;
  std::optional<double> high;
};

/// Its values are so far apart that the mean says little: the interval goes half of the mean or more to either side.
[[nodiscard]] inline bool is_unsettled(const Interval& own) {
  return own.high && *own.high > own.mean && *own.high - own.mean >= std::abs(own.mean) / 2;
}

/// It reaches up more than twice as far as down, and by more than a tenth: the mean is little more than a lower bound.
[[nodiscard]] inline bool is_lower_bound(const Interval& own) {
  return own.low && own.high && *own.high - own.mean > 2 * (own.mean - *own.low) &&
         *own.high - own.mean > own.mean / 10;
}

/// Overlap with another figure's interval is then no sign that the two are alike.
[[nodiscard]] inline bool is_not_known(const Interval& own) { return is_unsettled(own) || is_lower_bound(own); }

}  // namespace weft::study::report
