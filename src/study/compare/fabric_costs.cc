#include "study/compare/fabric_costs.h"

#include <nlohmann/json.hpp>

#include "study/cost/bill.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

double usd(scenario::Money value) { return static_cast<double>(value.count) / 1e3; }
double watts(scenario::Power value) { return static_cast<double>(value.count) / 1e3; }

}  // namespace

void add_costs(Json& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const cost::Bill bill = cost::bill_of(scenario, graph);
  fabric["cost_usd"] = usd(bill.cost);
  fabric["power_w"] = watts(bill.power);
  if (fabric.value("tokens_per_second", 0.0) > 0) {
    fabric["cost_per_unit"] = {
        {"usd_per_ktoken_s", usd(bill.cost) / (fabric["tokens_per_second"].get<double>() / 1e3)}};
  } else if (fabric.value("step_time_s", 0.0) > 0) {
    fabric["cost_per_unit"] = {{"usd_per_run_per_s", usd(bill.cost) * fabric["step_time_s"].get<double>()}};
  }
  Json lines = Json::array();
  for (const cost::BillLine& line : bill.lines) {
    lines.push_back({{"part", cost::to_string(line.part)},
                     {"name", line.name},
                     {"count", line.count},
                     {"unit_price_usd", usd(line.unit_price)},
                     {"price_usd", usd(line.price())},
                     {"unit_power_w", watts(line.unit_power)},
                     {"power_w", watts(line.power())},
                     {"mark", line.mark},
                     {"source", line.source},
                     {"owned", line.owned}});
  }
  fabric["bill"] = std::move(lines);
  Json running = Json::object();
  if (bill.years) {
    running["years"] = *bill.years;
  }
  for (const auto& [name, value] : {std::pair{"energy_usd", bill.energy}, std::pair{"upkeep_usd", bill.upkeep},
                                    std::pair{"staff_usd", bill.staff}}) {
    if (value) {
      running[name] = usd(*value);
    }
  }
  running["not_counted"] = bill.not_counted;
  fabric["running_cost"] = std::move(running);
}

}  // namespace weft::study::compare
