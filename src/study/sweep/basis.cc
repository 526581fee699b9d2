#include "study/sweep/basis.h"

#include <cmath>

#include "base/assert.h"

namespace weft::study::sweep {
namespace {

constexpr std::size_t kPlacesOfRange = 21;

double mean_product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum / static_cast<double>(a.size());
}

void make_orthogonal(std::vector<double>& own, const std::vector<std::vector<double>>& others) {
  for (const std::vector<double>& other : others) {
    const double part = mean_product(own, other);
    for (std::size_t i = 0; i < own.size(); ++i) {
      own[i] -= part * other[i];
    }
  }
}

}  // namespace

// Helmert's contrasts: each function sets one level against all before it. They are exact for any number of levels,
// which powers of a level's number are not.
Basis Basis::of_levels(std::size_t levels) {
  WEFT_ASSERT(levels >= 2);
  std::vector<std::vector<double>> functions;
  for (std::size_t k = 1; k < levels; ++k) {
    std::vector<double> own(levels, 0.0);
    for (std::size_t i = 0; i < k; ++i) {
      own[i] = -1.0 / static_cast<double>(k);
    }
    own[k] = 1;
    make_orthogonal(own, functions);
    const double length = std::sqrt(mean_product(own, own));
    for (double& value : own) {
      value /= length;
    }
    functions.push_back(std::move(own));
  }
  Basis basis;
  basis.by_level_.resize(levels);
  for (std::size_t level = 0; level < levels; ++level) {
    for (const std::vector<double>& function : functions) {
      basis.by_level_[level].push_back(function[level]);
    }
  }
  return basis;
}

Basis Basis::of_range(std::size_t degree) {
  WEFT_ASSERT(degree == 1 || degree == 2);
  Basis basis;
  basis.range_degree_ = degree;
  return basis;
}

std::vector<double> Basis::at(double place) const {
  if (range_degree_ == 0) {
    return by_level_[static_cast<std::size_t>(place)];
  }
  std::vector<double> values = {std::sqrt(3.0) * place};
  if (range_degree_ == 2) {
    values.push_back(std::sqrt(5.0) * (3 * place * place - 1) / 2);
  }
  return values;
}

std::vector<double> Basis::places() const {
  std::vector<double> all;
  const std::size_t count = range_degree_ == 0 ? by_level_.size() : kPlacesOfRange;
  for (std::size_t i = 0; i < count; ++i) {
    all.push_back(range_degree_ == 0 ? static_cast<double>(i)
                                     : 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1);
  }
  return all;
}

}  // namespace weft::study::sweep
