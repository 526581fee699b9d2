// NSCC from the settings of a scenario, for each packet delivery context.
#pragma once

#include "study/assembly/congestion/congestion_control.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_nscc(const CongestionContext& context);

}  // namespace weft::study::assembly
