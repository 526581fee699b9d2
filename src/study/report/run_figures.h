// What a comparison takes from the results of one run of the job: figures for its table and series for its charts.
#pragma once

#include <vector>

#include "study/report/comparison.h"
#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::report {

/// Of a step; of a run without steps, from its start to its end.
[[nodiscard]] Duration work_time(const results::RunResults& results);

/// Step, FCT, losses, stalls, CPU, bus bandwidth.
[[nodiscard]] RunFigures run_figures(const results::RunResults& results);

/// Adds distributions, utilisation of links, queues and stalls over time.
void add_series(RunFigures& figures, const results::RunResults& results);

/// What a few ranks of the job did when; empty if the scenario has no job that runs steps.
[[nodiscard]] std::vector<TimelineSpan> step_timeline(const run::Simulation& simulation);

/// Values in microseconds and the share of all that is not above them; at most 200 points, the last one the largest.
[[nodiscard]] std::vector<CurvePoint> distribution(std::vector<Duration> values);

}  // namespace weft::study::report
