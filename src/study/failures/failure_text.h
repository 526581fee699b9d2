// What failures cost, as text and as comma-separated tables.
#pragma once

#include <vector>

#include "base/text_lines.h"
#include "study/failures/network_failures.h"
#include "study/results/results_csv.h"

namespace weft::study::failures {

[[nodiscard]] std::string failure_text(const FailureReport& report, LineWidth width = {});
[[nodiscard]] nlohmann::ordered_json failure_json(const FailureReport& report);
/// networks.csv, failures.csv, timeline.csv, rates.csv.
[[nodiscard]] std::vector<results::CsvFile> failure_csv(const FailureReport& report);

}  // namespace weft::study::failures
