#include "study/scenario/scenario_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "study/scenario/apply.h"
#include "study/scenario/key_table.h"

namespace weft::study::scenario {
namespace {

std::string heading(const Section& section) {
  switch (section.shape) {
    case SectionShape::kTable:
      return section.path.empty() ? "Before the first table" : fmt::format("[{}]", section.path);
    case SectionShape::kGroup:
      return fmt::format("[{}], [{}.X]", section.path, section.path);
    case SectionShape::kList:
      return fmt::format("[[{}]]", section.path);
  }
  return "";
}

// The kinds of entries that set a key, in the order of the catalogue.
std::vector<std::string_view> kinds_that_set(const Key& key, const Catalogue& catalogue) {
  std::vector<std::string_view> kinds;
  for (const auto& entry : catalogue.entries()) {
    const bool sets = std::ranges::any_of(entry.values, [&](const auto& value) { return value.given.at.key == &key; });
    if (sets && std::ranges::find(kinds, entry.kind) == kinds.end()) {
      kinds.push_back(entry.kind);
    }
  }
  return kinds;
}

std::string words_of(std::string_view only_for) {
  std::string words(only_for);
  for (auto space = words.find(' '); space != std::string::npos; space = words.find(' ', space)) {
    words.replace(space, 1, ", ");
    space += 2;
  }
  return words;
}

std::string default_of(const Key& key, const Catalogue& catalogue) {
  const auto kinds = kinds_that_set(key, catalogue);
  const auto from = kinds.empty() ? std::string() : fmt::format("catalogue: {}", fmt::join(kinds, ", "));
  if (key.fallback == kRequired) {
    return kinds.empty() ? "required" : from;
  }
  const auto own = key.fallback.empty() ? std::string("empty") : fmt::format("`{}`", key.fallback);
  return kinds.empty() ? own : fmt::format("{}; else {}", from, own);
}

std::string row(const Key& key, const Catalogue& catalogue) {
  const auto range = key.binding.range(key);
  auto about = std::string(key.about);
  if (!key.only_for.empty()) {
    about += fmt::format(" Only with {}{}{}.", key.selecting, key.selecting.empty() ? "" : " ", words_of(key.only_for));
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, key.binding.type(key), range.empty() ? "—" : range,
                     default_of(key, catalogue), about);
}

std::string section_text(const Section& section, const Catalogue& catalogue) {
  std::string text = fmt::format("### {}\n\n{}", heading(section), section.about);
  if (section.shape == SectionShape::kGroup) {
    text += fmt::format(" X is one of {}; keys of `[{}]` itself mean all of them.", fmt::join(section.group, ", "),
                        section.path);
  }
  if (section.of_devices) {
    text += " An `[[override]]` may hold these keys.";
  }
  text += "\n\n| key | value | range | default | meaning |\n|---|---|---|---|---|\n";
  for (const auto& key : section.keys) {
    text += row(key, catalogue);
  }
  return text + "\n";
}

std::string catalogue_text(const Catalogue& catalogue) {
  std::string text = "### Entries of the catalogue\n\n| kind | entries |\n|---|---|\n";
  std::set<std::string_view> seen;
  for (const auto& entry : catalogue.entries()) {
    if (seen.insert(entry.kind).second) {
      std::vector<std::string> names;
      for (const auto name : catalogue.names(entry.kind)) {
        names.push_back(fmt::format("`{}`", name));
      }
      text += fmt::format("| {} | {} |\n", entry.kind, fmt::join(names, ", "));
    }
  }
  return text;
}

}  // namespace

std::string scenario_reference(const Catalogue& catalogue) {
  std::string text;
  for (const auto& section : sections()) {
    text += section_text(section, catalogue);
  }
  return text + catalogue_text(catalogue);
}

}  // namespace weft::study::scenario
