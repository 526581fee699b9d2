// Configuration of Arista's EOS. Source: its published command references and Arista's open AVD schemas (units and
// ranges of random-detect ecn: 1 to 256,000,000 bytes, 1 to 100 percent). Headroom, alpha and pools have no commands
// that could be verified from a public source, and are not written.
#pragma once

#include <string>

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"

namespace weft::study::devices {

[[nodiscard]] std::string eos_text(const DeviceConfig& device);
/// Sections of other parts are passed over. Errors, with the line: values beyond their ranges, no hostname.
[[nodiscard]] Result<DeviceConfig> read_eos(const ConfigText& source);

}  // namespace weft::study::devices
