// What became of a case as a text, for another process or for the cache: its results as a file of results, or why there
// are none.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "study/results/results.h"

namespace weft::cli {

/// What became of a case: results, or why there are none because of its input.
using CaseResult = Result<study::results::RunResults>;

// What stands before the text.
inline constexpr char kResults = 'r';
inline constexpr char kRefusal = 'x';
inline constexpr char kFailure = '!';    // the results could not be handed over
inline constexpr char kUnwritten = 'w';  // what could not be written beside them, a zero byte, and then the text

/// Errors: of the temporary file that it goes through.
[[nodiscard]] Result<std::string> case_text(const CaseResult& result);
/// None: the text is no such text.
[[nodiscard]] std::optional<CaseResult> parse_case(const std::string& text);

}  // namespace weft::cli
