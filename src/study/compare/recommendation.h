// What a buyer should do: which fabric's work costs least, by how much, how sure that is, and what would turn it round.
#pragma once

#include <span>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// Fabrics whose costs for a unit of work differ by less decide nothing: half a per cent.
inline constexpr double kSameCost = 0.005;

/// Sets the recommendation, and `to_recommended` of each fabric's work cost. Fabrics whose step times do not differ
/// (the mean of one is within the interval of the other) count with one step time, so that what chance made of them
/// adds nothing. Where the work costs nothing with one of them, time decides, or nothing does (recommend_by_time).
/// None without a possible fabric.
[[nodiscard]] report::Maybe<report::Recommendation> recommend(std::span<report::ComparedFabric> fabrics);

}  // namespace weft::study::compare
