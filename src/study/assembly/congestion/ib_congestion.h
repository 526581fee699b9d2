// InfiniBand's congestion control from the settings of a scenario.
#pragma once

#include "study/assembly/congestion/congestion_control.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_ib_congestion(const CongestionContext& context);

}  // namespace weft::study::assembly
