// Orthonormal functions of one factor: what effects are sums of.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::study::sweep {

/// Functions of a factor whose mean is 0, whose mean square is 1, and whose products with each other have the mean 0,
/// over its levels, or over its range from -1 to 1.
class Basis {
 public:
  /// Of levels, one function fewer than there are levels. levels >= 2.
  [[nodiscard]] static Basis of_levels(std::size_t levels);
  /// Of a range: Legendre's polynomials up to `degree`, 1 or 2.
  [[nodiscard]] static Basis of_range(std::size_t degree);

  [[nodiscard]] std::size_t size() const { return range_degree_ != 0 ? range_degree_ : by_level_.size() - 1; }
  /// All functions at a level's number, or at a place of the range.
  [[nodiscard]] std::vector<double> at(double place) const;
  /// All levels; of a range, some places that are evenly spaced, with both ends.
  [[nodiscard]] std::vector<double> places() const;

 private:
  std::size_t range_degree_ = 0;  // 0: levels
  std::vector<std::vector<double>> by_level_;
};

}  // namespace weft::study::sweep
