// Counters and messages of a run's scale-up domains in the form of results files.
#pragma once

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// Fills `tiers` and `scale_up` from the run and from `messages` and `ports`, which are there already. Nothing without
/// scale-up links.
void take_scale_up(const Simulation& simulation, results::RunResults& results);

}  // namespace weft::study::run
