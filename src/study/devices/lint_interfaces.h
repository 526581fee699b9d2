// Lines of configurations that are for another interface than the device's.
#pragma once

#include <vector>

#include "study/devices/device_config.h"
#include "study/devices/lint.h"

namespace weft::study::devices {

/// Of NICs lines for another interface or RDMA device than the plan has ("eth1", "mlx5_1"), or than most lines of the
/// file are for; with names other than those of that form ("ens1f0") only the latter. NICs of one host with one
/// interface. Of switches other lanes of a port than the plan's, and interfaces that stand twice.
void lint_interfaces(const std::vector<DeviceConfig>& devices, const Reference& reference,
                     std::vector<Finding>& findings);

}  // namespace weft::study::devices
