// What failures do to the designs of a plan: each studied in a process of its own, on any rank of mpirun, and kept in
// the cache.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/plan_question.h"
#include "cli/run_cache.h"
#include "study/compare/failure_study.h"
#include "study/failures/network_failures.h"
#include "study/plan/plan_result.h"
#include "study/scenario/catalogue.h"

namespace weft::cli {

struct FailureStudies {
  std::int64_t jobs = 0;  // at the same time; 0: one per core that is idle
  std::optional<RunCache> cache{};
};

/// A design that is to be studied.
struct StudiedDesign {
  std::string name;
  std::vector<std::string> settings;
  std::int64_t spares = 0;
};

/// Of the ring that `weft failures --ring-only` watches, in the order of the designs; none: an interrupt came first, or
/// the network cannot be studied. Errors: a process that died.
[[nodiscard]] Result<std::vector<std::optional<study::plan::FailureRisk>>> study_designs(
    const std::vector<StudiedDesign>& designs, const PlanQuestion& question,
    const study::scenario::Catalogue& catalogue, FailureStudies options);
/// On a rank that serves: what `order` asks for.
[[nodiscard]] Result<void> serve_failures(const std::string& order, const PlanQuestion& question,
                                          const study::scenario::Catalogue& catalogue, FailureStudies options);

/// Whether the spares are enough for a month follows from the rates of hosts and of their GPUs, each failing by itself.
[[nodiscard]] study::plan::FailureRisk failure_risk(const study::failures::NetworkFailures& studied,
                                                    const study::scenario::Scenario& scenario, std::int64_t spares);

}  // namespace weft::cli
