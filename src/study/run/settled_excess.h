// What operations whose flows share links take beyond what their paths allow, and what is not known of those that have
// not converged.
#pragma once

#include <optional>

#include "study/scenario/scenario.h"

namespace weft::study::run {

/// By how much more than its paths' bound an operation whose flows share links may take once it has settled, as a share
/// of the bound: what queues, congestion control and other traffic on the same links add. Whole steps stayed below it,
/// single operations did not always (docs/validation.md); by what holds senders back.
[[nodiscard]] double settled_excess(const scenario::Scenario& scenario);

/// By what part of its time an operation that has not converged may be off, where its paths allow no less than `bound`
/// of that. `interval`: relative, of slices as long as they should be; none: those that were run are too short for what
/// a longer operation does, or there is one. These say nothing: it may take what its paths allow, and `excess` more.
/// A few repetitions may give an interval that is wider than that, and none is narrower than 0.15 (decision 0024).
[[nodiscard]] double unsettled_doubt(double bound, std::optional<double> interval, double excess);

}  // namespace weft::study::run
