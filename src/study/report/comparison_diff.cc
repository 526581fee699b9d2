#include "study/report/comparison_diff.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "base/assert.h"
#include "base/text_table.h"
#include "study/report/comparison_figures.h"
#include "study/report/comparison_headline.h"
#include "study/report/interval.h"

namespace weft::study::report {
namespace {

const ComparedFabric* fabric_named(const Comparison& comparison, const std::string& name) {
  const auto found = std::ranges::find(comparison.fabrics, name, &ComparedFabric::name);
  return found == comparison.fabrics.end() ? nullptr : &*found;
}

std::optional<std::string> text_named(const NamedTexts& texts, const std::string& name) {
  const auto found = std::ranges::find(texts, name, &NamedTexts::value_type::first);
  return found == texts.end() ? std::nullopt : std::optional(found->second);
}

/// A listing has "link.*.rate" for all that are alike, and those that are not beside it by their own names. What the
/// line of all says of one, if there is such a line.
std::optional<std::string> text_of_all(const NamedTexts& texts, std::string_view name) {
  const std::size_t last = name.rfind('.');
  const std::size_t first = last == std::string_view::npos || last == 0 ? last : name.rfind('.', last - 1);
  if (first == std::string_view::npos) {
    return std::nullopt;
  }
  return text_named(texts, fmt::format("{}.*{}", name.substr(0, first), name.substr(last)));
}

/// Whether a line of all, "link.*.rate", is covered by lines of each, "link.host.rate" and so on, which are compared.
bool is_listed_each(const NamedTexts& texts, std::string_view name) {
  const std::size_t all = name.find(".*.");
  return all != std::string_view::npos && std::ranges::any_of(texts, [&](const NamedTexts::value_type& other) {
           const std::string_view own = other.first;
           return own.starts_with(name.substr(0, all + 1)) && own.ends_with(name.substr(all + 2)) &&
                  own.size() >= name.size();
         });
}

/// Texts of one side that the other lacks, or has otherwise; in the order of A, then what B has alone.
std::vector<TextDifference> differences(const std::string& fabric, const NamedTexts& a, const NamedTexts& b) {
  const auto value_in = [](const NamedTexts& texts, const std::string& name) {
    const std::optional<std::string> own = text_named(texts, name);
    return own ? own : text_of_all(texts, name);
  };
  std::vector<TextDifference> found;
  for (const auto& [name, value] : a) {
    const auto other = value_in(b, name);
    if (other != value && (other || !is_listed_each(b, name))) {
      found.push_back({fabric, name, value, other});
    }
  }
  for (const auto& [name, value] : b) {
    const auto other = value_in(a, name);
    if (other && !text_named(a, name) && other != value) {
      found.push_back({fabric, name, other, value});
    }
    if (!other && !is_listed_each(a, name)) {
      found.push_back({fabric, name, std::nullopt, value});
    }
  }
  return found;
}

void append(std::vector<TextDifference>& to, std::vector<TextDifference> from) {
  std::ranges::move(from, std::back_inserter(to));
}

bool apart(const Figure& a, const Figure& b) {
  const double low_a = a.low.value_or(a.value);
  const double high_a = a.high.value_or(a.value);
  const double low_b = b.low.value_or(b.value);
  const double high_b = b.high.value_or(b.value);
  return high_a < low_b || high_b < low_a;
}

bool is_open(const Figure& figure) {
  return is_not_known(Interval{.mean = figure.value, .low = figure.low, .high = figure.high});
}

bool is_no_difference(FigureVerdict verdict) {
  return verdict == FigureVerdict::kWithinInterval || verdict == FigureVerdict::kNotKnown;
}

FigureDifference compared(const std::string& fabric, const Figure& a, const Figure& b) {
  FigureDifference difference{fabric, a.name, a.value, b.value, std::nullopt, FigureVerdict::kDiffers};
  if (a.value != 0) {
    difference.change = (b.value - a.value) / std::abs(a.value);
  }
  const bool interval = a.low || a.high || b.low || b.high;
  if (interval && !apart(a, b)) {
    difference.verdict = is_open(a) || is_open(b) ? FigureVerdict::kNotKnown : FigureVerdict::kWithinInterval;
  }
  return difference;
}

void compare_figures(ComparisonDiff& diff, const ComparedFabric& a, const ComparedFabric& b) {
  const std::string& fabric = a.name;
  const std::vector<Figure> figures_a = figures_of(a);
  const std::vector<Figure> figures_b = figures_of(b);
  std::map<std::string, const Figure*> by_name;
  for (const Figure& figure : figures_b) {
    by_name.emplace(figure.name, &figure);
  }
  FigureVerdict of_step = FigureVerdict::kDiffers;  // followers of the step time have no difference where it has none
  for (const Figure& figure : figures_a) {
    const auto other = by_name.find(figure.name);
    if (other == by_name.end()) {
      diff.figures.push_back({fabric, figure.name, figure.value, {}, {}, FigureVerdict::kOnlyInA});
      continue;
    }
    const Figure& second = *other->second;
    if (figure.value == second.value) {
      ++diff.same;
    } else {
      diff.figures.push_back(compared(fabric, figure, second));
      FigureVerdict& own = diff.figures.back().verdict;
      of_step = is_step_time(figure.name) && is_no_difference(own) ? own : of_step;
      own = is_no_difference(of_step) && follows_step_time(figure.name) ? of_step : own;
    }
    by_name.erase(other);
  }
  for (const Figure& figure : figures_b) {
    if (by_name.contains(figure.name)) {
      diff.figures.push_back({fabric, figure.name, {}, figure.value, {}, FigureVerdict::kOnlyInB});
    }
  }
}

/// Larger first: real differences without a relative change (from zero, or on one side alone), then by it.
void sort_figures(std::vector<FigureDifference>& figures) {
  const auto rank = [](const FigureDifference& figure) {
    const bool none = is_no_difference(figure.verdict);
    const double size = figure.change ? std::abs(*figure.change) : HUGE_VAL;
    return std::pair(none ? 1 : 0, -size);
  };
  std::ranges::stable_sort(figures, {}, rank);
}

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.6g}", *value) : std::string("absent");
}

std::string change_text(const FigureDifference& figure) {
  if (figure.verdict == FigureVerdict::kOnlyInA || figure.verdict == FigureVerdict::kOnlyInB) {
    return std::string(to_string(figure.verdict));
  }
  const std::string change = figure.change ? fmt::format("{:+.2f} %", 100 * *figure.change) : std::string("from 0");
  return is_no_difference(figure.verdict) ? fmt::format("{}, {}", change, to_string(figure.verdict)) : change;
}

/// A table under a heading; empty without rows.
class Columns {
 public:
  Columns(std::vector<TextTable::Column> columns, LineWidth width) : table_(indented(std::move(columns)), width) {}

  void add(std::vector<std::string> cells) {
    cells.front().insert(0, kIndent);
    table_.add(std::move(cells));
    any_ = true;
  }
  [[nodiscard]] std::string text(std::string_view heading) const {
    return any_ ? fmt::format("{}\n{}\n", heading, table_.text()) : std::string();
  }

 private:
  static constexpr std::string_view kIndent = "  ";
  static std::vector<TextTable::Column> indented(std::vector<TextTable::Column> columns) {
    columns.front().heading.insert(0, kIndent);
    return columns;
  }

  TextTable table_;
  bool any_ = false;
};

std::string settings_text(const std::vector<TextDifference>& settings, LineWidth width) {
  Columns columns({{.heading = "fabric"},
                   {.heading = "setting", .wraps = true},
                   {.heading = "A", .wraps = true},
                   {.heading = "B", .wraps = true}},
                  width);
  for (const TextDifference& setting : settings) {
    columns.add({setting.fabric.empty() ? "all" : setting.fabric, setting.name, setting.a.value_or("absent"),
                 setting.b.value_or("absent")});
  }
  return columns.text("settings");
}

/// Sentences are too long for columns.
std::string statements_text(const std::vector<TextDifference>& statements, LineWidth width) {
  constexpr std::size_t kAnyColumns = std::numeric_limits<std::size_t>::max();
  const std::size_t columns = width.value_or(kAnyColumns);
  std::string text;
  for (const TextDifference& own : statements) {
    const std::string title = fmt::format("{}{}{}", own.fabric, own.fabric.empty() ? "" : ": ", own.name);
    text += paragraph(title, {.first = 2, .rest = 4, .columns = columns});
    text += paragraph("A  " + own.a.value_or("absent"), {.first = 4, .rest = 7, .columns = columns});
    text += paragraph("B  " + own.b.value_or("absent"), {.first = 4, .rest = 7, .columns = columns});
  }
  return text.empty() ? "" : fmt::format("statements\n{}\n", text);
}

}  // namespace

std::string_view to_string(FigureVerdict verdict) {
  switch (verdict) {
    case FigureVerdict::kDiffers:
      return "differs";
    case FigureVerdict::kWithinInterval:
      return "none: within the confidence interval";
    case FigureVerdict::kNotKnown:
      return "not known: an interval says little";
    case FigureVerdict::kOnlyInA:
      return "only in A";
    case FigureVerdict::kOnlyInB:
      return "only in B";
  }
  WEFT_ASSERT(false);
}

ComparisonDiff diff_comparisons(const ComparedDocuments& documents) {
  const auto& [a, b] = documents;
  ComparisonDiff diff;
  append(diff.settings, differences("", scenario_texts(a), scenario_texts(b)));
  append(diff.statements, differences("", verdict_texts(a), verdict_texts(b)));
  for (const ComparedFabric& fabric : a.fabrics) {
    const ComparedFabric* other = fabric_named(b, fabric.name);
    if (other == nullptr) {
      diff.only_in_a.push_back(fabric.name);
      continue;
    }
    append(diff.settings, differences(fabric.name, setting_texts(fabric), setting_texts(*other)));
    append(diff.statements, differences(fabric.name, row_texts(fabric), row_texts(*other)));
    compare_figures(diff, fabric, *other);
  }
  for (const ComparedFabric& fabric : b.fabrics) {
    if (fabric_named(a, fabric.name) == nullptr) {
      diff.only_in_b.push_back(fabric.name);
    }
  }
  sort_figures(diff.figures);
  diff.headline = headline_of(documents, diff.figures);
  return diff;
}

std::string diff_text(const ComparisonDiff& diff, LineWidth width) {
  std::string text;
  for (const std::string& name : diff.only_in_a) {
    text += fmt::format("fabric {} is only in A\n", name);
  }
  for (const std::string& name : diff.only_in_b) {
    text += fmt::format("fabric {} is only in B\n", name);
  }
  text += text.empty() ? "" : "\n";
  text += settings_text(diff.settings, width);
  Columns columns({{.heading = "fabric"},
                   {.heading = "figure", .wraps = true},
                   {.heading = "A"},
                   {.heading = "B"},
                   {.heading = "change", .wraps = true}},
                  width);
  for (const FigureDifference& figure : diff.figures) {
    columns.add({figure.fabric, figure.name, number_text(figure.a), number_text(figure.b), change_text(figure)});
  }
  text += columns.text("figures, largest change first");
  text += statements_text(diff.statements, width);
  const auto none = static_cast<std::size_t>(
      std::ranges::count(diff.figures, FigureVerdict::kWithinInterval, &FigureDifference::verdict));
  const auto open =
      static_cast<std::size_t>(std::ranges::count(diff.figures, FigureVerdict::kNotKnown, &FigureDifference::verdict));
  const std::string counts = fmt::format(
      "Figures that differ: {}; that differ only within their confidence interval: {}{}; equal: {}.",
      diff.figures.size() - none - open, none,
      open > 0 ? fmt::format("; of which it is not known, as an interval says little: {}", open) : "", diff.same);
  return text + paragraph(counts, {.columns = width.value_or(counts.size())});
}

}  // namespace weft::study::report
