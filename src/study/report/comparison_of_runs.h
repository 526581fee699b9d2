// Results of `weft run` in the form of a comparison, so that one report serves both: a fabric for each run.
//
// It has what runs have: steps and their parts, flow completion times, drops, queues and links at the sample instants,
// settings. What only a comparison measures (tuning risk, cost, verdict) is absent.
#pragma once

#include <span>

#include "study/report/comparison.h"
#include "study/results/results.h"

namespace weft::study::report {

/// At least one run. A fabric is named by its case, or else its family; where that is not enough, its seed is added.
[[nodiscard]] Comparison comparison_of_runs(std::span<const results::RunResults> runs);

}  // namespace weft::study::report
