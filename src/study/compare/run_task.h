// Runs one task of a comparison and gives its figures.
//
// With kJob they are those of the run, with kSmallMessages of small messages, with kFault of a failed link.
#pragma once

#include <functional>
#include <optional>

#include "study/compare/comparison_plan.h"
#include "study/compare/task_figures.h"
#include "study/run/simulation.h"

namespace weft::study::compare {

/// Asked some ten times a second, with how far the run has come that is under way.
using KeepGoing = std::function<bool(const run::Progress&)>;

/// None: `keep_going` said no, and there is nothing to keep.
[[nodiscard]] std::optional<TaskFigures> run_task(const ComparisonTask& task, const KeepGoing& keep_going);

}  // namespace weft::study::compare
