// Files of OpenSM: opensm.conf, partitions.conf, the QoS policy. Source: the manual page of OpenSM 3.3, and the options
// that `opensm -c` writes.
#pragma once

#include <string>

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"
#include "subnet/partitions/partition_file.h"

namespace weft::study::devices {

[[nodiscard]] std::string manager_text(const DeviceConfig& device);
/// Errors, with the line: an option without a value or twice, values beyond their ranges; what parse_partitions()
/// refuses; sections of a policy that do not end.
[[nodiscard]] Result<DeviceConfig> read_opensm(const ConfigText& source);
/// Rules as the model has them, with places in that file.
[[nodiscard]] std::vector<PartitionSetting> partition_settings(const std::vector<subnet::PartitionRule>& rules,
                                                               std::string_view file);
[[nodiscard]] Result<DeviceConfig> read_partitions(const ConfigText& source);
[[nodiscard]] Result<DeviceConfig> read_qos_policy(const ConfigText& source);

}  // namespace weft::study::devices
