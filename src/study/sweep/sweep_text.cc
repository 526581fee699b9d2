#include "study/sweep/sweep_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "base/text_table.h"

namespace weft::study::sweep {
namespace {

using Column = TextTable::Column;

Column right(std::string heading, std::uint8_t rank = 0) {
  return {.heading = std::move(heading), .align = TextTable::Align::kRight, .rank = rank};
}

std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string percent_range(const Interval& own) {
  return fmt::format("{:.1f} to {:.1f} %", own.low * 100, own.high * 100);
}

class Writer {
 public:
  Writer(const SweepResult& result, LineWidth width)
      : result_(result), width_(width), names_(short_names(result.design.factors)) {}

  std::string take() {
    heading();
    for (std::size_t i = 0; i < result_.figures.size(); ++i) {
      figure(result_.figures[i], i == 0);
    }
    refusals();
    return std::move(text_);
  }

 private:
  void line(const std::string& text) {
    text_ += width_ ? paragraph(text, {.rest = 2, .columns = *width_}) : text + "\n";
  }

  [[nodiscard]] std::string seeds_text() const {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    std::size_t most = 0;
    for (const SeedValues& own : result_.figures.front().values) {
      least = own.empty() ? least : std::min(least, own.size());
      most = std::max(most, own.size());
    }
    return least >= most ? counted(most, {"seed", "seeds"}) : fmt::format("{} to {} seeds", least, most);
  }

  void heading() {
    const bool grid = result_.design.kind == Design::Kind::kGrid;
    line(fmt::format("{}: {} of {}, {}, {} each from seed {} on, {}; fidelity: {}", result_.file,
                     counted(result_.points.size(), {"point", "points"}), counted(names_.size(), {"key", "keys"}),
                     grid ? "a grid" : "a Latin hypercube", seeds_text(), result_.first_seed,
                     counted(result_.runs, {"run", "runs"}), fmt::join(result_.levels, "; ")));
    if (!result_.chance.empty()) {
      line(result_.chance);
    }
    if (result_.interrupted) {
      line("PARTIAL: interrupted before all runs were made");
    }
  }

  void figure(const SweptFigure& own, bool with_best) {
    const MeasureKind& kind = *own.measure.kind;
    text_ += '\n';
    line(fmt::format("{}: {}; {} is better", own.measure.name(), kind.about,
                     kind.better == Better::kLower ? "lower" : "higher"));
    points(own);
    if (with_best) {
      best(own);
    }
    effects(own);
  }

  void points(const SweptFigure& own) {
    const Unit unit = own.measure.kind->unit;
    const std::vector<std::size_t> order = ranked(own.values, own.measure.kind->better);
    if (order.empty()) {
      return;
    }
    TextTable table({{.heading = "point", .gap = 0, .wraps = true},
                     right(own.measure.name()),
                     right("95 % interval", 2),
                     right("seeds", 3),
                     right("against the best", 1)},
                    width_);
    StopRule rule = result_.rule;
    rule.better = own.measure.kind->better;
    for (std::size_t i = 0; i < std::min(order.size(), kListedPoints); ++i) {
      const SeedValues& values = own.values[order[i]];
      const MeanOfSeeds mean = mean_of_seeds(values);
      table.add({result_.points[order[i]].name, value_text(unit, mean.mean),
                 mean.interval ? fmt::format("{} to {}", value_text(unit, mean.interval->low),
                                             value_text(unit, mean.interval->high))
                               : "one seed",
                 fmt::format("{}", values.size()), i == 0 ? "" : against_best(own, order, order[i], rule)});
    }
    if (order.size() > kListedPoints) {
      table.add_span(fmt::format("and {} more; --csv and --json have all", order.size() - kListedPoints));
    }
    text_ += table.text();
  }

  /// Over the seeds that both have.
  [[nodiscard]] static std::string against_best(const SweptFigure& own, const std::vector<std::size_t>& order,
                                                std::size_t point, const StopRule& rule) {
    const Difference apart = difference_of(
        {.first = own.values[order.front()], .second = own.values[point], .comparisons = order.size() - 1}, rule);
    const double best = std::abs(mean_of_seeds(own.values[order.front()]).mean);
    std::string text = best > 0 ? percent(apart.mean / best) + " worse" : "";
    if (best > 0 && apart.interval) {
      text += fmt::format(" ({:.1f} to {:.1f})", apart.interval->low / best * 100, apart.interval->high / best * 100);
    }
    switch (apart.standing) {
      case Standing::kWorse:
        return text;
      case Standing::kSame:
        return "no difference";
      case Standing::kNotKnown:
        break;
    }
    return text + ", not certain";
  }

  void best(const SweptFigure& own) {
    if (own.best.alike.empty()) {
      return;
    }
    line(fmt::format("best: {}", result_.points[own.best.alike.front()].name));
    line("  " + result_.points[own.best.alike.front()].command);
    if (own.best.alike.size() > 1) {
      line(fmt::format("alike (within {} of it): {}", percent(result_.rule.same), listed(own.best.alike, 1)));
    }
    if (!own.best.not_known.empty()) {
      line(fmt::format("not known to be worse with these seeds: {}", listed(own.best.not_known, 0)));
    }
  }

  [[nodiscard]] std::string listed(const std::vector<std::size_t>& points, std::size_t from) const {
    constexpr std::size_t kMost = 5;
    std::vector<std::string> names;
    for (std::size_t i = from; i < std::min(points.size(), from + kMost); ++i) {
      names.push_back(result_.points[points[i]].name);
    }
    const std::size_t left = points.size() - from - names.size();
    return fmt::format("{}{}", fmt::join(names, "; "), left > 0 ? fmt::format("; and {} more", left) : "");
  }

  void effects(const SweptFigure& own) {
    if (!own.effects) {
      line("effects: " + own.no_effects);
      return;
    }
    const Effects& all = *own.effects;
    const Unit unit = own.measure.kind->unit;
    const bool variance = all.method == Effects::Method::kAnalysisOfVariance;
    text_ += '\n';
    line(fmt::format("effects on {}, whose mean is {}: highest less lowest, {} over {} and {}", own.measure.name(),
                     value_text(unit, all.mean),
                     variance        ? "analysis of variance"
                     : all.quadratic ? "a fit of second degree"
                                     : "a linear fit",
                     counted(all.points, {"point", "points"}), counted(all.seeds, {"seed", "seeds"})));
    table(own, all.main, "key");
    if (!all.pairs.empty()) {
      std::vector<Effect> shown = all.pairs;
      std::ranges::stable_sort(shown, std::greater(), &Effect::share);
      constexpr std::size_t kMost = 10;
      shown.resize(std::min(shown.size(), kMost));
      text_ += '\n';
      table(own, shown, "interaction of");
      if (all.pairs.size() > kMost) {
        line(fmt::format("and {} smaller ones", all.pairs.size() - kMost));
      }
    } else if (all.pairs_left_out) {
      line("interactions: too few points to tell them apart");
    }
    if (all.rest > 0.001) {
      line(fmt::format("{} of the variance between points is in none of these", percent(all.rest)));
    }
    verdicts(all);
  }

  [[nodiscard]] std::string name_of(const Effect& effect) const {
    return effect.second ? fmt::format("{} and {}", names_[effect.first], names_[*effect.second])
                         : names_[effect.first];
  }

  [[nodiscard]] std::string at(const Effect& effect, const std::vector<double>& places) const {
    const std::string first = place_text(result_.design.factors[effect.first], places[0]);
    return effect.second ? fmt::format("{}, {}", first, place_text(result_.design.factors[*effect.second], places[1]))
                         : first;
  }

  void table(const SweptFigure& own, const std::vector<Effect>& rows, const std::string& heading) {
    const Unit unit = own.measure.kind->unit;
    const double mean = std::abs(own.effects->mean);
    TextTable table({{.heading = heading, .gap = 0, .wraps = true},
                     right("effect"),
                     right("of the mean"),
                     right("95 % interval", 1),
                     right("lowest at", 2),
                     right("highest at", 3),
                     right("variance", 4),
                     right("95 % interval of it", 5)},
                    width_);
    for (const Effect& effect : rows) {
      const auto relative = [mean](const Interval& range) {
        return percent_range({.low = range.low / mean, .high = range.high / mean});
      };
      const bool ends = effect.has_ends(mean);
      table.add({name_of(effect), value_text(unit, effect.span), mean > 0 ? percent(effect.span / mean) : "",
                 effect.interval && mean > 0 ? relative(*effect.interval) : "not known",
                 ends ? at(effect, effect.lowest_at) : "", ends ? at(effect, effect.highest_at) : "",
                 percent(effect.share), effect.share_interval ? percent_range(*effect.share_interval) : "not known"});
    }
    text_ += table.text();
  }

  void verdicts(const Effects& all) {
    std::vector<std::string> nothing;
    std::vector<std::string> open;
    for (std::size_t i = 0; i < all.main.size(); ++i) {
      // A key matters where it does so alone or together with another.
      Importance own = importance_of(all.main[i], all.mean, result_.tolerance);
      double most = all.main[i].interval ? all.main[i].interval->high : 0;
      for (const Effect& pair : all.pairs) {
        if (pair.first != i && *pair.second != i) {
          continue;
        }
        const Importance with = importance_of(pair, all.mean, result_.tolerance);
        own = own == Importance::kMatters || with == Importance::kMatters     ? Importance::kMatters
              : own == Importance::kNotKnown || with == Importance::kNotKnown ? Importance::kNotKnown
                                                                              : Importance::kDoesNot;
        most = std::max(most, pair.interval ? pair.interval->high : 0);
      }
      if (own == Importance::kDoesNot) {
        nothing.push_back(names_[i]);
      } else if (own == Importance::kNotKnown) {
        open.push_back(most > 0 && all.mean != 0
                           ? fmt::format("{} (up to {})", names_[i], percent(most / std::abs(all.mean)))
                           : names_[i]);
      }
    }
    if (!nothing.empty()) {
      line(fmt::format("do not matter here (less than {} of the mean): {}", percent(result_.tolerance),
                       fmt::join(nothing, ", ")));
    }
    if (!open.empty()) {
      line(fmt::format("not known whether they matter, more seeds or points would tell: {}", fmt::join(open, ", ")));
    }
  }

  void refusals() {
    std::size_t shown = 0;
    std::size_t all = 0;
    for (const SweptPoint& point : result_.points) {
      constexpr std::size_t kMost = 5;
      if (!point.reason.empty() && ++all && shown < kMost) {
        text_ += shown++ == 0 ? "\n" : "";
        line(fmt::format("not possible: {}: {}", point.name, point.reason));
      }
    }
    if (all > shown) {
      line(fmt::format("not possible: {} more", all - shown));
    }
  }

  const SweepResult& result_;
  LineWidth width_;
  std::vector<std::string> names_;
  std::string text_;
};

}  // namespace

std::string sweep_text(const SweepResult& result, LineWidth width) { return Writer(result, width).take(); }

}  // namespace weft::study::sweep
