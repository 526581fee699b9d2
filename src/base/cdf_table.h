// A distribution given by points of its cumulative distribution function, as flow-size traces publish it.
//
// Between two points the function is linear; a first point above 0 % and a step (one value at two percentiles) are
// values of their own probability. Values are whole numbers >= 0 in the caller's unit; interpolation rounds down.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/probability.h"
#include "base/random.h"
#include "base/result.h"

namespace weft {

/// With probability `cumulative` a draw is at most `value`.
struct CdfPoint {
  std::int64_t value = 0;
  Probability cumulative;
};

class CdfTable {
 public:
  /// Errors name the point (counted from 1): no point, a negative value, a value or percentile below the one before,
  /// the same point twice, or a last point that is not 100 %.
  [[nodiscard]] static Result<CdfTable> make(std::vector<CdfPoint> points);

  /// Uses one 64-bit draw.
  [[nodiscard]] std::int64_t sample(RandomStream& random) const;

  /// The value below which a draw lies with probability `p`: the inverse of the function. p < 1 is what `sample` uses;
  /// p = 1 gives the largest value.
  [[nodiscard]] std::int64_t quantile(Probability p) const;

  /// The mean of the piecewise linear function, rounded down.
  [[nodiscard]] std::int64_t mean() const;

  [[nodiscard]] const std::vector<CdfPoint>& points() const { return points_; }

 private:
  explicit CdfTable(std::vector<CdfPoint> points) : points_(std::move(points)) {}

  std::vector<CdfPoint> points_;
};

}  // namespace weft
