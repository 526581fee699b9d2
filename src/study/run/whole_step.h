// Composed steps that are better run themselves: their operations share links, and for these to settle would take as
// many packet-hops as the step. Whoever runs a scenario asks when it has been run, and then runs the one with every
// packet.
#pragma once

#include <optional>

#include "study/results/results.h"
#include "study/run/simulation.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

/// The scenario with every packet of the steps of its job; none if the run stands as it is.
[[nodiscard]] std::optional<scenario::Scenario> with_every_packet(const scenario::Scenario& scenario,
                                                                  const Simulation& ended);

/// What the composed run's probes have found of operations and their paths, into the results of the one with every
/// packet: an operation takes the longest that any rank took from its turn to its end.
void keep_collectives(const results::RunResults& composed, const Simulation& ended, results::RunResults& results);

}  // namespace weft::study::run
