// A comparison as JSON: how it is written to a file and read from one, and what a file may not have wrong.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "study/report/comparison.h"

namespace weft::study::report {

/// Whether every member that is there has the right kind. The error names the first that has not, as
/// "fabrics[1].step_time_s", and what was expected; or another format or version.
[[nodiscard]] Result<void> check_comparison(const nlohmann::ordered_json& document);

/// Members that have no value are not there.
[[nodiscard]] nlohmann::ordered_json to_json(const Comparison& comparison);
/// `document` has passed check_comparison. What has no place in a comparison is kept in the form of its record, and
/// written again.
[[nodiscard]] Comparison comparison_from(const nlohmann::ordered_json& document);

/// The text of a results file of a comparison, checked. Errors: no JSON, with line and column; what is checked above; a
/// text with characters that are not printable.
[[nodiscard]] Result<Comparison> parse_comparison(std::string_view text);
/// The text of its results file, without a line break at the end. Bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string comparison_json_text(const Comparison& comparison, int indent);

}  // namespace weft::study::report
