// How the lanes of a port share it: tables of virtual lanes, and weights of priorities at NICs.
#pragma once

#include <optional>

#include "fabric/infiniband/vl_arbiter.h"
#include "host/lane_scheduler.h"
#include "study/scenario/scenario.h"

namespace weft::study::assembly {

[[nodiscard]] fabric::VlArbitration vl_arbitration(const scenario::InfinibandSettings& settings);

/// Of a NIC with these settings; none: the lanes that the scenario's traffic has are alike, and take turns.
[[nodiscard]] std::optional<host::LaneWeights> lane_weights(const scenario::Scenario& scenario,
                                                            const scenario::DeviceSettings& devices);

}  // namespace weft::study::assembly
