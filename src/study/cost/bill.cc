#include "study/cost/bill.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <tuple>
#include <utility>

#include "study/cost/milli.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario_words.h"
#include "study/scenario/selector.h"

namespace weft::study::cost {
namespace {

struct PartKey {
  scenario::BillPart part = scenario::BillPart::kSwitch;
  std::string name;
  scenario::Money price;
  scenario::Power power;
  std::string source;

  friend auto operator<=>(const PartKey&, const PartKey&) = default;
};

struct Piece {
  PartKey key;
  std::string_view mark;
};

std::string_view mark_of(const scenario::ValueSource& source) {
  switch (source.origin) {
    case scenario::Origin::kCatalogue:
      return to_string(source.mark.value_or(scenario::Mark::kGuess));
    case scenario::Origin::kDefault:
      return "not known";
    case scenario::Origin::kFile:
    case scenario::Origin::kCase:
    case scenario::Origin::kSet:
    case scenario::Origin::kDerived:
      break;
  }
  return "given";
}

// What the ends of a link have: the parts of its rate, and how many of them side by side.
struct CableParts {
  std::size_t index = 0;
  std::int64_t parallel = 1;
  scenario::Length length;
};

CableParts parts_of(const fabric::Link& link) {
  CableParts parts;
  parts.index = scenario::cabling_class(link.rate);
  const std::int64_t rate = scenario::kCablingRates[parts.index].bits_per_second();
  parts.parallel = std::max<std::int64_t>((link.rate.bits_per_second() + rate - 1) / rate, 1);
  const std::int64_t metre = scenario::propagation_of(scenario::Length{1'000}).picoseconds();
  // In whole metres: nobody orders millimetres.
  parts.length = {(link.propagation.picoseconds() + metre - 1) / metre * 1'000};
  return parts;
}

class BillMaker {
 public:
  explicit BillMaker(const scenario::Scenario& scenario) : scenario_(scenario) {}

  Bill make(const fabric::Graph& graph) {
    for (std::uint32_t i = graph.endpoints; i < graph.nodes.size(); ++i) {
      count_switch(graph.nodes[i].name);
    }
    count_nics(graph);
    for (const fabric::Link& link : graph.links) {
      if (!is_inside_a_switch(graph, link)) {
        count_link(link);
      }
    }
    set_lines();
    set_running();
    return std::move(bill_);
  }

 private:
  static bool is_inside_a_switch(const fabric::Graph& graph, const fabric::Link& link) {
    const auto is_reducer = [&](const fabric::LinkEnd& end) {
      return end.node.value() >= graph.host_endpoints() && end.node.value() < graph.endpoints;
    };
    return is_reducer(link.a) || is_reducer(link.b);
  }

  void count_switch(const std::string& name) {
    const bool changed = is_overridden(name);
    const scenario::SwitchSettings own =
        changed ? scenario::settings_of_device(scenario_, name).switch_ : scenario_.devices.switch_;
    count_device({.part = scenario::BillPart::kSwitch,
                  .name = scenario_.fabric.switch_entry,
                  .price = own.price,
                  .power = own.power,
                  .source = {}},
                 changed ? name : std::string(), "switch.price");
  }

  // Ports of one NIC follow one another: "host3/nic0", or "host3/nic0/port0" and "host3/nic0/port1".
  void count_nics(const fabric::Graph& graph) {
    std::string last;
    for (std::uint32_t i = 0; i < graph.host_endpoints(); ++i) {
      const std::string& port = graph.nodes[i].name;
      const auto host_end = port.find('/');
      std::string nic = host_end == std::string::npos ? port : port.substr(0, port.find('/', host_end + 1));
      if (nic == last) {
        continue;
      }
      const bool changed = is_overridden(nic);
      const scenario::NicSettings own =
          changed ? scenario::settings_of_device(scenario_, nic).nic : scenario_.devices.nic;
      count_device({.part = scenario::BillPart::kNic,
                    .name = scenario_.fabric.nic_entry,
                    .price = own.price,
                    .power = own.power,
                    .source = {}},
                   changed ? nic : std::string(), "nic.price");
      last = std::move(nic);
    }
  }

  [[nodiscard]] bool is_overridden(const std::string& device) const {
    return std::ranges::any_of(scenario_.overrides, [&](const scenario::DeviceOverride& one) {
      return scenario::selects_device(one.select, device);
    });
  }

  // `overridden`: the device, if an override selects it.
  void count_device(PartKey key, const std::string& overridden, const std::string& path) {
    const scenario::ValueSource& plain = scenario_.sources.at(path);
    std::string_view mark = mark_of(plain);
    key.source = plain.text;
    for (const scenario::DeviceOverride& one : scenario_.overrides) {
      const auto given = std::ranges::find(one.assignments, path, &scenario::Assignment::path);
      if (!overridden.empty() && given != one.assignments.end() && scenario::selects_device(one.select, overridden)) {
        key.source = given->place;
        mark = "given";
      }
    }
    put({.key = std::move(key), .mark = mark}, 1);
  }

  void count_link(const fabric::Link& link) {
    const CableParts parts = parts_of(link);
    const scenario::CablingSettings& own = scenario_.cabling[parts.index];
    const std::string length = to_string(parts.length);
    if (parts.length <= own.copper_reach) {
      put(cable(parts, {.what = "copper cable", .path = "copper_price"}, scenario::BillPart::kCable, own.copper_price,
                {}),
          parts.parallel);
      return;
    }
    const bool multimode = parts.length <= own.multimode_reach;
    put(multimode ? cable(parts, {.what = "multimode optic", .path = "multimode_price"}, scenario::BillPart::kOptic,
                          own.multimode_price, own.multimode_power)
                  : cable(parts, {.what = "single-mode optic", .path = "single_mode_price"}, scenario::BillPart::kOptic,
                          own.single_mode_price, own.single_mode_power),
        2 * parts.parallel);
    scenario::Money fibre = times(own.fibre_metre_price, parts.length.count);
    fibre.count /= 1'000;
    add_to(fibre, own.fibre_price);
    Piece piece = cable(parts, {.what = fmt::format("fibre of {}", length), .path = "fibre_price"},
                        scenario::BillPart::kCable, fibre, {});
    const scenario::ValueSource& metre =
        scenario_.sources.at(fmt::format("cabling.{}.fibre_metre_price", scenario::kCablingNames[parts.index]));
    if (piece.mark == "given" && own.fibre_metre_price.count > 0 && mark_of(metre) != "given") {
      piece.mark = mark_of(metre);  // of two prices, the one that is less sure
      piece.key.source = metre.text;
    }
    put(std::move(piece), parts.parallel);
  }

  struct CableName {
    std::string what;
    std::string_view path;
  };

  [[nodiscard]] Piece cable(const CableParts& parts, const CableName& name, scenario::BillPart part,
                            scenario::Money price, scenario::Power power) const {
    const std::string_view rate = scenario::kCablingNames[parts.index];
    const scenario::ValueSource& source = scenario_.sources.at(fmt::format("cabling.{}.{}", rate, name.path));
    return {.key = {.part = part,
                    .name = fmt::format("{} {} {}", scenario_.fabric.cabling_entry, rate, name.what),
                    .price = price,
                    .power = power,
                    .source = source.text},
            .mark = mark_of(source)};
  }

  void put(Piece piece, std::int64_t count) {
    auto& entry = counts_[std::move(piece.key)];
    entry.first = piece.mark;
    entry.second += count;
  }

  void set_lines() {
    const auto& owned = scenario_.cost.owned;
    for (const auto& [key, entry] : counts_) {
      bill_.lines.push_back({.part = key.part,
                             .name = key.name,
                             .count = entry.second,
                             .unit_price = key.price,
                             .unit_power = key.power,
                             .mark = entry.first,
                             .source = key.source,
                             .owned = std::ranges::find(owned, key.part) != owned.end()});
      const BillLine& line = bill_.lines.back();
      add_to(bill_.power, line.power());
      if (line.unit_power == scenario::Power{} &&
          (line.part == scenario::BillPart::kSwitch || line.part == scenario::BillPart::kNic)) {
        bill_.not_counted.push_back(fmt::format("power of {} {}: set neither in the catalogue nor in the scenario",
                                                to_string(line.part), line.name));
      }
      if (line.owned) {
        continue;
      }
      add_to(bill_.cost, line.price());
      if (line.mark == "not known") {
        bill_.not_counted.push_back(fmt::format("price of {} {}: set neither in the catalogue nor in the scenario",
                                                to_string(line.part), line.name));
      }
    }
  }

  void set_running() {
    const scenario::CostSettings& cost = scenario_.cost;
    bill_.years = cost.years;
    if (!cost.years) {
      bill_.not_counted.emplace_back("energy, upkeep and staff: cost.years is not set");
      return;
    }
    const std::int64_t years = *cost.years;
    if (cost.energy_price) {
      bill_.energy = energy_cost(bill_.power, *cost.energy_price, years);
    } else {
      bill_.not_counted.emplace_back("energy: cost.energy_price is not set");
    }
    if (cost.upkeep_per_year) {
      bill_.upkeep = times(*cost.upkeep_per_year, years);
    } else {
      bill_.not_counted.emplace_back("upkeep: cost.upkeep_per_year is not set");
    }
    if (cost.staff_hours_per_year && cost.staff_hour_price) {
      bill_.staff = times(times(*cost.staff_hour_price, *cost.staff_hours_per_year), years);
    } else {
      const auto* missing = cost.staff_hours_per_year ? "cost.staff_hour_price" : "cost.staff_hours_per_year";
      bill_.not_counted.push_back(fmt::format("staff: {} is not set", missing));
    }
  }

  const scenario::Scenario& scenario_;
  Bill bill_;
  std::map<PartKey, std::pair<std::string_view, std::int64_t>> counts_;  // mark, count
};

}  // namespace

scenario::Money BillLine::price() const { return times(unit_price, count); }
scenario::Power BillLine::power() const { return times(unit_power, count); }

std::vector<std::string> Bill::parts_not_counted() const {
  std::vector<std::string> made;
  for (const std::string& missing : not_counted) {
    if (!missing.starts_with("energy") && !missing.starts_with("upkeep") && !missing.starts_with("staff")) {
      made.push_back(missing);
    }
  }
  return made;
}

scenario::Money Bill::total() const {
  scenario::Money sum = cost;
  for (const auto& part : {energy, upkeep, staff}) {
    add_to(sum, part.value_or(scenario::Money{}));
  }
  return sum;
}

Bill bill_of(const scenario::Scenario& scenario, const fabric::Graph& graph) { return BillMaker(scenario).make(graph); }

std::string_view to_string(scenario::BillPart part) {
  constexpr std::array<std::string_view, 4> kParts = {"switch", "nic", "optic", "cable"};
  return kParts.at(static_cast<std::size_t>(part));
}

}  // namespace weft::study::cost
