#include "study/sweep/design.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.h"

namespace weft::study::sweep {
namespace {

/// Of which the best is taken.
constexpr std::size_t kDraws = 50;

/// Where each point lies in one factor: a permutation of the strata, in units of the factor.
std::vector<double> drawn(const Factor& factor, std::size_t points, RandomStream& random) {
  std::vector<std::size_t> strata(points);
  std::iota(strata.begin(), strata.end(), std::size_t{0});
  random.shuffle(std::span(strata));
  std::vector<double> at;
  for (const std::size_t stratum : strata) {
    const double middle = (static_cast<double>(stratum) + 0.5) / static_cast<double>(points);
    at.push_back(factor.range ? 2 * middle - 1 : std::floor(middle * static_cast<double>(factor.levels.size())));
  }
  return at;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto count = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / count;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / count;
  double ab = 0;
  double aa = 0;
  double bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return aa > 0 && bb > 0 ? std::abs(ab) / std::sqrt(aa * bb) : 0;
}

double largest_correlation(const std::vector<std::vector<double>>& columns) {
  double largest = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j) {
      largest = std::max(largest, correlation(columns[i], columns[j]));
    }
  }
  return largest;
}

std::string value_of(const Factor& factor, double at) {
  return factor.range ? factor.range->value_at(at) : factor.levels[static_cast<std::size_t>(at)];
}

Error too_many(double points) {
  return Error{fmt::format("{} points; at most {}: fewer levels or keys, or --sample N for N of them",
                           points < 1e15 ? fmt::format("{:.0f}", points) : "more than 10^15", kMostPoints)};
}

}  // namespace

double grid_size(const std::vector<Factor>& factors) {
  double size = 1;
  for (const Factor& factor : factors) {
    size *= static_cast<double>(factor.levels.size());
  }
  return size;
}

Result<Design> grid_design(std::vector<Factor> factors) {
  const double size = grid_size(factors);
  if (size > static_cast<double>(kMostPoints)) {
    return tl::unexpected<Error>(too_many(size));
  }
  Design design{.factors = std::move(factors), .points = {}, .kind = Design::Kind::kGrid};
  for (std::size_t number = 0; number < static_cast<std::size_t>(size); ++number) {
    Point& point = design.points.emplace_back();
    point.values.resize(design.factors.size());
    point.at.resize(design.factors.size());
    std::size_t left = number;
    for (std::size_t i = design.factors.size(); i-- > 0;) {
      const std::size_t levels = design.factors[i].levels.size();
      point.at[i] = static_cast<double>(left % levels);
      point.values[i] = design.factors[i].levels[left % levels];
      left /= levels;
    }
  }
  return design;
}

Result<Design> latin_hypercube(std::vector<Factor> factors, const SampleOptions& options) {
  if (options.points < 2) {
    return fail("a sample has two points at least");
  }
  if (options.points > kMostPoints) {
    return fail("{} points; at most {}", options.points, kMostPoints);
  }
  RandomStream random(options.seed, "latin hypercube");
  std::vector<std::vector<double>> best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t draw = 0; draw < kDraws && least > 0; ++draw) {
    std::vector<std::vector<double>> columns;
    for (const Factor& factor : factors) {
      columns.push_back(drawn(factor, options.points, random));
    }
    if (const double largest = largest_correlation(columns); largest < least) {
      least = largest;
      best = std::move(columns);
    }
  }
  Design design{.factors = std::move(factors), .points = {}, .kind = Design::Kind::kLatinHypercube};
  for (std::size_t i = 0; i < options.points; ++i) {
    Point& point = design.points.emplace_back();
    for (std::size_t factor = 0; factor < design.factors.size(); ++factor) {
      point.at.push_back(best[factor][i]);
      point.values.push_back(value_of(design.factors[factor], point.at.back()));
    }
  }
  return design;
}

std::vector<std::string> short_names(const std::vector<Factor>& factors) {
  const auto last = [](const Factor& factor) {
    const auto dot = factor.key.rfind('.');
    return dot == std::string::npos ? factor.key : factor.key.substr(dot + 1);
  };
  std::vector<std::string> names;
  for (const Factor& factor : factors) {
    const std::string name = last(factor);
    const auto same = std::ranges::count_if(factors, [&](const Factor& other) { return last(other) == name; });
    names.push_back(same > 1 ? factor.key : name);
  }
  return names;
}

std::string point_name(const Design& design, const Point& point) {
  const std::vector<std::string> names = short_names(design.factors);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += text.empty() ? "" : ", ";
    text += design.factors[i].is_case() ? point.values[i] : names[i] + " " + point.values[i];
  }
  return text;
}

}  // namespace weft::study::sweep
