// What a design becomes when the cluster grows: the same devices for more hosts, or else other switches.
#pragma once

#include "cli/plan_question.h"
#include "study/plan/plan_result.h"

namespace weft::cli {

/// For the GPUs that the question has later. With the design's own switches if they take so many hosts, in its shape or
/// another one, else with those of the question's space; whichever adds least to the bill, its own shape if that is as
/// cheap.
[[nodiscard]] study::plan::Growth growth_of(const PlanQuestion& question, const study::plan::PlannedDesign& design,
                                            const study::scenario::Catalogue& catalogue);

}  // namespace weft::cli
