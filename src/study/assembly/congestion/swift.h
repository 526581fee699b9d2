// Swift from the settings of a scenario.
#pragma once

#include "study/assembly/congestion/congestion_control.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_swift(const CongestionContext& context);

}  // namespace weft::study::assembly
