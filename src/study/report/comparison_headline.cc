#include "study/report/comparison_headline.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "base/printable.h"
#include "base/text_table.h"
#include "study/report/comparison_figures.h"
#include "study/report/comparison_tables.h"
#include "study/report/figure_labels.h"
#include "study/results/summary_text.h"

namespace weft::study::report {
namespace {

constexpr std::size_t kHeadlines = 5;

enum class HeadlineUnit : std::uint8_t { kSeconds, kMicroseconds, kMoney, kShare, kCount, kWatt };

struct Headline {
  std::string_view label;
  std::string_view name;  // of the figure
  HeadlineUnit unit;
};

/// By weight: the first five that any fabric has are shown.
const std::array<Headline, 11>& by_weight() {
  using Fabric = ComparedFabric;
  static const std::array<Headline, 11> kByWeight = {{
      {figure_label(figure_names::kStepTime), name_of<&Fabric::step, &StepTimes::mean>(), HeadlineUnit::kSeconds},
      {figure_label(figure_names::kExposedCommunication), name_of<&Fabric::run, &RunFigures::exposed_communication>(),
       HeadlineUnit::kSeconds},
      {figure_label("work_cost.usd"), "work_cost.usd", HeadlineUnit::kMoney},
      {figure_label(figure_names::kCost), name_of<&Fabric::cost_usd>(), HeadlineUnit::kMoney},
      {figure_label("tuning_risk.worst"), "tuning_risk.worst", HeadlineUnit::kShare},
      {figure_label("fct_us.p99"), "fct_us.p99", HeadlineUnit::kMicroseconds},
      {figure_label("fct_us.p50"), "fct_us.p50", HeadlineUnit::kMicroseconds},
      {figure_label("drops"), "drops", HeadlineUnit::kCount},
      {figure_label("retransmissions"), "retransmissions", HeadlineUnit::kCount},
      {figure_label(figure_names::kPause), name_of<&Fabric::run, &RunFigures::pause>(), HeadlineUnit::kSeconds},
      {figure_label(figure_names::kPower), name_of<&Fabric::power>(), HeadlineUnit::kWatt},
  }};
  return kByWeight;
}

const Headline& headline_called(std::string_view label) {
  return *std::ranges::find(by_weight(), label, &Headline::label);
}

std::optional<double> value_in(const std::vector<Figure>& figures, std::string_view name) {
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? std::nullopt : std::optional(found->value);
}

std::string value_text(double value, HeadlineUnit unit) {
  const auto time = [](double seconds) {
    return std::abs(seconds) < 1e6 ? results::short_text(Duration::picoseconds(std::llround(seconds * 1e12)))
                                   : fmt::format("{:.4g} s", seconds);
  };
  switch (unit) {
    case HeadlineUnit::kSeconds:
      return time(value);
    case HeadlineUnit::kMicroseconds:
      return time(value * 1e-6);
    case HeadlineUnit::kMoney:
      return std::abs(value) >= 1e6   ? fmt::format("{:.3f} M USD", value / 1e6)
             : std::abs(value) >= 100 ? fmt::format("{:.0f} USD", value)
                                      : fmt::format("{:.4g} USD", value);
    case HeadlineUnit::kShare:
      return results::percent(value);
    case HeadlineUnit::kCount:
      return fmt::format("{:.0f}", value);
    case HeadlineUnit::kWatt:
      return fmt::format("{:.1f} kW", value / 1e3);
  }
  return "";
}

/// "1.30 s, then 1.06 s: -18.4 %".
std::string cell_text(const HeadlineFigure& own) {
  const HeadlineUnit unit = headline_called(own.label).unit;
  if (!own.a && !own.b) {
    return "not known";
  }
  if (!own.a || !own.b) {
    return own.a ? fmt::format("{} -> not known", value_text(*own.a, unit))
                 : fmt::format("not known -> {}", value_text(*own.b, unit));
  }
  if (!own.verdict) {
    return fmt::format("{}, equal", value_text(*own.a, unit));
  }
  const std::string change = *own.verdict == FigureVerdict::kWithinInterval ? "no difference"
                             : *own.verdict == FigureVerdict::kNotKnown     ? "not known"
                             : own.change ? fmt::format("{:+.1f} %", 100 * *own.change)
                                          : "from 0";
  return fmt::format("{} -> {}, {}", value_text(*own.a, unit), value_text(*own.b, unit), change);
}

/// Of all headlines, less is better.
Tone tone_of(const HeadlineFigure& own) {
  const bool differs = own.verdict == FigureVerdict::kDiffers && own.a && own.b;
  return !differs ? Tone::kPlain : *own.b < *own.a ? Tone::kGood : Tone::kBad;
}

/// A fabric of both documents, with its figures in each.
struct SharedFabric {
  std::string name;
  std::vector<Figure> a;
  std::vector<Figure> b;
};
std::vector<SharedFabric> shared_fabrics(const ComparedDocuments& documents) {
  std::vector<SharedFabric> shared;
  for (const ComparedFabric& fabric : documents.a.fabrics) {
    const auto other = std::ranges::find(documents.b.fabrics, fabric.name, &ComparedFabric::name);
    if (other != documents.b.fabrics.end()) {
      shared.push_back({.name = fabric.name, .a = figures_of(fabric), .b = figures_of(*other)});
    }
  }
  return shared;
}

}  // namespace

std::vector<HeadlineFigure> headline_of(const ComparedDocuments& documents,
                                        const std::vector<FigureDifference>& differences) {
  const std::vector<SharedFabric> fabrics = shared_fabrics(documents);
  std::vector<HeadlineFigure> found;
  std::vector<std::string_view> labels;
  for (const Headline& headline : by_weight()) {
    if (labels.size() == kHeadlines) {
      break;
    }
    std::vector<HeadlineFigure> own;
    bool any = false;
    for (const SharedFabric& shared : fabrics) {
      HeadlineFigure figure{.label = std::string(headline.label),
                            .fabric = shared.name,
                            .a = value_in(shared.a, headline.name),
                            .b = value_in(shared.b, headline.name),
                            .change = {},
                            .verdict = {}};
      const auto difference = std::ranges::find_if(differences, [&](const FigureDifference& one) {
        return one.fabric == shared.name && one.name == headline.name;
      });
      if (difference != differences.end()) {
        figure.change = difference->change;
        figure.verdict = difference->verdict;
      }
      any = any || figure.a || figure.b;
      own.push_back(std::move(figure));
    }
    if (any) {
      labels.push_back(headline.label);
      std::ranges::move(own, std::back_inserter(found));
    }
  }
  return found;
}

std::string headline_text(const ComparisonDiff& diff, LineWidth width, Colour colour) {
  constexpr TextTable::SideBySide kWidths{.label = 25, .cell = 24};
  constexpr std::size_t kLine = 110;
  std::vector<std::string> fabrics;
  std::vector<std::string> labels;
  for (const HeadlineFigure& own : diff.headline) {
    for (auto [list, name] : {std::pair{&fabrics, &own.fabric}, {&labels, &own.label}}) {
      if (std::ranges::find(*list, *name) == list->end()) {
        list->push_back(*name);
      }
    }
  }
  const std::size_t most = kWidths.fitting(width.value_or(kLine));
  std::string text;
  for (std::size_t first = 0; first < fabrics.size(); first += most) {
    const std::size_t count = std::min(most, fabrics.size() - first);
    TextTable table = TextTable::side_by_side(kWidths, count, width);
    std::vector<std::string> head(fabrics.begin() + static_cast<std::ptrdiff_t>(first),
                                  fabrics.begin() + static_cast<std::ptrdiff_t>(first + count));
    head.insert(head.begin(), "A -> B");
    for (std::string& name : head) {
      name = terminal_text(name);
    }
    table.use_colour(colour);
    table.add(std::move(head), std::vector<Tone>(count + 1, Tone::kHeading));
    table.add_rule();
    for (const std::string& label : labels) {
      std::vector<std::string> cells = {label};
      std::vector<Tone> tones = {Tone::kPlain};
      for (std::size_t i = first; i < first + count; ++i) {
        const auto own = std::ranges::find_if(
            diff.headline, [&](const HeadlineFigure& one) { return one.label == label && one.fabric == fabrics[i]; });
        cells.push_back(own == diff.headline.end() ? "-" : cell_text(*own));
        tones.push_back(own == diff.headline.end() ? Tone::kPlain : tone_of(*own));
      }
      table.add(std::move(cells), std::move(tones));
    }
    text += table.text() + "\n";
  }
  return text;
}

}  // namespace weft::study::report
