// What a comparison takes from the results of one run of the job: figures for its table and series for its charts.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::report {

/// Of a step; of a run without steps, from its start to its end.
[[nodiscard]] Duration work_time(const results::RunResults& results);

/// Step, FCT, losses, stalls, CPU, bus bandwidth: members of a fabric in the document.
[[nodiscard]] nlohmann::ordered_json run_figures(const results::RunResults& results);

/// Distributions, utilisation of links, queues and stalls over time.
[[nodiscard]] nlohmann::ordered_json run_series(const results::RunResults& results);

/// What a few ranks of the job did when; empty if the scenario has no job that runs steps.
[[nodiscard]] nlohmann::ordered_json step_timeline(const run::Simulation& simulation);

/// Values in microseconds and the share of all that is not above them; at most 200 points, the last one the largest.
[[nodiscard]] nlohmann::ordered_json distribution(std::vector<Duration> values);

}  // namespace weft::study::report
