// What `weft plan` prints: what became of the designs, what each iteration changed, the front, and each design's bill.
#pragma once

#include <string>

#include "base/text_lines.h"
#include "study/plan/plan_result.h"

namespace weft::study::plan {

[[nodiscard]] std::string plan_text(const PlanResult& result, LineWidth width = {});

/// "12.3 million USD", "850 USD".
[[nodiscard]] std::string money_text(scenario::Money money);
/// "123.4 kW".
[[nodiscard]] std::string power_text(scenario::Power power);

}  // namespace weft::study::plan
