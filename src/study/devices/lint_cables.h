// The two ends of each cable between switches, where no plan says what is right: they contradict each other.
#pragma once

#include <vector>

#include "study/devices/lint.h"

namespace weft::study::devices {

/// One finding for each cable and rule, at the device that comes first: where the ends say the cable leads, their
/// speed, subnet and length. Also neighbours outside the subnets of the ports that lead to them, and two routers with
/// one identifier.
void lint_cables(const std::vector<DeviceConfig>& devices, std::vector<Finding>& findings);

}  // namespace weft::study::devices
