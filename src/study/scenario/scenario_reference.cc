#include "study/scenario/scenario_reference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <vector>

#include "study/scenario/apply.h"
#include "study/scenario/key_table.h"
#include "study/scenario/key_text.h"

namespace weft::study::scenario {
namespace {

std::string row(const Key& key, const Catalogue& catalogue) {
  const auto range = key.binding.range(key);
  auto about = std::string(key.about);
  if (!key.only_for.empty()) {
    about += fmt::format(" Only with {}.", only_for_text(key));
  }
  return fmt::format("| `{}` | {} | {} | {} | {} |\n", key.name, key.binding.type(key), range.empty() ? "—" : range,
                     default_text(key, catalogue), about);
}

std::string section_text(const Section& section, const Catalogue& catalogue) {
  std::string text = fmt::format("### {}\n\n{}", heading_of(section), section.about);
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
