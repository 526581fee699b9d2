// BGP sessions that one end alone has, and BFD of them, where no plan says what is right.
#pragma once

#include <vector>

#include "study/devices/lint.h"

namespace weft::study::devices {

/// Of each session over a cable, or between loopbacks, to a switch that is among the devices: findings at the end that
/// lacks the neighbour, or BFD. Several of one device that lack the same are one finding. Nothing is said of a device
/// whose neighbours may come from a group or a range, which no reader resolves.
void lint_session_ends(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings);

}  // namespace weft::study::devices
