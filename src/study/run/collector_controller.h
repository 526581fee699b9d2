// What the traffic controller of a simulation did.
#pragma once

#include <optional>

#include "study/results/controller_row.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// None without one.
[[nodiscard]] std::optional<results::ControllerRow> controller_row(const Simulation& simulation);

}  // namespace weft::study::run
