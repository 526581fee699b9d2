// Settings that only one syntax has: trust, tables that map classes, ports that are shut, modes of buffers and queues.
#pragma once

#include <vector>

#include "study/devices/lint.h"
#include "study/devices/reference.h"

namespace weft::study::devices {

/// Every native setting against the plan's, or against what most of the same kind have; one finding for all ports of a
/// device that differ alike.
void lint_native(const std::vector<DeviceConfig>& devices, const Reference& reference, std::vector<Finding>& findings);

}  // namespace weft::study::devices
