// Runs that are about to begin: how many at once, and how long they will take, said in one line.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cli/run_memory.h"
#include "cli/work_estimate.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

struct WorkPlan {
  std::size_t at_once = 1;
  WorkProgress progress;
  std::optional<MemoryNeed> need{};  // of each, where it was asked for
  /// Of a single run on a large network: it says itself how long it takes (FirstMoments), since a network to measure on
  /// would take as long to build again.
  bool measures_itself = false;
};

struct PlannedRuns {
  std::vector<study::run::HopsEstimate> hops;          // of each
  const study::scenario::Scenario* example = nullptr;  // of one of them, for a measurement; null: there are none
  const fabric::Graph* graph = nullptr;                // that of the example, if it is known
  std::int64_t jobs = 0;                               // at the same time, as asked for; 0: one per core
  bool quiet = false;
};

/// Fewer at once than asked for, or than there are cores, where they would not fit into memory together. Unless quiet,
/// a line on standard error says how long they take, and measures the machine for that first; nothing of few seconds.
[[nodiscard]] WorkPlan plan_runs(const PlannedRuns& runs);

}  // namespace weft::cli
