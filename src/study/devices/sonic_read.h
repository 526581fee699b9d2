// SONiC's config_db.json, read. Tables that say nothing of classes, buffers, cables or BGP are passed over.
#pragma once

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"

namespace weft::study::devices {

/// Errors, with line and column or the path in the JSON: no JSON, a key twice, a value beyond what the YANG model
/// allows, a reference to what is not there, no hostname.
[[nodiscard]] Result<DeviceConfig> read_sonic(const ConfigText& source);

}  // namespace weft::study::devices
