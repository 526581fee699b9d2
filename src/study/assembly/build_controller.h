// From [routing] to the options of a traffic controller.
#pragma once

#include "study/scenario/scenario.h"
#include "study/world/traffic_controller.h"

namespace weft::study::assembly {

[[nodiscard]] world::ControllerOptions controller_options(const scenario::RoutingSettings& routing);

}  // namespace weft::study::assembly
