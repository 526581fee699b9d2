// Commands that set a NIC. Of the mlx5 driver: ip, ethtool, mlnx_qos, cma_roce_tos, sysfs, mlxconfig, after NVIDIA's
// pages on mlnx_qos and DCQCN, and the names of the driver's files; of others: nic_commands.h.
#pragma once

#include <string>

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"

namespace weft::study::devices {

[[nodiscard]] std::string nic_text(const DeviceConfig& device);
/// Other commands are passed over. The name is that of the comment "# nic: host0/nic0", else the file's. Errors, with
/// the line: values beyond their ranges.
[[nodiscard]] Result<DeviceConfig> read_nic(const ConfigText& source);

}  // namespace weft::study::devices
