// What happened in a run besides its traffic: events of links, failures, a job that was lost, deadlocks, pause storms.
#pragma once

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::run {

/// Adds their rows, in the order of time. Of failures that are drawn how often links failed until the end of the run;
/// what the run ended before is listed as such, without a time.
void take_events(const Simulation& simulation, results::RunResults& results);

}  // namespace weft::study::run
