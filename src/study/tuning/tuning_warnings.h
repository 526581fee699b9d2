// Settings that contradict rate, cable or buffer, each as a sentence with the two figures that disagree.
#pragma once

#include <string>
#include <vector>

#include "study/tuning/tuning_report.h"

namespace weft::study::tuning {

/// Of a report whose figures are complete; the worst first.
[[nodiscard]] std::vector<std::string> tuning_warnings(const scenario::Scenario& scenario, const TuningReport& report);

}  // namespace weft::study::tuning
