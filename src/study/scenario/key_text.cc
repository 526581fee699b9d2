#include "study/scenario/key_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace weft::study::scenario {
namespace {

// The kinds of entries that set a key, in the order of the catalogue; not what says between which ends to search.
std::vector<std::string_view> kinds_that_set(const Key& key, const Catalogue& catalogue) {
  std::vector<std::string_view> kinds;
  for (const auto& entry : catalogue.entries()) {
    const bool sets = std::ranges::any_of(entry.values, [&](const auto& value) { return value.given.at.key == &key; });
    if (sets && !entry.kind.starts_with("tunable_") && std::ranges::find(kinds, entry.kind) == kinds.end()) {
      kinds.push_back(entry.kind);
    }
  }
  return kinds;
}

std::string comma_separated(std::string_view words) {
  std::string text(words);
  for (auto space = text.find(' '); space != std::string::npos; space = text.find(' ', space)) {
    text.replace(space, 1, ", ");
    space += 2;
  }
  return text;
}

}  // namespace

std::string heading_of(const Section& section) {
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

std::string default_text(const Key& key, const Catalogue& catalogue) {
  const auto kinds = kinds_that_set(key, catalogue);
  const auto from = kinds.empty() ? std::string() : fmt::format("catalogue: {}", fmt::join(kinds, ", "));
  if (key.fallback == kRequired) {
    return kinds.empty() ? "required" : from;
  }
  const auto own = key.fallback.empty() ? std::string("empty") : fmt::format("`{}`", key.fallback);
  return kinds.empty() ? own : fmt::format("{}; else {}", from, own);
}

std::string only_for_text(const Key& key) {
  if (key.only_for.empty()) {
    return "";
  }
  return fmt::format("{}{}{}", key.selecting, key.selecting.empty() ? "" : " ", comma_separated(key.only_for));
}

}  // namespace weft::study::scenario
