// The makers of each congestion control, for the table in congestion_control.cc.
#pragma once

#include "study/assembly/congestion/congestion_control.h"
#include "transport/congestion/dcqcn.h"

namespace weft::study::assembly {

[[nodiscard]] CongestionControls make_fixed_window(const CongestionContext& context);
[[nodiscard]] CongestionControls make_dcqcn(const CongestionContext& context);
[[nodiscard]] CongestionControls make_ib_congestion(const CongestionContext& context);
[[nodiscard]] CongestionControls make_swift(const CongestionContext& context);
[[nodiscard]] CongestionControls make_hpcc(const CongestionContext& context);
[[nodiscard]] CongestionControls make_timely(const CongestionContext& context);

/// DCQCN of NICs with this line; `window`: what it may have in flight, none = unlimited.
[[nodiscard]] transport::DcqcnParameters dcqcn_parameters(const scenario::Scenario& scenario, Rate line,
                                                          std::optional<Bytes> window);

}  // namespace weft::study::assembly
