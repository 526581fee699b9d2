#include "study/cost/total_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "study/cost/milli.h"
#include "study/scenario/selector.h"

namespace weft::study::cost {
namespace {

constexpr double kHoursOfYear = 8'760;

/// The price of one, where it is known.
std::optional<CostItem> item_of(const scenario::Scenario& scenario, const std::string& path, std::int64_t count,
                                const std::optional<scenario::Money>& price,
                                const std::optional<scenario::Power>& power) {
  if (!price) {
    return std::nullopt;
  }
  const scenario::ValueSource& source = scenario.sources.at(path);
  const bool listed = source.origin == scenario::Origin::kCatalogue;
  return CostItem{.count = count,
                  .unit_price = *price,
                  .price = times(*price, count),
                  .power = times(power.value_or(scenario::Power{}), count),
                  .source = source.text,
                  .mark = listed ? to_string(source.mark.value_or(scenario::Mark::kGuess)) : "given"};
}

class TotalMaker {
 public:
  TotalMaker(const scenario::Scenario& scenario, const Bill& bill) : scenario_(scenario), bill_(bill) {}

  TotalCost make() {
    total_.network = bill_.cost;
    total_.power = bill_.power;
    total_.other = scenario_.cost.other.value_or(scenario::Money{});
    total_.not_counted = bill_.parts_not_counted();
    const scenario::HostSettings& host = scenario_.devices.host;
    const std::int64_t hosts = scenario_.topology.hosts;
    total_.hosts = item_of(scenario_, "host.price", hosts, host.price, host.power);
    if (total_.hosts) {
      count_changed_hosts(*total_.hosts);
    }
    total_.gpus = item_of(scenario_, "gpu.price", hosts * scenario_.topology.gpus_per_host, scenario_.gpu.price,
                          scenario_.gpu.power);
    add_item(total_.hosts, "hosts: host.price is not set, and no job names a GPU");
    add_item(total_.gpus, "GPUs: gpu.price is not set, and no job names a GPU");
    set_running();
    return std::move(total_);
  }

 private:
  void add_item(const std::optional<CostItem>& item, const char* missing) {
    if (!item) {
      total_.not_counted.emplace_back(missing);
      return;
    }
    add_to(total_.power, item->power);
  }

  // Hosts that an override selects have their own price.
  void count_changed_hosts(CostItem& hosts) const {
    const scenario::HostSettings& plain = scenario_.devices.host;
    for (std::int64_t i = 0; i < hosts.count; ++i) {
      const std::string name = fmt::format("host{}", i);
      const bool changed = std::ranges::any_of(scenario_.overrides, [&](const scenario::DeviceOverride& one) {
        return scenario::selects_device(one.select, name);
      });
      if (changed) {
        const scenario::HostSettings own = scenario::settings_of_device(scenario_, name).host;
        add_to(hosts.price, scenario::Money{own.price.value_or(scenario::Money{}).count -
                                            plain.price.value_or(scenario::Money{}).count});
        add_to(hosts.power, scenario::Power{own.power.value_or(scenario::Power{}).count -
                                            plain.power.value_or(scenario::Power{}).count});
      }
    }
  }

  void set_running() {
    const scenario::CostSettings& cost = scenario_.cost;
    total_.years = cost.years.value_or(kUsualYears);
    total_.years_assumed = !cost.years;
    if (cost.energy_price) {
      total_.energy = energy_cost(total_.power, *cost.energy_price, total_.years);
    } else {
      total_.not_counted.emplace_back("energy: cost.energy_price is not set");
    }
    if (cost.upkeep_per_year) {
      total_.upkeep = times(*cost.upkeep_per_year, total_.years);
    } else {
      total_.not_counted.emplace_back("upkeep: cost.upkeep_per_year is not set");
    }
    if (cost.staff_hours_per_year && cost.staff_hour_price) {
      total_.staff = times(times(*cost.staff_hour_price, *cost.staff_hours_per_year), total_.years);
    } else {
      total_.not_counted.push_back(std::string("staff: cost.") +
                                   (cost.staff_hours_per_year ? "staff_hour_price" : "staff_hours_per_year") +
                                   " is not set");
    }
    if (cost.downtime_hours_per_year) {
      total_.availability = 1 - static_cast<double>(*cost.downtime_hours_per_year) / kHoursOfYear;
    } else {
      total_.not_counted.emplace_back("downtime: cost.downtime_hours_per_year is not set");
    }
  }

  const scenario::Scenario& scenario_;
  const Bill& bill_;
  TotalCost total_;
};

}  // namespace

scenario::Money TotalCost::total() const {
  scenario::Money sum = network;
  add_to(sum, other);
  for (const auto& item : {hosts, gpus}) {
    add_to(sum, item ? item->price : scenario::Money{});
  }
  for (const auto& part : {energy, upkeep, staff}) {
    add_to(sum, part.value_or(scenario::Money{}));
  }
  return sum;
}

TotalCost total_cost_of(const scenario::Scenario& scenario, const Bill& bill) {
  return TotalMaker(scenario, bill).make();
}

}  // namespace weft::study::cost
