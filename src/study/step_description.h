// What a row of results says of a step's work beside its times: how it is divided, its rates, its memory.
#pragma once

#include "study/step_rows.h"
#include "study/step_work.h"

namespace weft::study {

/// Fills in how the work is divided, its rates and its memory; the time of a step is known.
void describe(StepRow& row, const StepWork& work);

}  // namespace weft::study
