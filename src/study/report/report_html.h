// A comparison as one HTML file that needs nothing else: no network, no other file. docs/report.md says what it shows.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "study/report/baseline.h"
#include "study/report/comparison.h"

namespace weft::study::report {

/// With a baseline that check_baseline accepts, the page also says what differs from it. Errors: those of
/// check_comparison (study/report/comparison_document.h).
[[nodiscard]] Result<std::string> report_html(const Comparison& comparison, const Baseline* baseline = nullptr);

/// The page without its data: web/ bundled, embedded when weft is built. Marks show where title, data and baseline go.
[[nodiscard]] std::string_view report_page();

}  // namespace weft::study::report
