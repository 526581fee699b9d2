#include "base/cdf_table.h"

#include <algorithm>
#include <cstddef>

#include "base/format_quantity.h"
#include "base/int128.h"

namespace weft {

Result<CdfTable> CdfTable::make(std::vector<CdfPoint> points) {
  if (points.empty()) {
    return fail("a distribution table needs at least one point");
  }
  if (points.front().value < 0) {
    return fail("point 1: value {} is negative", points.front().value);
  }
  for (std::size_t i = 1; i < points.size(); ++i) {
    const CdfPoint& before = points[i - 1];
    const CdfPoint& point = points[i];
    if (point.value < before.value) {
      return fail("point {}: value {} is below the one before, {}", i + 1, point.value, before.value);
    }
    if (point.cumulative < before.cumulative) {
      return fail("point {}: percentile {} is below the one before, {}", i + 1, point.cumulative, before.cumulative);
    }
    if (point.value == before.value && point.cumulative == before.cumulative) {
      return fail("point {}: the same value {} and percentile {} again", i + 1, point.value, point.cumulative);
    }
  }
  if (points.back().cumulative != Probability::one()) {
    return fail("the last point, value {}, is at {}; the table must end at 100%", points.back().value,
                points.back().cumulative);
  }
  return CdfTable(std::move(points));
}

std::int64_t CdfTable::sample(RandomStream& random) const {
  return quantile(Probability::from_raw(random.next() >> 1));
}

std::int64_t CdfTable::quantile(Probability p) const {
  // The first point above p: the draw lies in the segment that ends there.
  const auto end = std::ranges::upper_bound(points_, p, {}, &CdfPoint::cumulative);
  if (end == points_.end()) {
    return points_.back().value;
  }
  if (end == points_.begin()) {
    return end->value;
  }
  const CdfPoint& low = *(end - 1);
  const auto rise = static_cast<Uint128>(end->value - low.value) * (p.raw() - low.cumulative.raw());
  const std::uint64_t run = end->cumulative.raw() - low.cumulative.raw();
  return low.value + static_cast<std::int64_t>(rise / run);
}

std::int64_t CdfTable::mean() const {
  // Each segment's middle, weighted with its probability. The weights add up to 2^63 and values stay below 2^63, so
  // the sum of (low + high) * weight stays below 2^127.
  Uint128 twice_sum = static_cast<Uint128>(points_.front().value) * 2 * points_.front().cumulative.raw();
  for (std::size_t i = 1; i < points_.size(); ++i) {
    const CdfPoint& low = points_[i - 1];
    const CdfPoint& high = points_[i];
    const std::uint64_t weight = high.cumulative.raw() - low.cumulative.raw();
    twice_sum += (static_cast<Uint128>(low.value) + static_cast<Uint128>(high.value)) * weight;
  }
  return static_cast<std::int64_t>(twice_sum >> 64);
}

}  // namespace weft
