// What the work of a cluster costs with one fabric.
#pragma once

#include "study/compare/estimate.h"
#include "study/cost/total_cost.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// The step time of a possible fabric with its interval, which holds all that is known (with_run_doubts).
[[nodiscard]] Estimate known_step(const report::ComparedFabric& fabric);

/// A step time by its seeds, with the confidence interval of its slices and the measured error of its composition
/// added to its own, as independent parts. No interval if none of them is known.
[[nodiscard]] Estimate with_run_doubts(Estimate step, const report::RunFigures& run);

/// What one mistake in each setting costs together, as a share of the step: of several mistakes in one setting, which
/// exclude each other, their mean; one with which the job does not end costs all of it, or what the worst of the others
/// does if that is more. A setting that costs nothing adds nothing, and takes nothing away. None if they were not
/// measured.
[[nodiscard]] std::optional<double> loss_of_settings(const report::TuningRisk& risk);

/// Money for a unit of work: million tokens, thousand steps, or runs of traffic without steps.
/// `fabric` has its step, its run, its bill and its tuning risk; `tokens` are those of a step, 0 for work without
/// tokens.
[[nodiscard]] report::WorkCost work_cost_of(const report::ComparedFabric& fabric, const scenario::Scenario& scenario,
                                            const cost::TotalCost& total, double tokens);

}  // namespace weft::study::compare
