// Runs one task of a comparison and gives its figures.
//
// With kJob they are those of the run, with kSmallMessages of small messages, with kFault of a failed link.
#pragma once

#include <functional>
#include <optional>

#include "study/compare/comparison_plan.h"
#include "study/compare/task_figures.h"

namespace weft::study::compare {

/// None: `keep_going` said no, and there is nothing to keep. It is asked some ten times a second.
[[nodiscard]] std::optional<TaskFigures> run_task(const ComparisonTask& task, const std::function<bool()>& keep_going);

}  // namespace weft::study::compare
