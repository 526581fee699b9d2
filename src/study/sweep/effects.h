// Which factors of a sweep change the figure, by how much, and how sure that is.
//
// The figure is taken as a sum: a mean, a main effect of each factor, an interaction of each two factors, and a rest.
// On a whole grid that is the analysis of variance, exact for the points that were run; of a sample it is a fit by
// least squares (levels by contrasts, ranges by Legendre polynomials of first and second degree), whose coefficients
// squared are the first-order and second-order indices of Sobol (Sudret, 2008).
//
// On a grid with several seeds these are blocks: each effect is held against how much it differs from seed to seed, so
// that what all points of a seed have in common, or what a seed makes of one factor everywhere, is no false certainty.
// Elsewhere effects are held against what the fit leaves. Intervals are Scheffé's at 95 %, each for itself, since the
// two ends of an effect are chosen by what was measured. Shares have the interval of the jackknife.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/sweep/quantile.h"

namespace weft::study::sweep {

struct Samples {
  std::vector<std::size_t> levels;          // of each factor; 0: a continuous range from -1 to 1
  std::vector<std::vector<double>> at;      // of each point: the number of each factor's level, or where in the range
  std::vector<std::vector<double>> values;  // of each point: one for each seed, as many everywhere, one at least
  bool is_whole_grid = false;               // every combination of levels, once each
};

struct Effect {
  std::size_t first = 0;                // factor
  std::optional<std::size_t> second{};  // of an interaction
  /// Highest less lowest of this part of the sum, in units of the figure.
  double span = 0;
  std::optional<Interval> interval{};  // of the span; none: nothing to hold it against
  /// Where it is lowest and highest, as in Samples::at, of first and second factor.
  std::vector<double> lowest_at{};
  std::vector<double> highest_at{};
  double lowest = 0;  // the part of the sum there
  double highest = 0;
  /// Of the variance between points that is not due to seeds, 0 to 1.
  double share = 0;
  std::optional<Interval> share_interval{};
  /// Whether there is a lowest and a highest place: not where all of them are alike, but for rounding.
  [[nodiscard]] bool has_ends(double mean) const { return span > 1e-9 * (mean < 0 ? -mean : mean); }
};

struct Effects {
  double mean = 0;  // over the points
  std::vector<Effect> main{};
  std::vector<Effect> pairs{};  // of each two factors; empty: too few points
  double rest = 0;              // share of the variance that is in neither
  std::size_t points = 0;
  std::size_t seeds = 0;
  enum class Method : std::uint8_t { kAnalysisOfVariance, kLeastSquares } method = Method::kAnalysisOfVariance;
  bool quadratic = false;       // ranges have a second degree
  bool pairs_left_out = false;  // there are two factors or more, but too few points for interactions
};

/// Errors: too few points for one coefficient of each factor.
[[nodiscard]] Result<Effects> effects_of(const Samples& samples);

enum class Importance : std::uint8_t {
  kMatters,   // the interval excludes zero, and is not below the tolerance altogether
  kDoesNot,   // the whole interval is below the tolerance
  kNotKnown,  // it includes both; more seeds or points would tell
};
/// `tolerance`: of the figure's mean, a share.
[[nodiscard]] Importance importance_of(const Effect& effect, double mean, double tolerance);

}  // namespace weft::study::sweep
