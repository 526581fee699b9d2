// A sweep's result as JSON and as tables of comma-separated values. docs/decide.md describes both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "study/results/results_csv.h"
#include "study/sweep/sweep_result.h"

namespace weft::study::sweep {

/// Figures are in seconds, bits per second, bytes per second and bytes.
[[nodiscard]] nlohmann::ordered_json sweep_json(const SweepResult& result);

/// points.csv (a row per point and figure), runs.csv (a row per run and figure), effects.csv (a row per key or two
/// keys, and figure).
[[nodiscard]] std::vector<results::CsvFile> sweep_csv(const SweepResult& result);

}  // namespace weft::study::sweep
