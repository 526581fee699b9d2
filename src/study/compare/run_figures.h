// What a comparison takes from the results of one run of the job: figures for its table and series for its charts.
#pragma once

#include <nlohmann/json.hpp>

#include "study/results.h"
#include "study/simulation.h"

namespace weft::study {

/// Of a step; of a run without steps, from its start to its end.
[[nodiscard]] Duration work_time(const RunResults& results);

/// Step, FCT, losses, stalls, CPU, bus bandwidth: members of a fabric in the document.
[[nodiscard]] nlohmann::ordered_json run_figures(const RunResults& results);

/// Distributions, utilisation of links, queues and stalls over time.
[[nodiscard]] nlohmann::ordered_json run_series(const RunResults& results);

/// What a few ranks of the job did when; empty if the scenario has no job that runs steps.
[[nodiscard]] nlohmann::ordered_json step_timeline(const Simulation& simulation);

/// Values in microseconds and the share of all that is not above them; at most 200 points, the last one the largest.
[[nodiscard]] nlohmann::ordered_json distribution(std::vector<Duration> values);

}  // namespace weft::study
