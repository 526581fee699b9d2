#include "study/compare/recommendation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "study/compare/bill_marks.h"
#include "study/compare/money_text.h"
#include "study/compare/recommendation_by_time.h"
#include "study/compare/recommendation_words.h"
#include "study/compare/seconds_text.h"
#include "study/compare/turning_points.h"
#include "study/compare/work_cost.h"

namespace weft::study::compare {
namespace {

using Fabric = report::ComparedFabric;

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

/// A figure of money that differs by less than rounding has one key, so that ties are ordered by what each costs with
/// its own step, and then by name.
std::int64_t key_of(const CostedFabric& own, double least) { return std::llround(own.cost() / least * 1e9); }

/// Money for a second of the cluster, but for a factor that all fabrics have.
double money_rate(const CostedFabric& own) {
  const report::WorkCost& cost = *own.fabric->work_cost;
  const double time = static_cast<double>(std::max<std::int64_t>(cost.years, 1)) * cost.availability;
  return cost.total_usd * (1 + cost.misconfiguration.value_or(0)) / (time > 0 ? time : 1);
}

/// Seconds for a unit of work, with that factor: of several jobs on one network all their tokens count, not those of
/// the first alone.
double time_for_unit(const CostedFabric& own) { return own.fabric->work_cost->usd / money_rate(own); }

/// Of the jobs behind the first, each with its own interval, or as wide a one as the first's.
bool are_other_jobs_alike(const CostedFabric& own, const CostedFabric& other) {
  const auto jobs_of = [](const CostedFabric& one) {
    return one.fabric->run.jobs.value_or(std::vector<report::JobStep>());
  };
  const auto known = [](const CostedFabric& one, const report::JobStep& job) {
    const double mean = one.known.mean;
    const double below = std::max((mean - one.known.low.value_or(mean)) / mean, job.interval.value_or(0));
    const double above = std::max((one.known.high.value_or(mean) - mean) / mean, job.interval.value_or(0));
    return Estimate{.mean = job.time, .low = job.time * (1 - below), .high = job.time * (1 + above)};
  };
  const auto ours = jobs_of(own);
  const auto theirs = jobs_of(other);
  for (std::size_t i = 1; i < std::min(ours.size(), theirs.size()); ++i) {
    if (!is_alike(known(own, ours[i]), known(other, theirs[i]))) {
      return false;
    }
  }
  return true;
}

/// Its step, if a unit of work takes `unit`.
double step_for(const CostedFabric& own, double unit) { return money_rate(own) * unit / own.usd_per_second; }

/// Its interval holds that step, as far as it has one.
bool may_take(const CostedFabric& own, double unit) {
  const double step = step_for(own, unit);
  return step >= own.known.low.value_or(step) && step <= own.known.high.value_or(step);
}

/// Steps that do not differ from the step of the fabric that costs least become one with it: their mean. All others
/// keep their own, so that what the recommended one saves against another depends on no third. Of a fabric whose seeds
/// are far apart, or whose step is little more than a lower bound, it is not known that it is like others; nor of one
/// whose interval is so wide that their mean would be a step that the other cannot take. Nor is anything shared where
/// that would make another fabric the cheaper one.
void share_step_of_cheapest(std::vector<CostedFabric>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].group = i;
  }
  const CostedFabric cheapest = *std::ranges::min_element(all, {}, [](const CostedFabric& own) { return own.cost(); });
  const auto is_like_it = [&](const CostedFabric& own) {
    const double mean = std::midpoint(time_for_unit(own), time_for_unit(cheapest));
    return own.group == cheapest.group ||
           (!is_not_known(own.known) && !is_not_known(cheapest.known) && is_alike(own.known, cheapest.known) &&
            are_other_jobs_alike(own, cheapest) && may_take(own, mean) && may_take(cheapest, mean));
  };
  double sum = 0;
  double count = 0;
  double least_rate = money_rate(cheapest);
  double least_of_others = std::numeric_limits<double>::infinity();
  for (const CostedFabric& own : all) {
    if (is_like_it(own)) {
      sum += time_for_unit(own);
      count += 1;
      least_rate = std::min(least_rate, money_rate(own));
    } else {
      least_of_others = std::min(least_of_others, own.cost());
    }
  }
  const double unit = sum / count;
  const bool all_may =
      std::ranges::all_of(all, [&](const CostedFabric& own) { return !is_like_it(own) || may_take(own, unit); });
  if (!all_may || least_rate * unit > least_of_others) {
    return;
  }
  for (CostedFabric& own : all) {
    if (is_like_it(own)) {
      own.step = step_for(own, unit);
      own.group = cheapest.group;
    }
  }
}

/// Between the costs of two fabrics, as a share of the second's; the ends as far as step times and prices are known.
struct Saving {
  double share = 0;
  std::optional<double> low;
  std::optional<double> high;
};

/// How many parts of the same name and price are in a bill.
std::int64_t count_in(const Fabric& fabric, const report::BillLine& line) {
  std::int64_t count = 0;
  for (const report::BillLine& own : fabric.bill.value_or(std::vector<report::BillLine>())) {
    count +=
        own.name == line.name && own.unit_price_usd == line.unit_price_usd && own.owned == line.owned ? own.count : 0;
  }
  return count;
}

/// By how much the price of a network may be off against another's: parts of the catalogue that the other does not
/// have too. What both have is off in both alike.
double price_doubt(const Fabric& own, const Fabric& other) {
  double doubt = 0;
  for (const report::BillLine& line : own.bill.value_or(std::vector<report::BillLine>())) {
    if (!line.owned && line.mark != "given") {
      const std::int64_t more = std::max<std::int64_t>(line.count - count_in(other, line), 0);
      doubt += static_cast<double>(more) * line.unit_price_usd;
    }
  }
  return doubt * own.work_cost->price_uncertainty;
}

Saving saving_of(const CostedFabric& own, const CostedFabric& other) {
  Saving saving{.share = 1 - own.cost() / other.cost(), .low = {}, .high = {}};
  if (!own.known.low || !other.known.low) {
    return saving;
  }
  const double own_doubt = price_doubt(*own.fabric, *other.fabric) / own.fabric->work_cost->total_usd;
  const double other_doubt = price_doubt(*other.fabric, *own.fabric) / other.fabric->work_cost->total_usd;
  const double own_high = own.usd_per_second * *own.known.high * (1 + own_doubt);
  const double own_low = own.usd_per_second * *own.known.low * (1 - own_doubt);
  saving.low = 1 - own_high / (other.usd_per_second * *other.known.low * (1 - other_doubt));
  saving.high = 1 - own_low / (other.usd_per_second * *other.known.high * (1 + other_doubt));
  return saving;
}

class Recommender {
 public:
  explicit Recommender(std::vector<CostedFabric> all) : ranked_(std::move(all)) {
    share_step_of_cheapest(ranked_);
    const double least = std::ranges::min_element(ranked_, {}, &CostedFabric::cost)->cost();
    std::ranges::stable_sort(ranked_, {}, [least](const CostedFabric& own) {
      return std::tuple(key_of(own, least), own.fabric->work_cost->usd, own.fabric->name);
    });
  }

  report::Recommendation make() {
    for (const CostedFabric& own : ranked_) {
      own.fabric->work_cost->to_recommended = own.cost() / best().cost();
    }
    made_.fabrics = {best().fabric->name};
    if (ranked_.size() == 1) {
      made_.kind = "only";
      made_.text = fmt::format("Only {} can serve this job: {} for {}.", best().fabric->name, money_text(best().cost()),
                               a_unit());
      made_.sure = basis();
      return std::move(made_);
    }
    find_tied();
    if (next_.empty() || !of_one_family()) {
      tie();
    } else {
      choose(saving_of_nexts());
    }
    set_next();
    made_.turning_points = turning_points_of(ranked_, made_.fabrics.size());
    return std::move(made_);
  }

 private:
  [[nodiscard]] const CostedFabric& best() const { return ranked_.front(); }
  [[nodiscard]] std::string a_unit() const { return "a " + best().fabric->work_cost->unit; }

  /// Those that cost the same as the best, and behind them the next, with all that cost exactly as much.
  void find_tied() {
    made_.fabrics.clear();
    for (const CostedFabric& own : ranked_) {
      if (1 - best().cost() / own.cost() < kSameCost) {
        made_.fabrics.push_back(own.fabric->name);
        tied_.push_back(own.fabric);
      } else if (next_.empty() || key_of(own, best().cost()) == key_of(*next_.front(), best().cost())) {
        next_.push_back(&own);
      }
    }
  }

  /// Against all that are next, whose intervals may differ.
  [[nodiscard]] Saving saving_of_nexts() const {
    Saving all = saving_of(best(), *next_.front());
    for (const CostedFabric* own : next_) {
      const Saving saving = saving_of(best(), *own);
      const bool known = all.low && saving.low;
      all.low = known ? std::optional(std::min(*all.low, *saving.low)) : std::nullopt;
      all.high = known ? std::optional(std::max(*all.high, *saving.high)) : std::nullopt;
    }
    return all;
  }

  /// Networks of one family that tie are one purchase, set up in several ways.
  [[nodiscard]] bool of_one_family() const {
    return std::ranges::all_of(tied_, [&](const Fabric* own) { return own->family == best().fabric->family; });
  }

  void set_next() {
    if (next_.empty()) {
      return;
    }
    const Saving saving = saving_of_nexts();
    made_.next = next_.front()->fabric->name;
    made_.saving = saving.share;
    made_.saving_low = saving.low;
    made_.saving_high = saving.high;
  }

  [[nodiscard]] std::string names(const char* last) const { return joined_names(made_.fabrics, last); }
  [[nodiscard]] std::string next_names(const char* last) const {
    std::vector<std::string> all;
    for (const CostedFabric* own : next_) {
      all.push_back(own->fabric->name);
    }
    return joined_names(all, last);
  }

  void choose(const Saving& saving) {
    const std::optional<std::string> caution = uncertain();
    const bool clear = saving.low && *saving.low > 0 && !caution;
    made_.kind = clear ? "clear" : "likely";
    const std::string costs = fmt::format("{} for {}, {} less than with {}, the next best", money_text(best().cost()),
                                          a_unit(), percent(saving.share), next_names(" or "));
    const std::string chosen = names(" or ");
    made_.text = clear ? fmt::format("Choose {}: {}.", chosen, costs)
                       : fmt::format("{} is likely the better choice, but not for certain: {}.", chosen, costs);
    if (tied_.size() > 1) {
      made_.text += fmt::format(" Between {} there is no difference in cost.", names(" and "));
    }
    if (std::ranges::all_of(next_, [&](const CostedFabric* own) { return own->group == best().group; })) {
      made_.text += " Their step times do not differ; the price does.";
    }
    if (saving.low) {
      const std::string low = *saving.low < 0 ? percent(-*saving.low) + " more" : percent(*saving.low) + " less";
      made_.sure = fmt::format("Within the intervals of the step times{}, it is between {} less and {}.", prices_off(),
                               percent(*saving.high), low);
    }
    if (caution) {
      made_.sure += (made_.sure.empty() ? "" : " ") + *caution;
    }
    made_.sure += (made_.sure.empty() ? "" : " ") + basis();
  }

  /// How far prices of the catalogue are taken to be off, where a network of the two has one.
  [[nodiscard]] std::string prices_off() const {
    const bool any = has_indicative_price(*best().fabric) || std::ranges::any_of(next_, [](const CostedFabric* own) {
                       return has_indicative_price(*own->fabric);
                     });
    return any ? fmt::format(", and with prices of the catalogue that are {:.0f} % off",
                             best().fabric->work_cost->price_uncertainty * 100)
               : std::string();
  }

  void tie() {
    made_.kind = "tie";
    double most = 0;
    for (std::size_t i = 0; i < tied_.size(); ++i) {
      most = ranked_[i].cost();
    }
    made_.text = fmt::format("Nothing decides between {}: {} for {}, within {} of one another.", names(" and "),
                             money_text(best().cost()), a_unit(), percent(most / best().cost() - 1));
    if (!next_.empty()) {
      made_.text += fmt::format(" {}, the next, {} {} more.", next_names(" and "), next_.size() == 1 ? "costs" : "cost",
                                percent(next_.front()->cost() / best().cost() - 1));
    }
    made_.choose_by = differences(tied_);
    if (!made_.choose_by.empty()) {
      made_.text += " Choose by what they differ in.";
    }
    const std::optional<std::string> caution = uncertain();
    made_.sure = (caution ? *caution + " " : "") + basis();
  }

  /// Why the interval may not hold, of the two that the choice is between.
  [[nodiscard]] std::optional<std::string> uncertain() const {
    std::vector<const Fabric*> compared = {best().fabric};
    std::ranges::transform(next_, std::back_inserter(compared), &CostedFabric::fabric);
    return caution_of(compared);
  }

  /// What the money is made of, and what it leaves out.
  [[nodiscard]] std::string basis() const {
    const report::WorkCost& cost = *best().fabric->work_cost;
    const std::string shared = shared_step();
    std::string text = fmt::format("Over {} years{}", cost.years, cost.years_assumed ? " (assumed)" : "");
    const double beside = cost.hosts_usd.value_or(0) + cost.gpus_usd.value_or(0);
    text += beside > 0 ? fmt::format(", of which hosts and GPUs are {:.0f} % and the network {:.0f} %",
                                     beside / cost.total_usd * 100, cost.network_usd / cost.total_usd * 100)
                       : "";
    text += fmt::format("; {}.", prices_text(cost));
    std::vector<std::string> missing;
    for (const std::string& own : cost.not_counted) {
      missing.push_back(own.substr(0, own.find(':')));
    }
    return shared + text + (missing.empty() ? "" : fmt::format(" Not counted: {}.", fmt::join(missing, ", ")));
  }

  /// Which step the recommended one's cost is of, where that is not its own.
  [[nodiscard]] std::string shared_step() const {
    std::vector<std::string> alike;
    for (const CostedFabric& own : ranked_) {
      if (own.group == best().group) {
        alike.push_back(own.fabric->name);
      }
    }
    return alike.size() < 2
               ? std::string()
               : fmt::format("The steps of {} do not differ, so each costs what the mean of them makes, {}. ",
                             fmt::join(alike, ", "), seconds_text(best().step));
  }

  struct Difference {
    const char* what;
    std::optional<double> (*figure)(const Fabric&);
    std::string (*words)(double);
  };

  static std::vector<std::string> differences(const std::vector<const Fabric*>& tied) {
    const std::vector<Difference> all = {
        {"price of the network", [](const Fabric& own) { return std::optional(own.work_cost->network_usd); },
         [](double value) { return fmt::format("{:.2f} M USD", value / 1e6); }},
        {"power of the network", [](const Fabric& own) { return own.power; },
         [](double value) { return fmt::format("{:.1f} kW", value / 1e3); }},
        {"settings to get right",
         [](const Fabric& own) {
           return own.settings ? std::optional(static_cast<double>(own.settings->count)) : std::nullopt;
         },
         [](double value) { return fmt::format("{:.0f}", value); }},
        {"worst misconfiguration",
         [](const Fabric& own) { return own.tuning_risk ? own.tuning_risk->figures.worst : std::nullopt; }, percent},
        {"latency of a small message",
         [](const Fabric& own) { return own.small_message ? own.small_message->idle : std::nullopt; },
         [](double value) { return fmt::format("{:.2f} us", value); }}};
    std::vector<std::string> made;
    for (const Difference& difference : all) {
      std::vector<std::string> each;
      std::optional<double> least;
      std::optional<double> most;
      for (const Fabric* own : tied) {
        if (const std::optional<double> value = difference.figure(*own)) {
          least = std::min(least.value_or(*value), *value);
          most = std::max(most.value_or(*value), *value);
          each.push_back(fmt::format("{} {}", own->name, difference.words(*value)));
        }
      }
      if (each.size() == tied.size() && *most - *least > 0.01 * *most) {
        made.push_back(fmt::format("{}: {}", difference.what, fmt::join(each, ", ")));
      }
    }
    return made;
  }

  std::vector<CostedFabric> ranked_;
  std::vector<const Fabric*> tied_;
  std::vector<const CostedFabric*> next_;  // the first, and all that cost exactly as much
  report::Recommendation made_;
};

}  // namespace

report::Maybe<report::Recommendation> recommend(std::span<report::ComparedFabric> fabrics) {
  std::vector<CostedFabric> all;
  std::vector<const Fabric*> possible;
  bool priced = true;
  for (report::ComparedFabric& fabric : fabrics) {
    if (!fabric.possible) {
      continue;
    }
    const Estimate known = known_step(fabric);
    if (!fabric.work_cost || known.mean <= 0) {
      return report::Recommendation{
          .kind = "none",
          .text = fmt::format("No recommendation: what the work costs with {} is not known.", fabric.name)};
    }
    priced = priced && fabric.work_cost->usd > 0;
    possible.push_back(&fabric);
    all.push_back({.fabric = &fabric,
                   .usd_per_second = fabric.work_cost->usd / known.mean,
                   .known = known,
                   .step = known.mean,
                   .group = 0});
  }
  if (all.empty()) {
    return std::nullopt;
  }
  return priced ? Recommender(std::move(all)).make() : recommend_by_time(possible);
}

}  // namespace weft::study::compare
