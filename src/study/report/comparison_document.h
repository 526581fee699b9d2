// A comparison of networks as one JSON document: what `weft compare` writes, and what the report, its tables and `weft
// diff` read. docs/report.md describes its members.
//
// Times are in seconds unless the key says otherwise. A member that is absent, or null, was not measured.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "base/result.h"

namespace weft::study::report {

inline constexpr std::string_view kComparisonFormat = "weft-comparison";
inline constexpr int kComparisonVersion = 1;

/// Whether every member that is there has the right kind. The error names the first that has not, as
/// "fabrics[1].step_time_s", and what was expected; or another format or version.
[[nodiscard]] Result<void> check_comparison(const nlohmann::ordered_json& document);

/// The text of a results file of a comparison, checked. Errors: no JSON, with line and column; what is checked above.
[[nodiscard]] Result<nlohmann::ordered_json> parse_comparison(std::string_view text);

}  // namespace weft::study::report
