// Layers of given values to one resolved scenario. The mechanism behind study/scenario_load.h.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/given.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

struct ResolveLayer {
  const GivenLayer* layer = nullptr;  // not owned
  Origin origin = Origin::kFile;
};

/// `layers` with the weakest first; defaults and the catalogue lie below them. `file` names the scenario.
[[nodiscard]] Result<Scenario> resolve(std::span<const ResolveLayer> layers, const std::string& file,
                                       const Catalogue& catalogue);

/// Whether each given value is one that its key takes, whatever family and entries the scenario has. Errors have the
/// place.
[[nodiscard]] Result<void> check_given(std::span<const ResolveLayer> layers, const std::string& file);

}  // namespace weft::study::scenario
