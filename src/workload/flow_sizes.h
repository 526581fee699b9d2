// Flow-size distributions of production networks, as published, by name.
//
// Percentages with linear interpolation, as the traffic generator beside the HPCC paper reads them.
#pragma once

#include <span>
#include <string_view>

#include "base/cdf_table.h"
#include "base/result.h"

namespace weft::workload {

/// "WebSearch", "FB_Hadoop", "AliStorage".
[[nodiscard]] std::span<const std::string_view> flow_size_names();
/// Values are bytes. Errors: another name; the nearest one is named.
[[nodiscard]] Result<CdfTable> flow_sizes(std::string_view name);

}  // namespace weft::workload
