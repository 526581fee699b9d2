// DCQCN from the settings of a scenario.
#pragma once

#include <optional>

#include "study/assembly/congestion/congestion_control.h"
#include "transport/congestion/dcqcn.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_dcqcn(const CongestionContext& context);

/// DCQCN of NICs with this line; `window`: what it may have in flight, none = unlimited.
[[nodiscard]] transport::DcqcnParameters dcqcn_parameters(const scenario::Scenario& scenario, Rate line,
                                                          std::optional<Bytes> window);

}  // namespace weft::study::assembly
