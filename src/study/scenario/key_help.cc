#include "study/scenario/key_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/lower_case.h"
#include "base/nearest_word.h"
#include "base/quantity_units.h"
#include "study/scenario/given.h"
#include "study/scenario/raw_value.h"

namespace weft::study::scenario {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

// Tried in this order where nothing else says what a telling value would be.
constexpr std::array<std::string_view, 27> kSamples = {"\"500 ns\"",
                                                       "\"10 us\"",
                                                       "\"1 ms\"",
                                                       "\"64 KiB\"",
                                                       "\"1 MB\"",
                                                       "\"16 GB\"",
                                                       "\"400 Gbps\"",
                                                       "\"5 m\"",
                                                       "\"450 W\"",
                                                       "\"1500 USD\"",
                                                       "\"2:1\"",
                                                       "\"1/16\"",
                                                       "\"1%\"",
                                                       "\"1.5 BDP\"",
                                                       "\"100 bps\"",
                                                       "8",
                                                       "\"0.12 USD/kWh\"",
                                                       "1",
                                                       "2",
                                                       "4",
                                                       "[\"1:4\"]",
                                                       "[1, 2]",
                                                       "600",
                                                       "[\"50%\", \"99%\"]",
                                                       "0.5",
                                                       "[\"32 KiB\"]",
                                                       "[\"text\"]"};

/// Whether a file may give the key this value, on its own.
bool takes(const KeyAt& at, const RawValue& value) {
  Scenario scratch;
  const Section& section = *at.section;
  const std::size_t index = at.index.value_or(0);
  if (section.shape == SectionShape::kList) {
    section.resize(scratch, index + 1);
  }
  void* const settings = section.settings({.scenario = &scratch, .devices = &scratch.devices}, index);
  return at.key->binding.set(settings, value, *at.key).has_value();
}

bool has_type(const Key& key, std::string_view word) {
  const std::string type = key.binding.type(key);
  const auto at = type.find(word);
  return at != std::string::npos && (at == 0 || type[at - 1] == ' ');
}

/// A word of "one of a, b, c" that is not the default; empty: the key has no words.
std::string word_example(const Key& key) {
  constexpr std::string_view kMark = "one of ";
  const std::string type = key.binding.type(key);
  if (!type.starts_with(kMark)) {
    return "";
  }
  std::string_view words = std::string_view(type).substr(kMark.size());
  words = words.substr(0, words.find(" or '"));
  std::string_view first;
  while (!words.empty()) {
    const auto end = std::min(words.find(", "), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 2, words.size()));
    first = first.empty() ? word : first;
    if (word != key.fallback) {
      return fmt::format("\"{}\"", word);
    }
  }
  return fmt::format("\"{}\"", first);
}

/// The first value of the catalogue, but rather one that is not the default.
std::optional<KeyExample> catalogue_example(const Key& key, const Catalogue& catalogue) {
  std::optional<KeyExample> found;
  for (const CatalogueEntry& entry : catalogue.entries()) {
    for (const CatalogueValue& value : entry.values) {
      if (value.given.at.key != &key) {
        continue;
      }
      KeyExample own{.value = toml_text(value.given.value), .source = fmt::format("{} {}", entry.kind, entry.name)};
      if (own.value != key.fallback && own.value != fmt::format("\"{}\"", key.fallback)) {
        return own;
      }
      found = found ? found : std::move(own);
    }
  }
  return found;
}

/// The default as a file would have it.
std::string fallback_example(const KeyAt& at) {
  const std::string fallback(at.key->fallback == kRequired ? "" : at.key->fallback);
  return takes(at, {.place = {}, .content = fallback}) ? fmt::format("\"{}\"", fallback) : fallback;
}

bool is_list(const Key& key) { return has_type(key, "list of"); }

/// Without brackets, a space between table and key, and indices: "[[job]] tp" and "job[0].tp" are "job.tp".
std::string plain_path(std::string_view path) {
  std::string plain;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool index = path[i] == '[' && i + 1 < path.size() && std::isdigit(static_cast<unsigned char>(path[i + 1]));
    if (index) {
      i = std::min(path.find(']', i), path.size());
    } else if (path[i] == ' ' && !plain.empty()) {
      plain += '.';
    } else if (path[i] != '[' && path[i] != ']' && path[i] != ' ') {
      plain += path[i];
    }
  }
  return lower_case(plain);
}

/// The section of a path without marks, and the table of the group that it names, if it does.
struct SectionAt {
  const Section* section = nullptr;
  std::optional<std::size_t> index;
};
SectionAt section_at(std::string_view path) {
  if (const Section* section = find_section(path)) {
    return {.section = section, .index = {}};
  }
  const auto dot = path.rfind('.');
  const Section* group = dot == std::string_view::npos ? nullptr : find_section(path.substr(0, dot));
  if (group == nullptr || group->shape != SectionShape::kGroup) {
    return {};
  }
  const auto name = std::ranges::find(group->group, path.substr(dot + 1));
  if (name == group->group.end()) {
    return {};
  }
  return {.section = group, .index = static_cast<std::size_t>(name - group->group.begin())};
}

struct SplitPath {
  std::string table;
  std::string name;
};
SplitPath split(const std::string& plain) {
  const auto dot = plain.rfind('.');
  return dot == std::string::npos ? SplitPath{.table = "", .name = plain}
                                  : SplitPath{.table = plain.substr(0, dot), .name = plain.substr(dot + 1)};
}

void add_nearest(std::string_view word, std::vector<std::string> candidates, std::size_t limit,
                 std::vector<std::string>& found) {
  while (found.size() < limit) {
    const std::vector<std::string_view> views(candidates.begin(), candidates.end());
    const auto nearest = nearest_word(word, views);
    if (!nearest) {
      return;
    }
    const std::string taken(*nearest);
    std::erase(candidates, taken);
    if (std::ranges::find(found, taken) == found.end()) {
      found.push_back(taken);
    }
  }
}

}  // namespace

KeyExample example_of(const KeyAt& at, const Catalogue& catalogue) {
  const Key& key = *at.key;
  if (!key.example.empty()) {
    return {.value = std::string(key.example), .source = ""};
  }
  if (!key.entry.empty()) {
    const auto names = catalogue.names(key.entry);
    const auto other = std::ranges::find_if(names, [&](std::string_view name) { return name != key.fallback; });
    if (other != names.end()) {
      return {.value = fmt::format("\"{}\"", *other), .source = ""};
    }
  }
  if (auto listed = catalogue_example(key, catalogue)) {
    return *std::move(listed);
  }
  if (std::string word = word_example(key); !word.empty()) {
    return {.value = std::move(word), .source = ""};
  }
  const std::string fallback = fallback_example(at);
  // A bare number says less than another one, and a word such as "auto" not what else there is.
  const bool telling = fallback.find_first_of(kLetters) == std::string::npos &&
                       fallback.find_first_not_of("0123456789\"[]") != std::string::npos;
  if (telling || fallback == "true" || fallback == "false") {
    return {.value = fallback == "true" ? "false" : fallback == "false" ? "true" : fallback, .source = ""};
  }
  for (const std::string_view sample : kSamples) {
    const RawValue value = read_value(sample);
    const bool is_text = std::holds_alternative<std::string>(value.content);
    if ((!is_text || !has_type(key, "text")) && is_list(key) == sample.starts_with('[') && sample != fallback &&
        takes(at, value)) {
      return {.value = std::string(sample), .source = ""};
    }
  }
  return {.value = fallback, .source = ""};
}

std::string units_of(const Key& key) {
  const auto names = [](std::span<const Unit> units) {
    std::vector<std::string_view> all;
    for (const Unit& unit : units) {
      all.push_back(unit.name);
    }
    return fmt::format("{}", fmt::join(all, ", "));
  };
  if (has_type(key, "duration")) {
    return names(kCanonicalDurations);
  }
  if (has_type(key, "size")) {
    return names(kBytesUnits);
  }
  if (has_type(key, "rate")) {
    return names(kCanonicalRates) + "; or GB/s and the like, in bytes";
  }
  if (has_type(key, "length")) {
    return "m, km";
  }
  if (has_type(key, "price of energy")) {
    return "USD/kWh";
  }
  if (has_type(key, "power") && !has_type(key, "power of two")) {
    return "W, kW";
  }
  return has_type(key, "price") ? "USD" : "";
}

const Section* section_called(std::string_view path) {
  const std::string plain = plain_path(path);
  return plain.empty() ? nullptr : section_at(plain).section;
}

std::vector<KeyAt> keys_called(std::string_view path) {
  const SplitPath wanted = split(plain_path(path));
  const SectionAt in = section_at(wanted.table);
  if (in.section != nullptr) {
    if (const Key* key = find_key(*in.section, wanted.name)) {
      return {{.section = in.section, .key = key, .index = in.index}};
    }
  }
  std::vector<KeyAt> found;
  if (!wanted.table.empty()) {
    return found;
  }
  for (const Section& section : sections()) {
    if (const Key* key = find_key(section, wanted.name)) {
      found.push_back({.section = &section, .key = key, .index = {}});
    }
  }
  return found;
}

std::string general_path(const KeyAt& at) {
  const Section& section = *at.section;
  if (section.path.empty()) {
    return std::string(at.key->name);
  }
  return section.shape == SectionShape::kList ? fmt::format("{}.{}", section.path, at.key->name) : path_of(at);
}

std::vector<std::string> nearest_keys(std::string_view path, std::size_t limit) {
  const std::string plain = plain_path(path);
  const SplitPath wanted = split(plain);
  std::vector<std::string> own;   // of the section that was named
  std::vector<std::string> same;  // of that name elsewhere
  std::vector<std::string> all;
  const SectionAt in = section_at(wanted.table);
  for (const Section& section : sections()) {
    for (const Key& key : section.keys) {
      all.push_back(general_path({.section = &section, .key = &key, .index = {}}));
      if (&section == in.section) {
        own.push_back(all.back());
      }
      if (key.name == wanted.name) {
        same.push_back(all.back());
      }
    }
  }
  std::vector<std::string> found;
  if (!wanted.table.empty()) {
    add_nearest(plain, own, 1, found);
  }
  add_nearest(plain, all, 1, found);
  for (const std::string& path_of_same : same) {
    if (found.size() < limit && std::ranges::find(found, path_of_same) == found.end()) {
      found.push_back(path_of_same);
    }
  }
  add_nearest(plain, all, limit, found);
  return found;
}

}  // namespace weft::study::scenario
