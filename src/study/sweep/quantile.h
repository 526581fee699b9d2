// Quantiles of Student's t and of Fisher's F, and what a few seeds say of a mean.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace weft::study::sweep {

/// What intervals are for unless something else is said.
inline constexpr double kConfidence = 0.95;

/// t such that a share of `confidence` lies within -t and t. 0 < confidence < 1, freedom >= 1.
[[nodiscard]] double student_quantile(double confidence, std::size_t freedom);

/// F such that a share of `confidence` lies below it.
struct FisherFreedom {
  std::size_t above = 1;  // of the numerator
  std::size_t below = 1;
};
[[nodiscard]] double fisher_quantile(double confidence, FisherFreedom freedom);

struct Interval {
  double low = 0;
  double high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

struct MeanOfSeeds {
  double mean = 0;
  std::optional<Interval> interval{};  // Student's; two values at least
  /// Half of the interval, relative to the mean; none: there is no interval, or the mean is zero.
  [[nodiscard]] std::optional<double> relative_half() const;
};

/// `values` is not empty.
[[nodiscard]] MeanOfSeeds mean_of_seeds(std::span<const double> values, double confidence = kConfidence);

}  // namespace weft::study::sweep
