// Percentiles, fairness and short numbers: the arithmetic behind every summary.
//
// A percentile is one of the values, never an interpolation: the smallest that at least that share of all values does
// not exceed (nearest rank). With fewer than 1,000 values the 99.9 % one is the largest.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/probability.h"
#include "base/rate.h"

namespace weft::study::results {

/// Place (from 0) of the percentile among `count` (> 0) sorted values.
[[nodiscard]] std::size_t percentile_rank(Probability share, std::size_t count);

/// `sorted` is not empty.
template <class T>
[[nodiscard]] const T& percentile(std::span<const T> sorted, Probability share) {
  return sorted[percentile_rank(share, sorted.size())];
}

/// Some values, told by a few of them.
template <class T>
struct Spread {
  std::size_t count = 0;
  std::vector<T> percentiles;  // in the order of the shares asked for
  T median{};
  T p999{};
  T max{};
};

/// None for no values.
template <class T>
[[nodiscard]] std::optional<Spread<T>> spread_of(std::vector<T> values, std::span<const Probability> shares) {
  if (values.empty()) {
    return std::nullopt;
  }
  std::sort(values.begin(), values.end());
  const std::span<const T> sorted(values);
  Spread<T> spread{.count = values.size(), .percentiles = {}, .max = values.back()};
  for (const Probability share : shares) {
    spread.percentiles.push_back(percentile(sorted, share));
  }
  spread.median = percentile(sorted, Probability::from_ratio({.numerator = 1, .denominator = 2}));
  spread.p999 = percentile(sorted, Probability::from_ratio({.numerator = 999, .denominator = 1000}));
  return spread;
}

/// Jain's index of shares: 1 if all are equal, 1/n if one has everything. None for no shares, or only zeros.
/// Source: Jain, Chiu, Hawe, "A quantitative measure of fairness", DEC-TR-301, 1984.
[[nodiscard]] std::optional<double> jain_index(std::span<const Rate> shares);

/// "p99.9" for 99.9 %.
[[nodiscard]] std::string percentile_name(Probability share);

}  // namespace weft::study::results
