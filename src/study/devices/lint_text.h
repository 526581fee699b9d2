// Findings as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/text_lines.h"
#include "study/devices/lint.h"

namespace weft::study::devices {

[[nodiscard]] std::string lint_text(const std::vector<Finding>& findings, std::size_t devices, LineWidth width = {});
/// {"devices", "findings": [{"rule", "device", "place", "what", "right", "cost": {...} or "no_cost"}]}.
[[nodiscard]] nlohmann::ordered_json lint_json(const std::vector<Finding>& findings, std::size_t devices);

}  // namespace weft::study::devices
