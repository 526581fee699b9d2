// From a scenario to the path selectors of senders.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "study/scenario/path_rule.h"
#include "transport/path/path_selector.h"

namespace weft::study::assembly {

/// Makes the selector of one flow; `seed` differs from flow to flow. Empty: one path for ever.
using MakePathSelector = std::function<std::unique_ptr<transport::PathSelector>(std::uint64_t seed)>;

/// `paths` is a power of two up to 16,384.
[[nodiscard]] MakePathSelector path_selector(scenario::PathRule rule, std::int64_t paths);

}  // namespace weft::study::assembly
