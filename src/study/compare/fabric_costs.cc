#include "study/compare/fabric_costs.h"

#include <optional>
#include <string>
#include <vector>

#include "study/compare/work_cost.h"
#include "study/cost/bill.h"
#include "study/cost/total_cost.h"

namespace weft::study::compare {
namespace {

double usd(scenario::Money value) { return static_cast<double>(value.count) / 1e3; }
double watts(scenario::Power value) { return static_cast<double>(value.count) / 1e3; }

}  // namespace

void add_costs(report::ComparedFabric& fabric, const scenario::Scenario& scenario, const fabric::Graph& graph,
               double tokens) {
  const cost::Bill bill = cost::bill_of(scenario, graph);
  fabric.cost_usd = usd(bill.cost);
  fabric.power = watts(bill.power);
  const double rate = fabric.run.tokens_per_second.value_or(0);
  const double step = fabric.step.mean.value_or(0);
  if (rate > 0) {
    fabric.cost_per_unit = report::CostPerUnit{.usd_per_ktoken = usd(bill.cost) / (rate / 1e3)};
  } else if (step > 0) {
    fabric.cost_per_unit = report::CostPerUnit{.usd_per_run = usd(bill.cost) * step};
  }
  std::vector<report::BillLine>& lines = fabric.bill.emplace();
  for (const cost::BillLine& line : bill.lines) {
    lines.push_back({.part = std::string(cost::to_string(line.part)),
                     .name = line.name,
                     .count = line.count,
                     .unit_price_usd = usd(line.unit_price),
                     .price_usd = usd(line.price()),
                     .unit_power = watts(line.unit_power),
                     .power = watts(line.power()),
                     .mark = std::string(line.mark),
                     .source = line.source,
                     .owned = line.owned});
  }
  const auto counted = [](const std::optional<scenario::Money>& value) {
    return value ? std::optional(usd(*value)) : std::nullopt;
  };
  fabric.running_cost = report::RunningCost{.years = bill.years,
                                            .energy_usd = counted(bill.energy),
                                            .upkeep_usd = counted(bill.upkeep),
                                            .staff_usd = counted(bill.staff),
                                            .not_counted = bill.not_counted};
  fabric.work_cost = work_cost_of(fabric, scenario, cost::total_cost_of(scenario, bill), tokens);
}

}  // namespace weft::study::compare
