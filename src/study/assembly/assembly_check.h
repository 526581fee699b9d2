// Whether a world can be made of a scenario, as far as its topology, jobs and traffic tell, without making one.
#pragma once

#include "base/result.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

/// Errors: shapes that cannot be built, files that cannot be read, jobs and traffic that do not fit the hosts; with
/// the place in the scenario.
[[nodiscard]] Result<void> check_assembly(const scenario::Scenario& scenario);

}  // namespace weft::study::assembly
