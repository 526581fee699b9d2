#include "study/compare/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/counted.h"
#include "study/compare/bill_marks.h"
#include "study/compare/quick_answer.h"
#include "study/compare/recommendation_words.h"
#include "study/compare/seconds_text.h"
#include "study/compare/work_cost.h"

namespace weft::study::compare {
namespace {

using Fabric = report::ComparedFabric;

/// Weighed excesses that differ by less decide nothing: half a per cent of the step or the cost.
constexpr double kNothing = 0.005;

double step_of(const Fabric& fabric) { return *fabric.step.mean; }

std::string interval_text(const Fabric& fabric) {
  const Estimate step = known_step(fabric);
  const std::string mean = seconds_text(step.mean);
  return step.low ? fmt::format("{} (95 %: {} to {})", mean, seconds_text(*step.low), seconds_text(*step.high)) : mean;
}

/// That and why the step of a fabric is not known, and what would narrow it.
std::string not_known_text(const Fabric& fabric) {
  const Estimate step = known_step(fabric);
  const bool wide = is_unsettled(step);
  const std::string text =
      wide ? fmt::format("How long {} takes is not known: its interval is half of its mean or wider to one side.",
                         fabric.name)
           : fmt::format(
                 "How long {} takes is not known: {} at least, but perhaps {}, as what was run shows little of "
                 "what sharing links costs.",
                 fabric.name, seconds_text(*step.low), seconds_text(*step.high));
  if (is_quick(fabric)) {
    return text + " The same command without --quick narrows it.";
  }
  return text + (wide ? " More --seeds narrow it, of a composed step a larger job.slice_hops too."
                      : " A larger job.slice_hops narrows it.");
}

/// What mistakes can cost, as a share of the step; one that stops the job counts as all of it.
std::optional<double> worst_risk(const Fabric& fabric) {
  if (!fabric.tuning_risk || fabric.tuning_risk->figures.reason) {
    return std::nullopt;
  }
  const report::RiskFigures& risk = fabric.tuning_risk->figures;
  return risk.worst_fails.value_or(false) ? 1.0 : std::clamp(risk.worst.value_or(0.0), 0.0, 1.0);
}

/// Money for what is not there yet: with Ethernet in place, its NICs alone.
std::optional<double> budget_of(const Fabric& fabric, const BuyerWeights& weights) {
  if (!fabric.cost_usd) {
    return std::nullopt;
  }
  double cost = *fabric.cost_usd;
  if (weights.name == "existing-ethernet" && fabric.family != "infiniband" && fabric.bill) {
    for (const report::BillLine& line : *fabric.bill) {
      if (line.part != "nic" && !line.owned) {
        cost -= line.price_usd;
      }
    }
  }
  return cost;
}

double gigabits(std::int64_t bits) { return static_cast<double>(bits) / 1e9; }

class Verdict {
 public:
  Verdict(std::span<const Fabric> fabrics, const BuyerWeights& weights) : weights_(weights) {
    for (const Fabric& fabric : fabrics) {
      (fabric.possible ? possible_ : impossible_).push_back(&fabric);
    }
    std::ranges::stable_sort(possible_, {}, [](const Fabric* own) { return step_of(*own); });
  }

  std::vector<report::VerdictSentence> all() {
    if (possible_.empty()) {
      return std::move(sentences_);
    }
    if (weights_.ranks()) {
      choice();
    }
    speed();
    for (std::size_t i = 1; i < possible_.size(); ++i) {
      gap(*possible_[i]);
    }
    budget();
    risk();
    for (const Fabric* own : possible_) {
      if (own->left_out) {
        say(fmt::format("{} is compared without a part of the traffic, which needs another network.", own->name),
            *own->left_out, "emerges");
      }
    }
    for (const Fabric* own : impossible_) {
      say(fmt::format("{} cannot serve this job as it is described.", own->name), own->reason.value_or(""), "emerges");
    }
    return std::move(sentences_);
  }

 private:
  void say(const std::string& text, const std::string& evidence, const std::string& origin) {
    sentences_.push_back({.text = text, .evidence = evidence, .origin = origin, .weights = weights_.name});
  }

  using Causes = std::vector<report::LostTimeCause>;

  struct Score {
    const Fabric* fabric = nullptr;
    double total = 0;
    double low = 0;  // as far as the step is known
    double high = 0;
    std::string parts;
  };

  /// By how much a step takes longer than the best. None where they are alike: that adds nothing.
  struct Slower {
    double share = 0;
    double low = 0;
    double high = 0;
  };

  [[nodiscard]] Slower slower_of(const Fabric& own) const {
    const Fabric& best = *possible_.front();
    if (&own == &best || !own.differs_from_best.value_or(true)) {
      return {};
    }
    const Estimate step = known_step(own);
    const Estimate fastest = known_step(best);
    return {.share = step.mean / fastest.mean - 1,
            .low = std::max(step.low.value_or(step.mean) / fastest.high.value_or(fastest.mean) - 1, 0.0),
            .high = step.high.value_or(step.mean) / fastest.low.value_or(fastest.mean) - 1};
  }

  /// Excess over the best in each respect, weighed and added up.
  [[nodiscard]] std::vector<Score> scores() const {
    std::optional<double> cheapest;
    std::optional<double> calmest;
    bool all_priced = true;
    bool all_tried = true;
    for (const Fabric* own : possible_) {
      const auto cost = budget_of(*own, weights_);
      const auto risk = worst_risk(*own);
      all_priced = all_priced && cost.has_value();
      all_tried = all_tried && risk.has_value();
      cheapest = cost ? std::min(cheapest.value_or(*cost), *cost) : cheapest;
      calmest = risk ? std::min(calmest.value_or(*risk), *risk) : calmest;
    }
    std::vector<Score> made;
    for (const Fabric* own : possible_) {
      const Slower slower = slower_of(*own);
      Score score{.fabric = own, .parts = fmt::format("step {:+.1f} %", slower.share * 100)};
      double certain = 0;
      if (all_priced && *cheapest > 0) {
        const double dearer = *budget_of(*own, weights_) / *cheapest - 1;
        certain += weights_.budget * dearer;
        score.parts += fmt::format(", network cost {:+.1f} %", dearer * 100);
      }
      if (all_tried) {
        const double riskier = *worst_risk(*own) - *calmest;
        certain += weights_.tuning * riskier;
        score.parts += fmt::format(", worst misconfiguration {:+.1f} %", riskier * 100);
      }
      score.total = certain + weights_.speed * slower.share;
      score.low = certain + weights_.speed * slower.low;
      score.high = certain + weights_.speed * slower.high;
      made.push_back(std::move(score));
    }
    std::ranges::stable_sort(made, {}, &Score::total);
    return made;
  }

  void choice() {
    const std::vector<Score> ranked = scores();
    if (ranked.size() < 2) {
      return;
    }
    std::string evidence;
    for (const Score& score : ranked) {
      evidence += fmt::format("{}{} {:.3f}, {:.3f} to {:.3f} ({})", evidence.empty() ? "" : "; ", score.fabric->name,
                              score.total, score.low, score.high, score.parts);
    }
    const auto describe_choice = [&](const std::string& text) {
      say(text,
          fmt::format("excess over the best in each criterion, weighted {:g} : {:g} : {:g}: {}", weights_.speed,
                      weights_.budget, weights_.tuning, evidence),
          "catalogue");
    };
    const std::string weighed = fmt::format("with the weights {} (speed {:g}, budget {:g}, tuning {:g})", weights_.name,
                                            weights_.speed, weights_.budget, weights_.tuning);
    std::vector<std::string> alike;
    bool open = false;
    for (const Score& score : ranked) {
      if (score.total - ranked.front().total < kNothing || score.low <= ranked.front().high) {
        alike.push_back(score.fabric->name);
        open = open || is_not_known(known_step(*score.fabric));
      }
    }
    if (alike.size() > 1 && open) {
      describe_choice(fmt::format("Not decided between {} {}: how long the step takes is not known of all of them.",
                                  fmt::join(alike, ", "), weighed));
    } else if (alike.size() > 1) {
      describe_choice(fmt::format("No difference between {} {}.", fmt::join(alike, ", "), weighed));
    } else {
      describe_choice(fmt::format("{} ranks first {}.", ranked[0].fabric->name, weighed));
    }
  }

  void speed() {
    const Fabric& best = *possible_.front();
    if (possible_.size() == 1) {
      say(fmt::format("{} is the only fabric that can serve this job.", best.name),
          fmt::format("step {}", interval_text(best)), "emerges");
      return;
    }
    std::vector<std::string> alike;
    bool open = false;
    for (const Fabric* own : possible_) {
      const bool is_best = own == &best;
      if (!is_best && own->differs_from_best.value_or(true)) {
        continue;
      }
      const Estimate step = known_step(*own);
      if (is_not_known(step)) {
        open = true;
        say(not_known_text(*own), fmt::format("step {}", interval_text(*own)), "emerges");
      } else if (!is_best) {
        alike.push_back(own->name);
      }
    }
    if (open && (alike.empty() || is_not_known(known_step(best)))) {
      say(fmt::format("{} has the shortest step as far as steps are known, which does not show that it is the fastest.",
                      best.name),
          fmt::format("step {}", interval_text(best)), "emerges");
    } else if (alike.empty()) {
      const std::vector<std::string> reaching = reaching_into(known_step(best));
      say(reaching.empty() ? fmt::format("{} is the fastest.", best.name)
                           : fmt::format("{} has the shortest step; the interval of {} reaches into its own.",
                                         best.name, fmt::join(reaching, ", ")),
          fmt::format("step {}", interval_text(best)), "emerges");
    } else {
      say(fmt::format("Between {} and {} there is no difference in step time: the mean of one is within the confidence "
                      "interval of the other.",
                      best.name, fmt::join(alike, ", ")),
          fmt::format("step of {} {}", best.name, interval_text(best)), "emerges");
    }
  }

  /// Which others' intervals overlap with the best's.
  [[nodiscard]] std::vector<std::string> reaching_into(const Estimate& best) const {
    std::vector<std::string> names;
    for (std::size_t i = 1; i < possible_.size(); ++i) {
      const Estimate own = known_step(*possible_[i]);
      if (own.low.value_or(own.mean) <= best.high.value_or(best.mean)) {
        names.push_back(possible_[i]->name);
      }
    }
    return names;
  }

  [[nodiscard]] static double lost_to(const Fabric& fabric, const std::string& cause) {
    for (const report::LostTimeCause& lost : fabric.lost_time.value_or(Causes())) {
      if (lost.cause == cause) {
        return lost.time;
      }
    }
    return 0;
  }

  void gap(const Fabric& fabric) {
    const Fabric& best = *possible_.front();
    if (!fabric.differs_from_best.value_or(true)) {
      return;
    }
    std::string cause;
    std::string origin = "emerges";
    double most = 0;
    for (const report::LostTimeCause& lost : fabric.lost_time.value_or(Causes())) {
      const double more = lost.time - lost_to(best, lost.cause);
      if (more > most) {
        most = more;
        cause = lost.cause;
        origin = lost.origin;
      }
    }
    const double slower = step_of(fabric) - step_of(best);
    std::string text =
        fmt::format("{} takes {:.1f} % longer than {}", fabric.name, slower / step_of(best) * 100, best.name);
    text +=
        cause.empty() ? "." : fmt::format(", {} of it for {}.", 2 * most > slower ? "most" : "the largest part", cause);
    std::string evidence = fmt::format("step {} against {}", interval_text(fabric), seconds_text(step_of(best)));
    if (cause == "serialisation at line rate" && fabric.link_rate && fabric.link_rate != best.link_rate) {
      origin = "catalogue";
      evidence += fmt::format("; links of NICs at {:g} against {:g} Gb/s", gigabits(*fabric.link_rate),
                              gigabits(best.link_rate.value_or(0)));
    }
    if (!cause.empty()) {
      evidence += fmt::format("; {} more for {}", seconds_text(most), cause);
    }
    if (fabric.run.slice_caution) {
      text += " Its step is uncertain.";
      for (const std::string& part : parts_of_caution(*fabric.run.slice_caution)) {
        evidence += part == kQuickCaution ? "" : "; " + part;  // that stands once for all of them
      }
    }
    say(text, evidence, origin);
  }

  /// "infiniband, infiniband-ar and uet".
  static std::string names(std::span<const std::string> all) {
    return all.size() < 2 ? all.front()
                          : fmt::format("{} and {}", fmt::join(all.first(all.size() - 1), ", "), all.back());
  }

  /// All whose budget is that, as far as prices tell; by name, so that the order of the question changes nothing.
  [[nodiscard]] std::vector<std::string> that_cost(double budget) const {
    std::vector<std::string> found;
    for (const Fabric* own : possible_) {
      if (std::abs(*budget_of(*own, weights_) - budget) <= 1e-3 * budget) {
        found.push_back(own->name);
      }
    }
    std::ranges::sort(found);
    return found;
  }

  [[nodiscard]] bool any_indicative() const {
    return std::ranges::any_of(possible_, [](const Fabric* own) { return has_indicative_price(*own); });
  }

  void budget() {
    const Fabric* cheapest = nullptr;
    const Fabric* dearest = nullptr;
    for (const Fabric* own : possible_) {
      const auto cost = budget_of(*own, weights_);
      if (!cost) {
        return;
      }
      cheapest = cheapest == nullptr || *cost < *budget_of(*cheapest, weights_) ? own : cheapest;
      dearest = dearest == nullptr || *cost > *budget_of(*dearest, weights_) ? own : dearest;
    }
    const double low = *budget_of(*cheapest, weights_);
    const double high = *budget_of(*dearest, weights_);
    const std::string owned =
        weights_.name == "existing-ethernet" ? ", with Ethernet switches, optics and cables already owned" : "";
    if (high <= low * 1.001) {
      say(fmt::format("All of them cost the same{}.", owned),
          fmt::format("{:.2f} M USD{}", low / 1e6, any_indicative() ? " (indicative)" : ""), "catalogue");
      return;
    }
    const std::vector<std::string> least = that_cost(low);
    const std::vector<std::string> most = that_cost(high);
    const char* const costs = least.size() == 1 ? "costs" : "cost";
    say(low > 0 ? fmt::format("{} {} least and {} most, {:.2f} times as much{}.", names(least), costs, names(most),
                              high / low, owned)
                : fmt::format("{} {} nothing and {} most{}.", names(least), costs, names(most), owned),
        fmt::format("{:.2f} against {:.2f} M USD{}", low / 1e6, high / 1e6,
                    any_indicative() ? " (indicative prices)" : ""),
        "catalogue");
  }

  void risk() {
    for (const Fabric* own : possible_) {
      if (!own->tuning_risk) {
        continue;
      }
      const report::RiskFigures& risk = own->tuning_risk->figures;
      if (risk.reason) {
        say(fmt::format("The cost of misconfiguring {} was not measured.", own->name), *risk.reason, "emerges");
        continue;
      }
      const std::string worst = *risk.worst_setting;
      if (!risk.worst_setting) {
        continue;
      }
      const auto count = std::ranges::count_if(own->tuning_risk->cases,
                                               [](const auto& mistake) { return !mistake.fault.value_or(false); });
      const std::string tried = fmt::format("{} tried", counted(count, {"misconfiguration", "misconfigurations"}));
      if (risk.worst_fails.value_or(false)) {
        say(fmt::format("With {}, the job does not finish under '{}'.", own->name, worst), tried, "emerges");
      } else if (const double loss = risk.worst.value_or(0.0); loss < 0.005) {
        say(fmt::format("No tested misconfiguration of {} costs half a per cent.", own->name),
            fmt::format("{}, worst {:.2f} % ({})", tried, loss * 100, worst), "emerges");
      } else {
        say(fmt::format("{} loses up to {:.1f} % when misconfigured, worst with '{}'.", own->name, loss * 100, worst),
            fmt::format("{}; one in each setting: {:.1f} % together", tried, risk.sum.value_or(0.0) * 100), "emerges");
      }
    }
  }

  const BuyerWeights& weights_;
  std::vector<const Fabric*> possible_;
  std::vector<const Fabric*> impossible_;
  std::vector<report::VerdictSentence> sentences_;
};

}  // namespace

std::vector<report::VerdictSentence> verdict_of(std::span<const Fabric> fabrics, const BuyerWeights& weights) {
  return Verdict(fabrics, weights).all();
}

}  // namespace weft::study::compare
