// Goodput of a job among failures, from what each kind does to it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "study/failures/network_failures.h"
#include "study/failures/renewal.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// A class for each kind that was measured and happens: how often, and what it costs. Every component is taken to be
/// under the job's traffic. A job is as slow as its step was measured to be, or, without one, as the ring.
[[nodiscard]] std::vector<failures::FailureClass> failure_classes(const failures::NetworkFailures& network,
                                                                  const scenario::Scenario& scenario);

struct GoodputOptions {
  std::uint32_t months = 400;
  std::function<bool()> keep_going = [] { return true; };
};

/// Fills in checkpoints, intervals and the goodput of a month, by formula and drawn so often from the scenario's seed;
/// by formula alone where a month has too many events to be drawn (study/failures/renewal.h). False: `keep_going` said
/// no.
[[nodiscard]] bool add_goodput(failures::NetworkFailures& network, const scenario::Scenario& scenario,
                               const GoodputOptions& options);

}  // namespace weft::study::compare
