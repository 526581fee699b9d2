#include "study/cost/bill_text.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/text_table.h"

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

std::string bill_text(const Bill& bill, LineWidth width) {
  const auto right = [](std::string heading, std::size_t least, std::uint8_t rank, std::string name = {}) {
    return TextTable::Column{.heading = std::move(heading),
                             .align = TextTable::Align::kRight,
                             .least = least,
                             .spills = least,
                             .rank = rank,
                             .name = std::move(name)};
  };
  TextTable table({{.heading = "part", .least = 6, .spills = 6},
                   {.heading = "name", .least = 4, .wraps = true},
                   right("count", 8, 0),
                   right("price USD", 10, 2),
                   right("in all", 12, 0),
                   right("power W", 9, 3),
                   right("in all", 10, 1, "power in all"),
                   {.heading = "source of the price", .wraps = true, .rank = 4}},
                  width);
  for (const BillLine& line : bill.lines) {
    table.add({std::string(to_string(line.part)), line.name, fmt::format("{}", line.count),
               fmt::format("{:.2f}", units(line.unit_price)),
               line.owned ? "owned" : fmt::format("{:.0f}", units(line.price())),
               fmt::format("{:.1f}", units(line.unit_power)), fmt::format("{:.1f}", units(line.power())), line.source});
  }
  std::string text = table.text();
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
