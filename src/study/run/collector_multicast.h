// What a run says of its multicast groups.
#pragma once

#include <vector>

#include "study/results/multicast_row.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// One per group, in the order of the scenario.
[[nodiscard]] std::vector<results::MulticastRow> multicast_rows(const Simulation& simulation);

}  // namespace weft::study::run
