#include "study/report/comparison_figures.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <set>

#include "study/report/comparison_keys.h"

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 8> kNotFigures = {key::kStepTimes, "timeline", "cdf",  "topology",
                                                         "queues",        "rows",     "list", "rank"};
/// What tells the rows of a list apart.
constexpr std::array<std::string_view, 10> kNames = {"part",   "name", "cause", "what",  "setting",
                                                     "change", "port", "lane",  "label", "gpus"};

std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

bool is_name(std::string_view key) { return std::ranges::find(kNames, key) != kNames.end(); }

/// "switch Spectrum-4" of a row of the bill.
std::string row_name(const Json& row) {
  std::string name;
  for (const std::string_view key : kNames) {
    if (const auto found = row.find(key); found != row.end() && !found->is_null() && found->is_primitive()) {
      name += (name.empty() ? "" : " ") + text_of(*found);
    }
  }
  return name;
}

/// key::kStepTimeLow of key::kStepTime.
std::string bound_key(const std::string& key, std::string_view bound) {
  const std::size_t unit = key.rfind('_');
  return unit == std::string::npos ? fmt::format("{}_{}", key, bound)
                                   : fmt::format("{}_{}{}", key.substr(0, unit), bound, key.substr(unit));
}

std::optional<double> bound_of(const Json& object, const std::string& key, std::string_view bound) {
  const auto found = object.find(bound_key(key, bound));
  return found != object.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

bool is_bound(const Json& object, const std::string& key) {
  for (const auto& [other, value] : object.items()) {
    if (value.is_number() && (key == bound_key(other, "low") || key == bound_key(other, "high"))) {
      return true;
    }
  }
  return false;
}

class Figures {
 public:
  void collect(const Json& object, const std::string& path, bool named) {
    for (const auto& [key, value] : object.items()) {
      if (std::ranges::find(kNotFigures, key) != kNotFigures.end() || (named && is_name(key))) {
        continue;
      }
      if (value.is_number() && !is_bound(object, key)) {
        add({path + key, value.get<double>(), bound_of(object, key, "low"), bound_of(object, key, "high")});
      } else if (value.is_object()) {
        collect(value, path + key + ".", false);
      } else if (value.is_array()) {
        for (const Json& row : value) {
          if (row.is_object()) {
            collect(row, fmt::format("{}{}[{}].", path, key, row_name(row)), true);
          }
        }
      }
    }
  }

  std::vector<Figure> take() { return std::move(figures_); }

 private:
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

const Json* member(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::vector<Figure> figures_of(const Json& fabric) {
  Figures figures;
  figures.collect(fabric, "", false);
  return figures.take();
}

bool follows_step_time(std::string_view name) {
  return name == key::kTokensPerSecond || name == key::kModelFlopsUtilisation;
}

NamedTexts setting_texts(const Json& fabric) {
  if (const Json* text = member(fabric, "settings_text")) {
    return listed_settings(text->get<std::string>());
  }
  NamedTexts texts;
  const Json* settings = member(fabric, "settings");
  if (const Json* list = settings == nullptr ? nullptr : member(*settings, "list")) {
    for (const Json& row : *list) {
      const Json* value = member(row, "value");
      add_text(texts, text_of(row["key"]), value == nullptr ? "" : text_of(*value));
    }
  }
  return texts;
}

NamedTexts scenario_texts(const Json& document) {
  NamedTexts texts;
  if (const Json* version = member(document, "version")) {
    add_text(texts, "weft", text_of(*version));
  }
  if (const Json* scenario = member(document, "scenario")) {
    for (const auto& [key, value] : scenario->items()) {
      if (key != "file" && !value.is_null()) {
        add_text(texts, key, text_of(value));
      }
    }
  }
  return texts;
}

NamedTexts row_texts(const Json& fabric) {
  NamedTexts texts;
  const Json* reason = member(fabric, "reason");
  const bool possible = fabric["possible"].get<bool>();
  add_text(texts, "possible", possible || reason == nullptr ? (possible ? "yes" : "no") : text_of(*reason));
  if (const Json* rows = member(fabric, "rows")) {
    for (const Json& row : *rows) {
      add_text(texts, text_of(row["label"]), text_of(row["value"]));
    }
  }
  return texts;
}

NamedTexts verdict_texts(const Json& document) {
  NamedTexts texts;
  if (const Json* verdict = member(document, "verdict")) {
    for (const Json& sentence : *verdict) {
      const Json* evidence = member(sentence, "evidence");
      add_text(texts, text_of(sentence["text"]), evidence == nullptr ? "" : text_of(*evidence));
    }
  }
  return texts;
}

}  // namespace weft::study::report
