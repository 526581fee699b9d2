// Goodput of a job among failures, from what each kind does to it.
#pragma once

#include <cstdint>
#include <vector>

#include "study/failures/network_failures.h"
#include "study/failures/renewal.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// A class for each kind that was measured and happens: how often, and what it costs. Every component is taken to be
/// under the job's traffic. A job is as slow as its step was measured to be, or, without one, as the ring.
[[nodiscard]] std::vector<failures::FailureClass> failure_classes(const failures::NetworkFailures& network,
                                                                  const scenario::Scenario& scenario);

/// Fills in checkpoints, intervals and the goodput of a month, by formula and drawn so often from the scenario's seed.
void add_goodput(failures::NetworkFailures& network, const scenario::Scenario& scenario, std::uint32_t months);

}  // namespace weft::study::compare
