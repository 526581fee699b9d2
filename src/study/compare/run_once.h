// One run of one resolved scenario, start to end, without a display: what the tasks of a comparison are made of.
#pragma once

#include <functional>

#include "base/result.h"
#include "study/results.h"
#include "study/simulation.h"

namespace weft::study {

struct RunOnce {
  std::function<bool(const Progress&)> keep_going = [](const Progress&) { return true; };
  /// Looks at the simulation before it goes, once the results are complete.
  std::function<void(const Simulation&)> look = [](const Simulation&) {};
  /// What a composed run of the same found of its operations, if this is the one with every packet in its place.
  const RunResults* composed = nullptr;
};

/// Errors: those of the input, as Simulation::create gives them. A run that goes wrong has results that say so. What
/// depends on the machine is left out.
[[nodiscard]] Result<RunResults> run_once(const Scenario& scenario, const RunOnce& options);

}  // namespace weft::study
