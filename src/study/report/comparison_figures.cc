#include "study/report/comparison_figures.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "study/report/comparison_tables.h"
#include "study/report/member_json.h"

namespace weft::study::report {
namespace {

/// Curves, timelines, samples, seeds, texts and names, in an object of any record.
bool is_no_figure(std::string_view name) {
  static const std::array<std::string_view, 9> kOthers = {name_of<&ComparedFabric::step, &StepTimes::each>(),
                                                          name_of<&ComparedFabric::run, &RunFigures::timeline>(),
                                                          name_of<&ComparedFabric::run, &RunFigures::cdf>(),
                                                          name_of<&ComparedFabric::run, &RunFigures::topology>(),
                                                          name_of<&ComparedFabric::run, &RunFigures::queues>(),
                                                          name_of<&ComparedFabric::run, &RunFigures::decisions>(),
                                                          name_of<&ComparedFabric::rows>(),
                                                          name_of<&SettingsToGetRight::list>(),
                                                          name_of<&PathPart::rank>()};
  return std::ranges::find(kOthers, name) != kOthers.end();
}

/// What tells the rows of a list apart.
constexpr std::array<std::string_view, 10> kNames = {"part",   "name", "cause", "what",  "setting",
                                                     "change", "port", "lane",  "label", "gpus"};

using Members = std::vector<MemberRef>;

std::string text_of(const ValueRef& value) {
  const std::string_view* text = value.text();
  return text != nullptr ? std::string(*text) : json_text(value);
}

const ValueRef* find_member(const Members& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &MemberRef::name);
  return found == members.end() ? nullptr : &found->value;
}

bool is_name(std::string_view name) { return std::ranges::find(kNames, name) != kNames.end(); }

/// "switch Spectrum-4" of a row of the bill.
std::string row_name(const Members& row) {
  std::string text;
  for (const std::string_view name : kNames) {
    const ValueRef* value = find_member(row, name);
    if (value != nullptr && !value->is_null() && value->object() == nullptr && value->list() == nullptr) {
      text += (text.empty() ? "" : " ") + text_of(*value);
    }
  }
  return text;
}

/// With the bound in front of the unit: X_low_s of X_s.
std::string bound_name(std::string_view name, std::string_view bound) {
  const std::size_t unit = name.rfind('_');
  return unit == std::string_view::npos ? fmt::format("{}_{}", name, bound)
                                        : fmt::format("{}_{}{}", name.substr(0, unit), bound, name.substr(unit));
}

std::optional<double> bound_of(const Members& members, std::string_view name, std::string_view bound) {
  const ValueRef* found = find_member(members, bound_name(name, bound));
  return found != nullptr ? found->number() : std::nullopt;
}

bool is_bound(const Members& members, std::string_view name) {
  return std::ranges::any_of(members, [name](const MemberRef& other) {
    return other.value.number() && (name == bound_name(other.name, "low") || name == bound_name(other.name, "high"));
  });
}

class Figures {
 public:
  void collect(const Members& members, const std::string& path, bool named) {
    for (const auto& [name, value] : members) {
      if (is_no_figure(name) || (named && is_name(name))) {
        continue;
      }
      const std::string whole = fmt::format("{}{}", path, name);
      if (const std::optional<double> number = value.number(); number && !is_bound(members, name)) {
        add({whole, *number, bound_of(members, name, "low"), bound_of(members, name, "high")});
      } else if (const ObjectRef* object = value.object()) {
        collect(members_of(*object), whole + ".", false);
      } else if (const ListRef* list = value.list()) {
        collect_rows(*list, whole);
      }
    }
  }

  std::vector<Figure> take() { return std::move(figures_); }

 private:
  void collect_rows(const ListRef& list, const std::string& path) {
    for (std::size_t i = 0; i < list.size; ++i) {
      const ValueRef row = list.at(list.list, i);
      if (const ObjectRef* object = row.object()) {
        const Members members = members_of(*object);
        collect(members, fmt::format("{}[{}].", path, row_name(members)), true);
      }
    }
  }

  void add(Figure figure) {
    const std::string name = figure.name;
    for (int number = 2; !seen_.insert(figure.name).second; ++number) {
      figure.name = fmt::format("{} ({})", name, number);
    }
    figures_.push_back(std::move(figure));
  }

  std::vector<Figure> figures_;
  std::set<std::string> seen_;
};

void add_text(NamedTexts& texts, const std::string& name, const std::string& value) {
  std::string free = name;
  for (int number = 2; std::ranges::find(texts, free, &NamedTexts::value_type::first) != texts.end(); ++number) {
    free = fmt::format("{} ({})", name, number);
  }
  texts.emplace_back(free, value);
}

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// "switch.buffer    8 MiB    default": two spaces and more part the columns; what stands last is the source.
NamedTexts listed_settings(std::string_view listing) {
  NamedTexts texts;
  std::string table;
  for (std::size_t begin = 0; begin < listing.size();) {
    const std::size_t end = std::min(listing.find('\n', begin), listing.size());
    const std::string_view line = trimmed(listing.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with("override of ")) {
      table = std::string(line) + ": ";
    }
    const std::size_t gap = line.find("  ");
    if (gap == std::string_view::npos) {
      continue;
    }
    const std::string_view rest = trimmed(line.substr(gap));
    add_text(texts, table + std::string(line.substr(0, gap)), std::string(rest.substr(0, rest.find("  "))));
  }
  return texts;
}

}  // namespace

std::vector<Figure> figures_of(const ComparedFabric& fabric) {
  Figures figures;
  figures.collect(members_of(object_ref(fabric)), "", false);
  return figures.take();
}

bool is_step_time(std::string_view name) { return name == name_of<&ComparedFabric::step, &StepTimes::mean>(); }

bool follows_step_time(std::string_view name) {
  return name == name_of<&ComparedFabric::run, &RunFigures::tokens_per_second>() ||
         name == name_of<&ComparedFabric::run, &RunFigures::model_flops_utilisation>();
}

NamedTexts setting_texts(const ComparedFabric& fabric) {
  if (fabric.settings_text) {
    return listed_settings(*fabric.settings_text);
  }
  NamedTexts texts;
  if (fabric.settings) {
    for (const ListedSetting& setting : fabric.settings->list) {
      add_text(texts, setting.key, setting.value);
    }
  }
  return texts;
}

NamedTexts scenario_texts(const Comparison& comparison) {
  NamedTexts texts;
  if (comparison.version) {
    add_text(texts, "weft", *comparison.version);
  }
  if (comparison.scenario) {
    for (const auto& [name, value] : members_of(object_ref(*comparison.scenario))) {
      if (name != name_of<&ComparedScenario::file>() && !value.is_null()) {
        add_text(texts, std::string(name), text_of(value));
      }
    }
  }
  return texts;
}

NamedTexts row_texts(const ComparedFabric& fabric) {
  NamedTexts texts;
  add_text(texts, "possible", fabric.possible ? "yes" : fabric.reason.value_or("no"));
  for (const BuyerRow& row : fabric.rows.value_or(std::vector<BuyerRow>())) {
    add_text(texts, row.label, row.value);
  }
  return texts;
}

NamedTexts verdict_texts(const Comparison& comparison) {
  NamedTexts texts;
  for (const VerdictSentence& sentence : comparison.verdict.value_or(std::vector<VerdictSentence>())) {
    add_text(texts, sentence.text, sentence.evidence);
  }
  return texts;
}

}  // namespace weft::study::report
