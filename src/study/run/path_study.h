// What the hashes of a scenario's network make of its flows, before any run: loads, polarisation, and what other seeds,
// functions and fields would give. What `weft paths` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
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

/// What other seeds of the hash make of a training step's operations of one purpose: the load of the fullest link
/// between switches, as a factor of what the scenario's own seed makes of it. A link that is not full counts as full:
/// its senders have their lines.
struct HashReach {
  std::string purpose{};  // "dp"
  double less = 1;        // of all seeds but one in forty, at most 1
  double more = 1;        // the same at the other end, at least 1
};

/// By purpose, over all kinds of operations of it; none where no flow is hashed. Errors: as study_paths.
[[nodiscard]] Result<std::vector<HashReach>> hash_reaches(const scenario::Scenario& scenario, std::uint32_t seeds);

/// Operations of training steps whose flows meet: one direction of a link between switches carries flows of two
/// senders, each operation by itself. By the name of the job and the purpose. Errors: as study_paths.
[[nodiscard]] Result<std::set<std::pair<std::string, std::string>>> meeting_operations(
    const scenario::Scenario& scenario);

}  // namespace weft::study::run
