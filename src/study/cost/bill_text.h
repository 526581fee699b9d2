// A bill of materials as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text_lines.h"
#include "study/cost/bill.h"

namespace weft::study::cost {

/// Aligned columns, the totals, and what is not counted.
[[nodiscard]] std::string bill_text(const Bill& bill, LineWidth width = {});

/// {"cost_usd", "power_w", "years", "energy_usd", "upkeep_usd", "staff_usd", "total_usd", "not_counted": [text],
/// "bill": [{"part", "name", "count", "unit_price_usd", "price_usd", "unit_power_w", "power_w", "mark", "source",
/// "owned"}]}; what is not counted is not there.
[[nodiscard]] nlohmann::ordered_json bill_json(const Bill& bill);

}  // namespace weft::study::cost
