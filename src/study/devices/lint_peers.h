// What devices contradict each other in: BGP sessions, NICs and the switches that they are connected to, subnet
// managers.
#pragma once

#include <vector>

#include "study/devices/lint.h"
#include "study/devices/reference.h"

namespace weft::study::devices {

void lint_sessions(const std::vector<DeviceConfig>& devices, const Reference& reference,
                   std::vector<Finding>& findings);
void lint_nics(const std::vector<DeviceConfig>& devices, const Reference& reference, std::vector<Finding>& findings);
void lint_managers(const std::vector<DeviceConfig>& devices, const Reference& reference,
                   std::vector<Finding>& findings);

}  // namespace weft::study::devices
