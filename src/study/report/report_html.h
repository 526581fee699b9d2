// A comparison as one HTML file that needs nothing else: no network, no other file. docs/report.md says what it shows.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace weft::study::report {

/// `document` is a comparison (study/report/comparison_document.h). Errors: those of check_comparison.
[[nodiscard]] Result<std::string> report_html(const nlohmann::ordered_json& document);

/// The page without its data: web/ bundled, embedded when weft is built. Marks show where title and data go.
[[nodiscard]] std::string_view report_page();

}  // namespace weft::study::report
