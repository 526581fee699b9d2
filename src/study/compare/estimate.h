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
[[nodiscard]] Estimate estimate_of(std::span<const double> values);

}  // namespace weft::study::compare
