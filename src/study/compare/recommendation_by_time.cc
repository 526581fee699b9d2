#include "study/compare/recommendation_by_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/assert.h"
#include "study/compare/estimate.h"
#include "study/compare/recommendation_words.h"
#include "study/compare/seconds_text.h"
#include "study/compare/work_cost.h"

namespace weft::study::compare {
namespace {

constexpr const char* kWhatToSet =
    "To decide by money set prices: of the network (switch.price, nic.price, cabling.*), and of the time that it takes "
    "(gpu.price, host.price, cost.energy_price).";

bool costs_nothing(const report::ComparedFabric* own) { return own->work_cost->usd <= 0; }

class TimeRecommender {
 public:
  explicit TimeRecommender(std::span<const report::ComparedFabric* const> possible)
      : ranked_(possible.begin(), possible.end()) {
    std::ranges::stable_sort(ranked_, {}, [](const report::ComparedFabric* own) { return known_step(*own).mean; });
    all_free_ = std::ranges::all_of(ranked_, costs_nothing);
    for (const report::ComparedFabric* own : ranked_) {
      (is_like_fastest(*own) ? fastest_ : slower_).push_back(own);
    }
  }

  report::Recommendation make() {
    std::vector<const report::ComparedFabric*> chosen;
    std::ranges::copy_if(fastest_, std::back_inserter(chosen), costs_nothing);
    if (chosen.empty()) {
      return none();
    }
    made_.fabrics = names_of(chosen);
    made_.sure = kWhatToSet;
    const std::string why =
        all_free_ ? "Nothing that is counted has a price, so time decides."
                  : fmt::format("{} by the prices of this scenario, and no other is known to be faster.",
                                names(" and ") + (chosen.size() == 1 ? " costs nothing" : " cost nothing"));
    if (ranked_.size() == 1) {
      made_.kind = "only";
      made_.text = fmt::format("Only {} can serve this job; nothing that is counted has a price.", names(" and "));
      return std::move(made_);
    }
    if (chosen.size() > 1 && (slower_.empty() || !of_one_family(chosen))) {
      made_.kind = "tie";
      made_.text = fmt::format("{} Nothing decides between {}: their {}s do not differ, {}.", why, names(" and "),
                               unit(), time_of(*chosen.front()));
      if (!slower_.empty()) {
        made_.next = slower_.front()->name;
        made_.text += fmt::format(" {}, the next, takes {}.", *made_.next, time_of(*slower_.front()));
      }
      return std::move(made_);
    }
    choose(chosen, why);
    return std::move(made_);
  }

 private:
  [[nodiscard]] const report::ComparedFabric& best() const { return *ranked_.front(); }
  [[nodiscard]] const char* unit() const { return best().work_cost->unit == "million runs" ? "run" : "step"; }
  [[nodiscard]] std::string names(const char* last) const { return joined_names(made_.fabrics, last); }
  static std::string time_of(const report::ComparedFabric& own) { return seconds_text(known_step(own).mean); }

  [[nodiscard]] bool is_like_fastest(const report::ComparedFabric& own) const {
    const Estimate step = known_step(own);
    const Estimate fastest = known_step(best());
    return &own == &best() || step.mean <= fastest.mean ||
           (!is_not_known(step) && !is_not_known(fastest) && is_alike(step, fastest));
  }

  static std::vector<std::string> names_of(const std::vector<const report::ComparedFabric*>& fabrics) {
    std::vector<std::string> made;
    for (const report::ComparedFabric* own : fabrics) {
      made.push_back(own->name);
    }
    return made;
  }

  static bool of_one_family(const std::vector<const report::ComparedFabric*>& fabrics) {
    return std::ranges::all_of(fabrics, [&](const auto* own) { return own->family == fabrics.front()->family; });
  }

  /// The free network is slower, and what the time is worth is not known.
  report::Recommendation none() {
    const auto free = std::ranges::find_if(ranked_, costs_nothing);
    WEFT_ASSERT(free != ranked_.end());
    const report::ComparedFabric& own = **free;
    made_.kind = "none";
    made_.text = fmt::format(
        "No recommendation: the work costs nothing with {} by the prices of this scenario, however long it takes, and "
        "its {} takes {}, {:.1f} % longer than with {}.",
        own.name, unit(), time_of(own), (known_step(own).mean / known_step(best()).mean - 1) * 100, best().name);
    made_.sure = kWhatToSet;
    return std::move(made_);
  }

  /// Clear only if it holds at the ends of both intervals.
  [[nodiscard]] bool is_clear(const std::optional<std::string>& caution) const {
    const Estimate own = known_step(best());
    const auto certain = [&](const report::ComparedFabric* other) {
      const Estimate step = known_step(*other);
      return own.high && step.low && *own.high < *step.low;
    };
    return !caution && std::ranges::all_of(slower_, certain);
  }

  void choose(const std::vector<const report::ComparedFabric*>& chosen, const std::string& why) {
    std::vector<const report::ComparedFabric*> compared = {chosen.front()};
    std::string against;
    if (!slower_.empty()) {
      const report::ComparedFabric& next = *slower_.front();
      compared.push_back(&next);
      made_.next = next.name;
      against = fmt::format(", {:.1f} % less than with {}, the next",
                            (1 - known_step(*chosen.front()).mean / known_step(next).mean) * 100, next.name);
    }
    const std::optional<std::string> caution = caution_of(compared);
    const bool clear = is_clear(caution);
    made_.kind = clear ? "clear" : "likely";
    const std::string times = fmt::format("{} for a {}{}", time_of(*chosen.front()), unit(), against);
    made_.text =
        clear ? fmt::format("{} Choose {}: {}.", why, names(" or "), times)
              : fmt::format("{} {} is likely the better choice, but not for certain: {}.", why, names(" or "), times);
    made_.sure = (caution ? *caution + " " : "") + made_.sure;
  }

  std::vector<const report::ComparedFabric*> ranked_;   // by step
  std::vector<const report::ComparedFabric*> fastest_;  // those whose step is not known to be longer
  std::vector<const report::ComparedFabric*> slower_;
  bool all_free_ = false;
  report::Recommendation made_;
};

}  // namespace

report::Recommendation recommend_by_time(std::span<const report::ComparedFabric* const> possible) {
  return TimeRecommender(possible).make();
}

}  // namespace weft::study::compare
