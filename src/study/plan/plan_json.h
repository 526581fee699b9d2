// A plan as JSON and as tables of comma-separated values. docs/decide.md describes both.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "study/plan/plan_result.h"
#include "study/results/results_csv.h"

namespace weft::study::plan {

/// Times in seconds, money in USD, power in watts; what is not known is absent.
[[nodiscard]] nlohmann::ordered_json plan_json(const PlanResult& result);
/// designs.csv, bill.csv, growth.csv, iterations.csv.
[[nodiscard]] std::vector<results::CsvFile> plan_csv(const PlanResult& result);

}  // namespace weft::study::plan
