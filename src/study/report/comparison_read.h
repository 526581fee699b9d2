// Reads what a report is made of: the results file of a comparison, or results files of runs.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "study/report/comparison.h"

namespace weft::study::report {

/// One comparison (JSON), or one or several files of runs (`.weft`), whose runs become the fabrics of a comparison.
/// Errors begin with the file: it cannot be read, is neither, is of another version, or is not all there.
[[nodiscard]] Result<Comparison> read_comparison(std::span<const std::string> files);

/// Whether read_comparison takes them for files of runs.
[[nodiscard]] bool are_runs(std::span<const std::string> files);

}  // namespace weft::study::report
