// Whether a world can be made of a scenario, as far as its topology, jobs and traffic tell, without making one.
#pragma once

#include "base/result.h"
#include "study/scenario.h"

namespace weft::study {

/// Errors: shapes that cannot be built, files that cannot be read, jobs and traffic that do not fit the hosts; with
/// the place in the scenario.
[[nodiscard]] Result<void> check_assembly(const Scenario& scenario);

}  // namespace weft::study
