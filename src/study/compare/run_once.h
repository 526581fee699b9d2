// One run of one resolved scenario, start to end, without a display: what the tasks of a comparison are made of.
#pragma once

#include <functional>

#include "base/result.h"
#include "study/results/results.h"
#include "study/run/simulation.h"

namespace weft::study::compare {

struct RunOnce {
  std::function<bool(const run::Progress&)> keep_going = [](const run::Progress&) { return true; };
  /// Looks at the simulation before it goes, once the results are complete.
  std::function<void(const run::Simulation&)> look = [](const run::Simulation&) {};
  /// What a composed run of the same found of its operations, if this is the one with every packet in its place.
  const results::RunResults* composed = nullptr;
};

/// Errors: those of the input, as Simulation::create gives them. A run that goes wrong has results that say so. What
/// depends on the machine is left out.
[[nodiscard]] Result<results::RunResults> run_once(const scenario::Scenario& scenario, const RunOnce& options);

}  // namespace weft::study::compare
