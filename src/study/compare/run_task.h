// Runs one task of a comparison and gives its figures as JSON, in the form that the comparison's document has them.
//
// {"time_s": ...} of every task about the job: a step, or the whole run of a scenario without steps. With kJob also
// what the document says of a fabric's run (docs/compare.md), with kSmallMessages "small_message", with kFault "fault".
// A run that went wrong has {"failed": "why"} alone.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "study/compare/comparison_plan.h"

namespace weft::study::compare {

/// None: `keep_going` said no, and there is nothing to keep. It is asked some ten times a second.
[[nodiscard]] std::optional<nlohmann::ordered_json> run_task(const ComparisonTask& task,
                                                             const std::function<bool()>& keep_going);

}  // namespace weft::study::compare
