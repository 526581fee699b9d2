// What a whole cluster costs over its years: the network's bill, hosts, GPUs, and what running them takes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "study/cost/bill.h"
#include "study/scenario/scenario.h"

namespace weft::study::cost {

/// How long a cluster runs where the scenario does not say it (cost.years): what accelerators are written off over.
inline constexpr std::int64_t kUsualYears = 4;

/// Like things that the cluster needs beside its network.
struct CostItem {
  std::int64_t count = 0;
  scenario::Money unit_price;  // of those without an override
  scenario::Money price;       // of all
  scenario::Power power;       // of all
  std::string source;          // of the price, as `weft show` says it
  std::string_view mark;       // of the price: the catalogue's, or "given"
};

struct TotalCost {
  scenario::Money network;  // parts that are not owned
  scenario::Money other;    // cost.other
  std::optional<CostItem> hosts;
  std::optional<CostItem> gpus;
  scenario::Power power;  // of everything whose power is known

  std::int64_t years = kUsualYears;
  bool years_assumed = false;
  /// Over the years, absent where the scenario does not say enough.
  std::optional<scenario::Money> energy;
  std::optional<scenario::Money> upkeep;
  std::optional<scenario::Money> staff;
  /// Share of the time in which the cluster works; 1 where no downtime is given.
  double availability = 1;
  /// Everything that should be in it and is not, each with the reason.
  std::vector<std::string> not_counted;

  /// Of all that is counted. Sums beyond 9 * 10^15 USD stay there.
  [[nodiscard]] scenario::Money total() const;
};

/// `bill` is that of the scenario's network.
[[nodiscard]] TotalCost total_cost_of(const scenario::Scenario& scenario, const Bill& bill);

}  // namespace weft::study::cost
