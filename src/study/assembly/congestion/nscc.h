// NSCC from the settings of a scenario, for each packet delivery context.
#pragma once

#include "study/assembly/congestion/congestion_control.h"
#include "transport/congestion/nscc.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_nscc(const CongestionContext& context);
/// What they start from; `context.round_trip` is that of the idle network.
[[nodiscard]] transport::NsccParameters nscc_parameters_of(const CongestionContext& context);

}  // namespace weft::study::assembly
