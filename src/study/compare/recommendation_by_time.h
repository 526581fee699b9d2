// What a buyer should do where money decides nothing, as the work costs nothing with one of the networks or all.
#pragma once

#include <span>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// `possible`: each has a work cost, and a step above 0; of one at least the work costs nothing.
/// Where nothing has a price, the fastest is recommended. Where some have, one that costs nothing is recommended if no
/// other is faster; else there is no recommendation ("none"), and it is said what to set.
[[nodiscard]] report::Recommendation recommend_by_time(std::span<const report::ComparedFabric* const> possible);

}  // namespace weft::study::compare
