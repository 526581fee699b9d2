// Whether the simulated network showed congestion.
#pragma once

#include <cstdint>

#include "study/world/world.h"

namespace weft::study::world {

/// Packets marked, PFC frames sent and packets lost so far, for whatever reason, hosts' rings and buffers included; how
/// often receive buffers held back what came; and how often congestion controls that see neither slowed down by delays
/// or telemetry.
[[nodiscard]] std::uint64_t congestion_signals(const World& world);

}  // namespace weft::study::world
