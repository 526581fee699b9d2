// SONiC's config_db.json of a switch. Source of tables, names, ranges and units: the YANG models of sonic-buildimage
// (src/sonic-yang-models), revision of August 2026.
#pragma once

#include <string>

#include "study/devices/device_config.h"

namespace weft::study::devices {

[[nodiscard]] std::string sonic_text(const DeviceConfig& device);

}  // namespace weft::study::devices
