#include "study/cost/bill_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace weft::study::cost {
namespace {

template <class Tag>
double units(scenario::Milli<Tag> value) {
  return static_cast<double>(value.count) / 1'000;
}

void add(nlohmann::ordered_json& json, const char* key, const std::optional<scenario::Money>& value) {
  if (value) {
    json[key] = units(*value);
  }
}

std::string row(const std::string& name, scenario::Money money, std::string_view what) {
  return fmt::format("{:<28} {:>16.0f} USD{}{}\n", name, units(money), what.empty() ? "" : "  ", what);
}

}  // namespace

std::string bill_text(const Bill& bill) {
  std::size_t widest = 4;
  for (const BillLine& line : bill.lines) {
    widest = std::max(widest, line.name.size());
  }
  std::string text = fmt::format("{:<6}  {:<{}}  {:>8}  {:>10}  {:>12}  {:>9}  {:>10}  source of the price\n", "part",
                                 "name", widest, "count", "price USD", "in all", "power W", "in all");
  for (const BillLine& line : bill.lines) {
    text += fmt::format("{:<6}  {:<{}}  {:>8}  {:>10.2f}  {:>12}  {:>9.1f}  {:>10.1f}  {}\n", to_string(line.part),
                        line.name, widest, line.count, units(line.unit_price),
                        line.owned ? "owned" : fmt::format("{:.0f}", units(line.price())), units(line.unit_power),
                        units(line.power()), line.source);
  }
  text += '\n' + row("cost", bill.cost, "");
  text += fmt::format("{:<28} {:>16.0f} W\n", "power", units(bill.power));
  if (bill.years) {
    const std::string over = fmt::format("over {} years", *bill.years);
    for (const auto& [name, value] :
         {std::pair{"energy", bill.energy}, {"upkeep", bill.upkeep}, {"staff", bill.staff}}) {
      text += value ? row(name, *value, over) : "";
    }
    text += row("total", bill.total(), "");
  }
  for (const std::string& missing : bill.not_counted) {
    text += fmt::format("not included: {}\n", missing);
  }
  return text;
}

nlohmann::ordered_json bill_json(const Bill& bill) {
  nlohmann::ordered_json json = {{"cost_usd", units(bill.cost)}, {"power_w", units(bill.power)}};
  if (bill.years) {
    json["years"] = *bill.years;
    add(json, "energy_usd", bill.energy);
    add(json, "upkeep_usd", bill.upkeep);
    add(json, "staff_usd", bill.staff);
    add(json, "total_usd", bill.total());
  }
  json["not_counted"] = bill.not_counted;
  json["bill"] = nlohmann::ordered_json::array();
  for (const BillLine& line : bill.lines) {
    json["bill"].push_back({{"part", to_string(line.part)},
                            {"name", line.name},
                            {"count", line.count},
                            {"unit_price_usd", units(line.unit_price)},
                            {"price_usd", line.owned ? 0.0 : units(line.price())},
                            {"unit_power_w", units(line.unit_power)},
                            {"power_w", units(line.power())},
                            {"mark", line.mark},
                            {"source", line.source},
                            {"owned", line.owned}});
  }
  return json;
}

}  // namespace weft::study::cost
