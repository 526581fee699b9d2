// What `weft sweep` prints: points with their figures, the best, what each key does, and which do nothing.
#pragma once

#include <string>

#include "base/text_lines.h"
#include "study/sweep/sweep_result.h"

namespace weft::study::sweep {

/// More points than that are not all listed: the best are.
inline constexpr std::size_t kListedPoints = 20;

[[nodiscard]] std::string sweep_text(const SweepResult& result, LineWidth width = {});

}  // namespace weft::study::sweep
