#include "study/compare/estimate.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::study::compare {
namespace {

/// Of Student's distribution, two-sided 95 %, by degrees of freedom.
constexpr std::array<double, 30> kStudent = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                             2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                             2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

}  // namespace

Estimate estimate_of(std::span<const double> values) {
  Estimate estimate;
  for (const double value : values) {
    estimate.mean += value / static_cast<double>(values.size());
  }
  if (values.size() < 2) {
    return estimate;
  }
  double squares = 0;
  for (const double value : values) {
    squares += (value - estimate.mean) * (value - estimate.mean);
  }
  const auto freedom = values.size() - 1;
  const double t = freedom <= kStudent.size() ? kStudent[freedom - 1] : 1.96;
  const double half = t * std::sqrt(squares / static_cast<double>(freedom) / static_cast<double>(values.size()));
  // Of durations: none is below zero.
  estimate.low = std::max(estimate.mean - half, 0.0);
  estimate.high = estimate.mean + half;
  return estimate;
}

}  // namespace weft::study::compare
