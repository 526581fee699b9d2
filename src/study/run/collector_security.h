// What protection of the data path did in a simulation.
#pragma once

#include <optional>

#include "study/results/security_row.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// None without encryption and firewalls.
[[nodiscard]] std::optional<results::SecurityRow> security_row(const Simulation& simulation);

}  // namespace weft::study::run
