#include "study/compare/turning_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>

#include "study/compare/money_text.h"
#include "study/compare/work_cost.h"

namespace weft::study::compare {
namespace {

constexpr double kMostChange = 10;

/// Both fabrics of a turning point, and what their costs are made of.
class Pair {
 public:
  Pair(const CostedFabric& first, const CostedFabric& other) : first_(first), other_(other) {}

  std::vector<report::TurningPoint> points() {
    network_price(first_, other_);
    network_price(other_, first_);
    gpu_price();
    communication();
    misconfiguration();
    size();
    return std::move(points_);
  }

 private:
  static const report::WorkCost& cost_of(const CostedFabric& own) { return *own.fabric->work_cost; }
  /// Money for a unit of work, by each dollar that the cluster costs.
  static double per_dollar(const CostedFabric& own) { return own.cost() / cost_of(own).total_usd; }

  void add(const std::string& what, double now, double then, const char* unit, const std::string& words) {
    points_.push_back(
        {.fabric = other_.fabric->name,
         .what = what,
         .now = now,
         .then = then,
         .unit = unit,
         .text = fmt::format("{} costs as little as {} if {}.", other_.fabric->name, first_.fabric->name, words)});
  }

  static bool is_near(double now, double then) {
    return now > 0 && then > 0 && then / now <= kMostChange && now / then <= kMostChange;
  }

  /// (network + rest) x per dollar = the other's cost.
  void network_price(const CostedFabric& own, const CostedFabric& other) {
    const report::WorkCost& cost = cost_of(own);
    const double then = other.cost() / per_dollar(own) - (cost.total_usd - cost.network_usd);
    if (!is_near(cost.network_usd, then)) {
      return;
    }
    add("network price of " + own.fabric->name, cost.network_usd, then, "USD",
        fmt::format("the network of {} costs {} in place of {} ({:+.1f} %)", own.fabric->name, money_text(then),
                    money_text(cost.network_usd), (then / cost.network_usd - 1) * 100));
  }

  /// Both totals are linear in it, and have as many GPUs.
  void gpu_price() {
    const report::WorkCost& first = cost_of(first_);
    const report::WorkCost& other = cost_of(other_);
    const double now = first.gpu_price_usd.value_or(0);
    if (now <= 0 || other.gpu_price_usd.value_or(0) != now || first.gpus != other.gpus) {
      return;
    }
    const auto gpus = static_cast<double>(first.gpus.value_or(0));
    const double slope = gpus * (per_dollar(first_) - per_dollar(other_));
    const double beside_first = (first.total_usd - now * gpus) * per_dollar(first_);
    const double beside_other = (other.total_usd - now * gpus) * per_dollar(other_);
    const double then = slope == 0 ? -1 : (beside_other - beside_first) / slope;
    if (is_near(now, then)) {
      add("price of a GPU", now, then, "USD",
          fmt::format("a GPU costs {} in place of {}", money_text(then), money_text(now)));
    }
  }

  /// Of the step that counts, the share that is exposed in its own.
  static double exposed(const CostedFabric& own) {
    return own.fabric->run.exposed_communication.value_or(0) / own.known.mean * own.step;
  }

  /// Both steps are what they are without exposed communication, and k times what they expose.
  void communication() {
    if (first_.group == other_.group) {
      return;
    }
    const double first = exposed(first_);
    const double other = exposed(other_);
    const double slope = first_.usd_per_second * first - other_.usd_per_second * other;
    const double rest = other_.usd_per_second * (other_.step - other) - first_.usd_per_second * (first_.step - first);
    const double k = slope == 0 ? -1 : rest / slope;
    const double now = first / first_.step;
    const double then = k * first / (first_.step - first + k * first);
    if (first > 0 && k > 0 && k <= 100 && first <= first_.step && std::isfinite(then)) {
      add("exposed communication", now, then, "share",
          fmt::format("{:.1f} % of the step of {} are exposed communication in place of {:.1f} %", then * 100,
                      first_.fabric->name, now * 100));
    }
  }

  void misconfiguration() {
    const auto loss_of = [](const CostedFabric& own) {
      return own.fabric->tuning_risk ? loss_of_settings(*own.fabric->tuning_risk) : std::nullopt;
    };
    const std::optional<double> first = loss_of(first_);
    const std::optional<double> other = loss_of(other_);
    if (!first || !other || cost_of(first_).misconfiguration || cost_of(other_).misconfiguration) {
      return;
    }
    const double slope = first_.cost() * *first - other_.cost() * *other;
    const double then = slope == 0 ? -1 : (other_.cost() - first_.cost()) / slope;
    if (then > 0 && then <= 1) {
      add("probability of misconfigurations", 0, then, "share",
          fmt::format("each setting that a network needs is wrong with a probability of {:.2g} % or more (mistakes in "
                      "all settings add up to {:.1f} % of the step with {}, {:.1f} % with {})",
                      then * 100, *first * 100, first_.fabric->name, *other * 100, other_.fabric->name));
    }
  }

  struct AtSize {
    std::int64_t gpus = 0;
    double difference = 0;  // other less first, as a share of the first
  };

  void size() {
    std::vector<AtSize> all = {
        {.gpus = cost_of(first_).gpus.value_or(0), .difference = other_.cost() / first_.cost() - 1}};
    for (const report::WorkCostAtSize& own : cost_of(first_).by_size.value_or(std::vector<report::WorkCostAtSize>())) {
      for (const report::WorkCostAtSize& same :
           cost_of(other_).by_size.value_or(std::vector<report::WorkCostAtSize>())) {
        if (own.gpus == same.gpus && own.usd && same.usd && *own.usd > 0) {
          all.push_back({.gpus = own.gpus, .difference = *same.usd / *own.usd - 1});
        }
      }
    }
    std::ranges::sort(all, {}, &AtSize::gpus);
    const auto now = static_cast<double>(cost_of(first_).gpus.value_or(0));
    for (std::size_t i = 1; i < all.size(); ++i) {
      const AtSize& low = all[i - 1];
      const AtSize& high = all[i];
      if (low.gpus == high.gpus || (low.difference < 0) == (high.difference < 0)) {
        continue;
      }
      // Straight in the logarithm of the size between the two that were run.
      const double part = low.difference / (low.difference - high.difference);
      const auto ratio = static_cast<double>(high.gpus) / static_cast<double>(low.gpus);
      const double then = static_cast<double>(low.gpus) * std::pow(ratio, part);
      add("size", now, then, "GPUs",
          fmt::format("the cluster has about {:.0f} GPUs (runs on {} and {} come out differently)", then, low.gpus,
                      high.gpus));
    }
  }

  const CostedFabric& first_;
  const CostedFabric& other_;
  std::vector<report::TurningPoint> points_;
};

}  // namespace

std::vector<report::TurningPoint> turning_points_of(std::span<const CostedFabric> ranked, std::size_t tied) {
  std::vector<report::TurningPoint> all;
  bool another_family = false;
  for (std::size_t i = tied; i < ranked.size(); ++i) {
    const bool other = ranked[i].fabric->family != ranked.front().fabric->family;
    if (i > tied && (another_family || !other)) {
      continue;
    }
    another_family = another_family || other;
    std::ranges::move(Pair(ranked.front(), ranked[i]).points(), std::back_inserter(all));
  }
  return all;
}

}  // namespace weft::study::compare
