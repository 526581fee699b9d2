// Minimises the highest utilisation of a link: a linear program over candidate paths, then whole demands.
//
// The program lets the demands of a pair of switches split over their paths in any shares; its optimum is a bound below
// which no placement comes. Demands then take whole paths by the shares, and improve() mends what rounding made worse.
// The solver is GLPK's simplex; it is limited by iterations, not by time, so that the same input gives the same answer
// on every machine. Where it does not finish, or the program is too large, demands are placed by CSPF and improved.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "control/view.h"

namespace weft::control {

struct MinMaxOptions {
  std::uint32_t iterations = 20'000;  // of the simplex, at most
  std::uint32_t columns = 8'000;      // shares of pairs on paths, at most; seconds of work lie beyond
  std::uint32_t moves = 10'000;       // of demands after rounding, at most
};

struct MinMaxResult {
  Placement placement;
  /// Of the linear program: no placement on the candidate paths has a lower highest utilisation. Unset: not solved.
  std::optional<double> bound;
};

[[nodiscard]] MinMaxResult place_min_max(CandidatePaths& candidates, const std::vector<Demand>& demands,
                                         const MinMaxOptions& options);

}  // namespace weft::control
