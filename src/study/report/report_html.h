// A comparison as one HTML file that needs nothing else: no network, no other file. docs/report.md says what it shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/report/baseline.h"
#include "study/report/comparison.h"

namespace weft::study::report {

/// With a baseline that check_baseline accepts, the page also says what differs from it. Errors: those of
/// check_comparison (study/report/comparison_document.h).
[[nodiscard]] Result<std::string> report_html(const Comparison& comparison, const Baseline* baseline = nullptr);

/// The page of any document that it can show (web/src/main.js): a comparison, or a sweep (study/sweep/sweep_json.h).
[[nodiscard]] std::string page_of(std::string_view title, const nlohmann::ordered_json& document,
                                  const nlohmann::ordered_json& baseline);

/// The page without its data: web/ bundled, embedded when weft is built. Marks show where title, data and baseline go.
[[nodiscard]] std::string_view report_page();

}  // namespace weft::study::report
