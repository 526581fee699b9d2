// The models and GPUs that the jobs of a scenario name, filled in from the catalogue.
#pragma once

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// Errors have the place of the value at fault: an unknown model or GPU with the nearest one, a precision that the GPU
/// lacks, a parallelism that does not divide the model or the batch, a job that does not fit into its GPUs' memory,
/// with the numbers.
[[nodiscard]] Result<void> fill_in_models(Scenario& scenario, const Catalogue& catalogue);

}  // namespace weft::study::scenario
