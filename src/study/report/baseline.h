// Another comparison that a report holds its own against: what differs is what `weft diff BASELINE RESULTS` says.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "study/report/comparison.h"

namespace weft::study::report {

struct Baseline {
  std::string file;
  Comparison comparison;
};

/// Whether the figures of `baseline` can stand beside those of `comparison`. Errors begin with the baseline's file: no
/// fabric is in both, or the work of a fabric has another unit.
[[nodiscard]] Result<void> check_baseline(const Comparison& comparison, const Baseline& baseline);

/// `file`, `version`, `scenario`; `fabrics` with the step time and the cost of a unit of work of each, as far as
/// measured; and `diff`, in which A is the baseline and B the comparison.
[[nodiscard]] nlohmann::ordered_json baseline_json(const Comparison& comparison, const Baseline& baseline);

}  // namespace weft::study::report
