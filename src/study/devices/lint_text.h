// Findings as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/devices/lint.h"

namespace weft::study::devices {

/// Findings, then how many lines of the devices were not read, with the first of them.
[[nodiscard]] std::string lint_text(const std::vector<Finding>& findings, const std::vector<DeviceConfig>& devices,
                                    LineWidth width = {});
/// {"devices", "findings": [{"rule", "device", "place", "what", "right", "cost": {...} or "no_cost"}],
/// "unread": [{"place", "text"}]}.
[[nodiscard]] nlohmann::ordered_json lint_json(const std::vector<Finding>& findings,
                                               const std::vector<DeviceConfig>& devices);

}  // namespace weft::study::devices
