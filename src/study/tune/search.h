// Searching for the least value of a function without derivatives, by NLopt.
//
// Places have coordinates from -1 to 1. Global: DIRECT-L (Gablonsky and Kelley, 2001), which divides the space and
// needs no start. Local: Subplex (Rowan, 1990), which forgives noise. Neither draws random numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace weft::study::tune {

/// The value at a place, lower is better; none: the search is to end.
using Objective = std::function<std::optional<double>(std::span<const double> place)>;

struct SearchOptions {
  enum class Method : std::uint8_t { kGlobal, kLocal } method = Method::kGlobal;
  std::vector<double> start{};  // of a local search; of a global one, how many coordinates there are
  double step = 0.25;           // first step of a local search
  std::size_t evaluations = 0;  // at most
};

struct Found {
  std::vector<double> place{};  // the best that was seen; the start if nothing was
  std::optional<double> value{};
  std::size_t evaluations = 0;
};

[[nodiscard]] Found search(const SearchOptions& options, const Objective& objective);

/// The nearest place of a grid with `kPlaces` steps from -1 to 1: what lies nearer to one another than runs can tell.
inline constexpr int kPlaces = 48;
[[nodiscard]] double on_grid(double coordinate);

}  // namespace weft::study::tune
