// What the work of a cluster costs with one fabric.
#pragma once

#include "study/compare/estimate.h"
#include "study/cost/total_cost.h"
#include "study/report/comparison.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// The step time with all that is known of its uncertainty: the seeds' confidence interval, that of the slices and the
/// measured error of the composition, as independent parts. No interval if none of them is known. `fabric` is possible.
[[nodiscard]] Estimate known_step(const report::ComparedFabric& fabric);

/// What the mistakes of the tuning risk cost, each as likely as the others, as a share of the step; one with which the
/// job does not end costs all of it. None if they were not measured.
[[nodiscard]] std::optional<double> mean_misconfiguration_loss(const report::ComparedFabric& fabric);

/// Money for a unit of work: million tokens, thousand steps, or runs of traffic without steps.
/// `fabric` has its step, its run and its tuning risk; `tokens` are those of a step, 0 for work without tokens.
[[nodiscard]] report::WorkCost work_cost_of(const report::ComparedFabric& fabric, const scenario::Scenario& scenario,
                                            const cost::TotalCost& total, double tokens);

}  // namespace weft::study::compare
