// Several runs of one scenario side by side: a table with a column per case.
#pragma once

#include <span>
#include <string>

#include "base/text_lines.h"
#include "base/time.h"
#include "study/results/results.h"
#include "study/results/summary.h"

namespace weft::study::results {

/// One of the columns.
struct ComparedRun {
  std::string name;
  Summary summary;
  RunEnd end = RunEnd::kFinished;
  Time ended_at;
};

/// The figures that runs share, by their first job; a figure that a run does not have is a dash. Where a run did not
/// end as it should, or runs ended in different ways, the first row says how each did. At least one run. More runs than
/// fit into `width`, or else into 100 columns, are in several tables, one below the other.
[[nodiscard]] std::string comparison_text(std::span<const ComparedRun> runs, LineWidth width = {});

}  // namespace weft::study::results
