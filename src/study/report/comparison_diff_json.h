// The difference of two comparisons as JSON: what `weft diff --json` writes.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/report/comparison_diff.h"

namespace weft::study::report {

/// An object with the lists of the difference; what one side does not have is left out.
[[nodiscard]] nlohmann::ordered_json diff_json(const ComparisonDiff& diff);

}  // namespace weft::study::report
