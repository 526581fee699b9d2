// Which points of the space of its factors a sweep runs: all of a grid, or a Latin hypercube.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "study/sweep/factor.h"

namespace weft::study::sweep {

struct Point {
  std::vector<std::string> values;  // one for each factor, as text
  std::vector<double> at;           // the number of the level; of a continuous range, -1 to 1
};

struct Design {
  std::vector<Factor> factors;
  std::vector<Point> points;
  enum class Kind : std::uint8_t { kGrid, kLatinHypercube } kind = Kind::kGrid;
};

inline constexpr std::size_t kMostPoints = 10'000;

/// As large as it may be; beyond any number, infinity.
[[nodiscard]] double grid_size(const std::vector<Factor>& factors);

/// Every combination of levels, the last factor changing fastest. Errors: more points than `kMostPoints`.
[[nodiscard]] Result<Design> grid_design(std::vector<Factor> factors);

struct SampleOptions {
  std::size_t points = 0;
  std::uint64_t seed = 1;  // of the draw
};
/// McKay, Beckman and Conover, 1979: each range is cut into as many strata as there are points, each of which has one;
/// levels come equally often, as nearly as they can. Of some draws, the one in which no two factors go together much.
/// A stratum's value is its middle where the type allows. Errors: no points, or more than `kMostPoints`.
[[nodiscard]] Result<Design> latin_hypercube(std::vector<Factor> factors, const SampleOptions& options);

/// "kmin 100 kB, pmax 1%": the value of each factor behind the last word of its key, or the whole of it where that is
/// not its alone; a case by its name.
[[nodiscard]] std::string point_name(const Design& design, const Point& point);
/// The short names of the factors, in their order.
[[nodiscard]] std::vector<std::string> short_names(const std::vector<Factor>& factors);

}  // namespace weft::study::sweep
