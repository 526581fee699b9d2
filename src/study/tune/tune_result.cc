#include "study/tune/tune_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/counted.h"
#include "base/text_table.h"

namespace weft::study::tune {
namespace {

using Json = nlohmann::ordered_json;
using sweep::Importance;
using sweep::mean_of_seeds;

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

double best_mean(const TuneResult& result) { return result.best.empty() ? 0 : mean_of_seeds(result.best).mean; }

Importance importance(const TuneResult& result, const TunedKey& key) {
  return key.effect ? importance_of(*key.effect, result.sample_mean, result.tolerance) : Importance::kNotKnown;
}

std::string cost_text(const TuneResult& result, const Mistake& mistake) {
  if (!mistake.reason.empty()) {
    return "not possible";
  }
  const double best = std::abs(best_mean(result));
  if (best == 0 || !mistake.cost.interval) {
    return "";
  }
  const sweep::Interval& range = *mistake.cost.interval;
  return fmt::format("{:+.1f} % ({:+.1f} to {:+.1f}){}", mistake.cost.mean / best * 100, range.low / best * 100,
                     range.high / best * 100, mistake.keeps_limits ? "" : ", a limit NOT KEPT");
}

bool best_keeps_limits(const TuneResult& result) {
  return std::ranges::all_of(result.limits,
                             [](const LimitState& own) { return own.best && own.limit.holds(*own.best); });
}

/// A mistake in the key alone breaks a limit that the best keeps.
bool decides_limits(const TuneResult& result, const TunedKey& key) {
  const auto breaks = [](const Mistake& own) { return !own.keeps_limits; };
  return best_keeps_limits(result) && (std::ranges::any_of(key.near, breaks) || std::ranges::any_of(key.far, breaks));
}

std::string matters_text(const TuneResult& result, const TunedKey& key) {
  const Importance own = importance(result, key);
  if (decides_limits(result, key)) {
    return own == Importance::kMatters ? "yes, and for a limit" : "for a limit";
  }
  if (own == Importance::kMatters) {
    return forgives(result, key) ? "with other settings than found" : "yes";
  }
  return own == Importance::kDoesNot ? "no" : "not known";
}

bool only_best_keeps_limits(const TuneResult& result) {
  const auto breaks = [](const LimitState& own) { return own.start && !own.limit.holds(*own.start); };
  return std::ranges::any_of(result.limits, breaks) && best_keeps_limits(result);
}

const Mistake* worst(const std::vector<Mistake>& mistakes) {
  const Mistake* found = nullptr;
  for (const Mistake& own : mistakes) {
    found = found == nullptr || (own.reason.empty() && own.cost.mean > found->cost.mean) ? &own : found;
  }
  return found;
}

class Writer {
 public:
  Writer(const TuneResult& result, LineWidth width) : result_(result), width_(width) {}

  std::string take() {
    heading();
    if (result_.best.empty()) {
      return std::move(text_);
    }
    answer();
    settings();
    mistakes();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) {
    text_ += width_ ? paragraph(text, {.rest = 2, .columns = *width_}) : text + "\n";
  }

  [[nodiscard]] std::string figure(const sweep::SeedValues& values) const {
    const sweep::MeanOfSeeds own = mean_of_seeds(values);
    const sweep::Unit unit = result_.measure.kind->unit;
    const std::string mean = value_text(unit, own.mean);
    return own.interval ? fmt::format("{} ({} to {})", mean, value_text(unit, own.interval->low),
                                      value_text(unit, own.interval->high))
                        : mean;
  }

  void heading() {
    line(fmt::format("{}: settings for {} ({}; {} is better), {}, {}, {}; fidelity: {}", result_.file,
                     result_.measure.name(), result_.measure.kind->about,
                     result_.measure.kind->better == sweep::Better::kLower ? "lower" : "higher",
                     counted(result_.keys.size(), {"key", "keys"}), counted(result_.evaluations, {"point", "points"}),
                     counted(result_.runs, {"run", "runs"}), fmt::join(result_.levels, "; ")));
    if (!result_.chance.empty()) {
      line(result_.chance);
    }
    if (!result_.passed_over.empty()) {
      line(fmt::format("do nothing in this scenario: {}", fmt::join(result_.passed_over, ", ")));
    }
    if (result_.interrupted) {
      line("PARTIAL: interrupted before the search was over");
    }
  }

  [[nodiscard]] std::string gain_text() const {
    const double start = std::abs(mean_of_seeds(result_.start).mean);
    if (start == 0 || !result_.gain.interval) {
      return "";
    }
    const sweep::Interval& range = *result_.gain.interval;
    const bool worse = result_.gain.mean < 0;
    const double sign = worse ? -1 : 1;
    return fmt::format("{:.1f} % {} ({:.1f} to {:.1f} % over {} seeds)", std::abs(result_.gain.mean) / start * 100,
                       worse ? "worse" : "better", sign * (worse ? range.high : range.low) / start * 100,
                       sign * (worse ? range.low : range.high) / start * 100,
                       std::min(result_.start.size(), result_.best.size()));
  }

  void answer() {
    const Outcome outcome = outcome_of(result_);
    text_ += '\n';
    if (!result_.start.empty()) {
      line(fmt::format("as it is: {}", figure(result_.start)));
    }
    line(fmt::format("found:    {}", figure(result_.best)));
    switch (outcome) {
      case Outcome::kBetter:
        line("gain:     " + (result_.start.empty() ? "the scenario as it is cannot be held against it" : gain_text()));
        break;
      case Outcome::kKeepsLimits:
        line("The scenario as it is does not keep the limits, and what was found does.");
        break;
      case Outcome::kLimitsNotKept:
        line(fmt::format("Nothing that was tried keeps the limits. What was found comes nearest to them{}",
                         gain_text().empty() ? "." : "; the figure is " + gain_text()));
        break;
      case Outcome::kStartIsGood:
        line(fmt::format("The scenario is within {} of the best found: leave it as it is. {}",
                         percent(result_.tolerance), gain_text()));
        break;
      case Outcome::kNothing:
        line(fmt::format("Nothing matters here: no key changes the figure by {} or more. Leave the scenario as it is.",
                         percent(result_.tolerance)));
        break;
      case Outcome::kNotKnown:
        line("gain:     not certain; " + gain_text());
        break;
    }
    for (const LimitState& own : result_.limits) {
      const sweep::Unit unit = own.limit.measure.kind->unit;
      const auto text = [&](const std::optional<double>& value) { return value ? value_text(unit, *value) : "none"; };
      line(fmt::format("limit {} {} {}: {} as it is, {} found{}", own.limit.measure.name(),
                       own.limit.measure.kind->better == sweep::Better::kLower ? "at most" : "at least",
                       value_text(unit, own.limit.most), text(own.start), text(own.best),
                       own.best && own.limit.holds(*own.best) ? "" : ", NOT KEPT"));
    }
    if (result_.broken) {
      broken(*result_.broken);
    }
    if (outcome != Outcome::kStartIsGood && outcome != Outcome::kNothing) {
      line("  " + result_.command);
    }
  }

  void broken(const WithBrokenCable& own) {
    if (!own.reason.empty()) {
      line(fmt::format("with the cable of {} broken: not known; {}", own.port, own.reason));
      return;
    }
    line(fmt::format("with the cable of {} broken: {} as it is, {} found{}", own.port, figure(own.start),
                     figure(own.best),
                     own.gain.interval && own.gain.interval->high < 0 ? "; found for a network that is whole" : ""));
  }

  void settings() {
    text_ += '\n';
    TextTable table({{.heading = "key", .gap = 0, .wraps = true},
                     {.heading = "as it is", .align = TextTable::Align::kRight},
                     {.heading = "found", .align = TextTable::Align::kRight},
                     {.heading = "effect over its range", .align = TextTable::Align::kRight, .rank = 1},
                     {.heading = "variance", .align = TextTable::Align::kRight, .rank = 2},
                     {.heading = "matters", .rank = 1}},
                    width_);
    for (const TunedKey& key : result_.keys) {
      const double mean = std::abs(result_.sample_mean);
      table.add({key.tunable.factor.key, key.start, key.best,
                 key.effect && mean > 0
                     ? fmt::format("{}{}", percent(key.effect->span / mean),
                                   key.effect->interval
                                       ? fmt::format(" ({:.1f} to {:.1f})", key.effect->interval->low / mean * 100,
                                                     key.effect->interval->high / mean * 100)
                                       : std::string())
                     : "not known",
                 key.effect ? percent(key.effect->share) : "", matters_text(result_, key)});
    }
    text_ += table.text();
    why_not_known();
  }

  void why_not_known() {
    const auto is_open = [this](const TunedKey& key) { return matters_text(result_, key) == "not known"; };
    if (std::ranges::none_of(result_.keys, is_open)) {
      return;
    }
    if (!result_.no_effects.empty()) {
      line(fmt::format("not known: {}", result_.no_effects));
    } else {
      line(fmt::format(
          "not known: the interval of the effect reaches both above and below {} of the figure; more --runs "
          "or --seeds narrow it",
          percent(result_.tolerance)));
    }
  }

  void mistakes() {
    if (std::ranges::all_of(result_.keys, [](const TunedKey& key) { return key.near.empty() && key.far.empty(); })) {
      return;
    }
    text_ += '\n';
    line("a mistake in one key, the others as found (interval over the seeds of both):");
    TextTable table({{.heading = "key", .gap = 0, .wraps = true},
                     {.heading = "set to"},
                     {.heading = "costs", .align = TextTable::Align::kRight}},
                    width_);
    for (const TunedKey& key : result_.keys) {
      for (const std::vector<Mistake>* list : {&key.near, &key.far}) {
        for (const Mistake& own : *list) {
          table.add({key.tunable.factor.key, own.value, cost_text(result_, own)});
        }
      }
    }
    text_ += table.text();
  }

  const TuneResult& result_;
  LineWidth width_;
  std::string text_;
};

Json json_of(const sweep::Difference& own) {
  Json made{{"mean", own.mean}};
  if (own.interval) {
    made["low"] = own.interval->low;
    made["high"] = own.interval->high;
  }
  return made;
}

Json json_of(const Mistake& own) {
  Json made{{"value", own.value}};
  if (own.reason.empty()) {
    made["cost"] = json_of(own.cost);
    made["keeps_limits"] = own.keeps_limits;
  } else {
    made["reason"] = own.reason;
  }
  return made;
}

Json json_of(const sweep::SeedValues& values) {
  Json made{{"seeds", values}};
  if (!values.empty()) {
    const sweep::MeanOfSeeds own = mean_of_seeds(values);
    made["mean"] = own.mean;
    if (own.interval) {
      made["low"] = own.interval->low;
      made["high"] = own.interval->high;
    }
  }
  return made;
}

std::string_view word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kBetter:
      return "better";
    case Outcome::kKeepsLimits:
      return "keeps-limits";
    case Outcome::kLimitsNotKept:
      return "limits-not-kept";
    case Outcome::kStartIsGood:
      return "start-is-good";
    case Outcome::kNothing:
      return "nothing-matters";
    case Outcome::kNotKnown:
      break;
  }
  return "not-known";
}

Json json_of(const TuneResult& result, const TunedKey& key) {
  const sweep::Factor& factor = key.tunable.factor;
  Json made{{"key", factor.key}};
  if (factor.range) {
    made["from"] = value_at(factor, -1);
    made["to"] = value_at(factor, 1);
  } else {
    made["values"] = factor.levels;
  }
  made["source"] = key.tunable.source;
  made["start"] = key.start;
  made["best"] = key.best;
  if (key.effect) {
    made["effect"] = key.effect->span;
    made["variance_share"] = key.effect->share;
  }
  const Importance own = importance(result, key);
  made["matters"] = own == Importance::kMatters ? "yes" : own == Importance::kDoesNot ? "no" : "not-known";
  made["matters_as_found"] = !forgives(result, key);
  made["decides_limits"] = decides_limits(result, key);
  Json& near = made["neighbours"] = Json::array();
  for (const Mistake& mistake : key.near) {
    near.push_back(json_of(mistake));
  }
  Json& far = made[factor.range ? "ends" : "others"] = Json::array();
  for (const Mistake& mistake : key.far) {
    far.push_back(json_of(mistake));
  }
  return made;
}

/// Without limits.
Outcome outcome_of_figure(const TuneResult& result) {
  const bool nothing = !result.keys.empty() && std::ranges::all_of(result.keys, [&](const TunedKey& key) {
    const Mistake* const far = worst(key.far);
    const bool small_mistakes = far == nullptr || far->cost.mean <= result.tolerance * std::abs(best_mean(result));
    return small_mistakes && importance(result, key) == Importance::kDoesNot;
  });
  if (nothing) {
    return Outcome::kNothing;
  }
  if (result.start.empty()) {
    return result.best.empty() ? Outcome::kNotKnown : Outcome::kBetter;
  }
  const double small = result.tolerance * std::abs(mean_of_seeds(result.start).mean);
  if (!result.gain.interval) {
    return Outcome::kNotKnown;
  }
  if (result.gain.interval->high <= small) {
    return Outcome::kStartIsGood;
  }
  return result.gain.interval->low > 0 ? Outcome::kBetter : Outcome::kNotKnown;
}

}  // namespace

Outcome outcome_of(const TuneResult& result) {
  const auto start_breaks = [](const LimitState& own) { return !own.start || !own.limit.holds(*own.start); };
  if (!result.best.empty() && !best_keeps_limits(result) && std::ranges::any_of(result.limits, start_breaks)) {
    return Outcome::kLimitsNotKept;
  }
  const Outcome of_figure = outcome_of_figure(result);
  return of_figure != Outcome::kBetter && only_best_keeps_limits(result) ? Outcome::kKeepsLimits : of_figure;
}

bool forgives(const TuneResult& result, const TunedKey& key) {
  const double small = result.tolerance * std::abs(best_mean(result));
  bool any = false;
  for (const std::vector<Mistake>* list : {&key.near, &key.far}) {
    for (const Mistake& own : *list) {
      any = true;
      if (!own.reason.empty() || own.cost.mean > small || !own.keeps_limits) {
        return false;
      }
    }
  }
  return any;
}

std::string tune_text(const TuneResult& result, LineWidth width) { return Writer(result, width).take(); }

Json tune_json(const TuneResult& result) {
  Json made{{"weft", result.version},
            {"scenario", result.file},
            {"figure", result.measure.name()},
            {"unit", unit_name(result.measure.kind->unit)},
            {"outcome", word_of(outcome_of(result))},
            {"start", json_of(result.start)},
            {"best", json_of(result.best)},
            {"gain", json_of(result.gain)},
            {"settings", result.settings},
            {"command", result.command},
            {"points", result.evaluations},
            {"runs", result.runs},
            {"complete", !result.interrupted},
            {"fidelity", result.levels},
            {"passed_over", result.passed_over},
            {"no_effects", result.no_effects},
            {"keys", Json::array()},
            {"limits", Json::array()}};
  for (const TunedKey& key : result.keys) {
    made["keys"].push_back(json_of(result, key));
  }
  if (result.broken) {
    const WithBrokenCable& own = *result.broken;
    Json broken{{"port", own.port}};
    if (own.reason.empty()) {
      broken["start"] = json_of(own.start);
      broken["best"] = json_of(own.best);
      broken["gain"] = json_of(own.gain);
    } else {
      broken["reason"] = own.reason;
    }
    made["broken_cable"] = std::move(broken);
  }
  for (const LimitState& own : result.limits) {
    Json limit{{"figure", own.limit.measure.name()}, {"limit", own.limit.most}};
    if (own.start) {
      limit["start"] = *own.start;
    }
    if (own.best) {
      limit["best"] = *own.best;
      limit["kept"] = own.limit.holds(*own.best);
    }
    made["limits"].push_back(std::move(limit));
  }
  return made;
}

}  // namespace weft::study::tune
