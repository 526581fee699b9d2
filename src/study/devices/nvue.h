// Commands of NVUE for switches with Cumulus Linux. Source: NVIDIA's reference of `nv set` commands (qos mapping,
// egress-queue-mapping, pfc, congestion-control, egress-scheduler, interface, router bgp), Cumulus Linux 5.
#pragma once

#include <string>

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"

namespace weft::study::devices {

[[nodiscard]] std::string nvue_text(const DeviceConfig& device);
/// Commands of other parts of a switch are passed over. Errors, with the line: one that is no `nv` command, values
/// beyond their ranges, profiles that are not there, no hostname.
[[nodiscard]] Result<DeviceConfig> read_nvue(const ConfigText& source);

}  // namespace weft::study::devices
