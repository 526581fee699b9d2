// What a row of results says of a step's work beside its times: how it is divided, its rates, its memory.
#pragma once

#include "study/results/step_rows.h"
#include "study/scenario/step_work.h"

namespace weft::study::run {

/// Fills in how the work is divided, its rates and its memory; the time of a step is known.
void describe(results::StepRow& row, const scenario::StepWork& work);

}  // namespace weft::study::run
