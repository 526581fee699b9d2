// What a run says of its attacks.
#pragma once

#include <vector>

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// In the order of the scenario, those that the family cannot suffer with the reason.
[[nodiscard]] std::vector<results::AttackRow> attack_rows(const Simulation& simulation, Time ended_at);

}  // namespace weft::study::run
