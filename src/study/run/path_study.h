// What the hashes of a scenario's network make of its flows, before any run: loads, polarisation, and what other seeds,
// functions and fields would give. What `weft paths` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "study/results/path_report.h"
#include "study/scenario/scenario.h"

namespace weft::study::run {

struct PathStudyOptions {
  std::uint32_t seeds = 100;  // at least 1
  /// Beside what the scenario says; not given: each function with the scenario's fields.
  std::optional<fabric::HashFunction> function{};
  std::vector<scenario::HashedField> fields{};
  /// The network as the scenario's events have left it at this time, with routes that have followed them.
  Duration at{};
  /// Links that have failed before that: selectors as those of [[event]].
  std::vector<std::string> without_links{};
};

/// Errors: what the scenario cannot be built for; flows that are not known before; fields that its packets have not; a
/// selector that names no link.
[[nodiscard]] Result<results::PathReport> study_paths(const scenario::Scenario& scenario,
                                                      const PathStudyOptions& options);

}  // namespace weft::study::run
