// Results files: SQLite, one run each when written, any number after merging.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "study/results/results.h"

namespace weft::study::results {

/// Writes the runs to a new file at `path`; one of that name is replaced, in one step and only when all is written.
[[nodiscard]] Result<void> write_results(const std::string& path, const std::vector<RunResults>& runs);

/// Every run of a file, in the order of scenario, case, family, seed and key. Errors: no results file, another format.
[[nodiscard]] Result<std::vector<RunResults>> read_results(const std::string& path);

struct MergeFiles {
  std::string into;
  std::string from;
};
/// Adds the runs of one file to another; a run that is there already is replaced.
[[nodiscard]] Result<void> merge_results(const MergeFiles& files);

}  // namespace weft::study::results
