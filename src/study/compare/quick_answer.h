// The first answer of `weft compare --quick`: step times of shorter slices under one seed, with an interval that covers
// what the whole comparison makes of them.
#pragma once

#include <string_view>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// What such an answer is, and what it leaves out.
inline constexpr std::string_view kQuickNote =
    "A quick answer: step times are continued from shorter slices than usual, under one seed. Left out: causes of\n"
    "lost time, tuning risk, small messages, jitter, a failed link, further seeds. The same command without --quick\n"
    "measures them, and uses what has been run where it is the same.";

/// What each fabric's figures carry of that.
inline constexpr std::string_view kQuickCaution = "quick: shorter slices, one seed; without --quick it is measured";

/// Half the width of the interval around a step of `seconds`, in seconds. The shares are empirical: docs/compare.md has
/// quick answers beside whole comparisons.
[[nodiscard]] double quick_half_width(const report::RunFigures& run, double seconds);

}  // namespace weft::study::compare
