#include "study/compare/fabric_costs.h"

#include <nlohmann/json.hpp>

#include "study/cost/bill.h"
#include "study/report/comparison_keys.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

double usd(scenario::Money value) { return static_cast<double>(value.count) / 1e3; }
double watts(scenario::Power value) { return static_cast<double>(value.count) / 1e3; }

}  // namespace

void add_costs(Json& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph) {
  const cost::Bill bill = cost::bill_of(scenario, graph);
  fabric[report::key::kCost] = usd(bill.cost);
  fabric[report::key::kPower] = watts(bill.power);
  if (fabric.value(report::key::kTokensPerSecond, 0.0) > 0) {
    fabric[report::key::kCostPerUnit] = {
        {report::key::kUsdPerKtoken, usd(bill.cost) / (fabric[report::key::kTokensPerSecond].get<double>() / 1e3)}};
  } else if (fabric.value(report::key::kStepTime, 0.0) > 0) {
    fabric[report::key::kCostPerUnit] = {
        {report::key::kUsdPerRun, usd(bill.cost) * fabric[report::key::kStepTime].get<double>()}};
  }
  Json lines = Json::array();
  for (const cost::BillLine& line : bill.lines) {
    lines.push_back({{"part", cost::to_string(line.part)},
                     {"name", line.name},
                     {"count", line.count},
                     {"unit_price_usd", usd(line.unit_price)},
                     {"price_usd", usd(line.price())},
                     {"unit_power_w", watts(line.unit_power)},
                     {report::key::kPower, watts(line.power())},
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
  fabric[report::key::kRunningCost] = std::move(running);
}

}  // namespace weft::study::compare
