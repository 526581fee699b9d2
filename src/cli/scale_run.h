// Runs of one training job on clusters of other sizes, with and without more latency: rows of `weft scale`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/case_pool.h"
#include "cli/level_option.h"
#include "study/assembly/resize.h"
#include "study/results/scale_table.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

/// A row per fabric or case, before it is resized.
struct ScaleLine {
  std::string name;
  study::scenario::Scenario scenario;
};

struct ScaleOptions {
  study::assembly::Scaling scaling = study::assembly::Scaling::kWeak;
  Duration extra_latency{};  // zero: none
  /// Packet-hops that checking the composition of a size may take, of those that stand for a line and level; 0: never.
  double check_hops = 0;
  LevelChooser* levels = nullptr;  // null, or off: sizes are run as the scenario says
};

/// A point for each line and size, in their order, lines first; an impossible size has a refusal. Where the level
/// changes between two sizes of a line, the smaller one is run on the level of the larger one too: a seam. After an
/// interrupt, those that are whole. Errors: those of the pool.
[[nodiscard]] Result<study::results::ScaleCurves> scale_curves(std::span<const ScaleLine> lines,
                                                               std::span<const std::int64_t> sizes,
                                                               const ScaleOptions& options, CasePool& pool,
                                                               const study::scenario::Catalogue& catalogue);

}  // namespace weft::cli
