// From a scenario to the path selectors of senders.
#pragma once

#include <cstdint>

#include "host/nic_options.h"
#include "study/scenario/path_rule.h"

namespace weft::study::assembly {

/// Makes the selector of one flow; `seed` differs from flow to flow. Empty: one path for ever. `paths` is a power of
/// two up to 16,384.
[[nodiscard]] host::MakePathSelector path_selector(scenario::PathRule rule, std::int64_t paths);

}  // namespace weft::study::assembly
