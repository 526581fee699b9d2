// A configuration in whichever syntax it is: recognised, read, written, and the name of its file.
#pragma once

#include <string>

#include "base/result.h"
#include "study/devices/device_config.h"
#include "study/devices/reading.h"

namespace weft::study::devices {

inline constexpr std::uint64_t kLargestConfig = std::uint64_t{64} << 20U;

/// By what it holds. Errors, each beginning with the file's name: empty, binary, none of the syntaxes; those of the
/// readers.
[[nodiscard]] Result<DeviceConfig> read_config(const ConfigText& source);
[[nodiscard]] std::string config_text(const DeviceConfig& device);
/// "leaf0.config_db.json", "leaf0.nv", "leaf0.eos", "host0-nic0.sh", "opensm.conf", "partitions.conf",
/// "qos-policy.conf".
[[nodiscard]] std::string file_name_of(const DeviceConfig& device);

}  // namespace weft::study::devices
