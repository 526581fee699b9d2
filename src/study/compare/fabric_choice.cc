#include "study/compare/fabric_choice.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/nearest_word.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

/// Networks that are built today, the mistake that is made most, and what they are measured against. rocev2-defaults
/// and rocev2-lossy are there for the asking.
constexpr std::array<std::string_view, 10> kUsual = {
    "infiniband",     "infiniband-ar", "rocev2", "rocev2-pfc", "rocev2-spray",
    "rocev2-untuned", "uet",           "rocev1", "iwarp",      "tcp"};

struct Meaning {
  std::string_view family;
  std::string tuning;  // empty: the scenario's
};

/// "rocev2", or "rocev2-untuned" if the catalogue has that tuning for it.
std::optional<Meaning> meaning_of(const std::string& name, const scenario::Catalogue& catalogue) {
  for (std::size_t i = 0; i < scenario::WordsOf<scenario::Family>::kWords.size(); ++i) {
    const std::string_view family = scenario::WordsOf<scenario::Family>::kWords[i];
    if (name == family) {
      return Meaning{.family = family, .tuning = {}};
    }
    for (const std::string_view tuning : catalogue.names("tuning", static_cast<scenario::Family>(i))) {
      if (name == fmt::format("{}-{}", family, tuning)) {
        return Meaning{.family = family, .tuning = std::string(tuning)};
      }
    }
  }
  return std::nullopt;
}

std::vector<std::string> valid_names(std::span<const std::string> cases, const scenario::Catalogue& catalogue) {
  std::vector<std::string> valid;
  for (std::size_t i = 0; i < scenario::WordsOf<scenario::Family>::kWords.size(); ++i) {
    const std::string_view family = scenario::WordsOf<scenario::Family>::kWords[i];
    valid.emplace_back(family);
    for (const std::string_view tuning : catalogue.names("tuning", static_cast<scenario::Family>(i))) {
      valid.push_back(fmt::format("{}-{}", family, tuning));
    }
  }
  std::ranges::copy_if(cases, std::back_inserter(valid),
                       [&](const std::string& name) { return !std::ranges::count(valid, name); });
  return valid;
}

void describe(FabricChoice& choice, const Meaning& meaning, const scenario::Catalogue& catalogue) {
  const auto entry =
      meaning.tuning.empty() ? catalogue.find("family", meaning.family) : catalogue.find("tuning", meaning.tuning);
  if (entry) {
    choice.stands_for = (*entry)->stands_for;
    choice.needs_of_nic = (*entry)->needs_of_nic;
    choice.needs_of_switch = (*entry)->needs_of_switch;
  }
}

}  // namespace

std::vector<std::string> usual_fabrics() { return {kUsual.begin(), kUsual.end()}; }

std::vector<std::string> first_fabrics() { return {"infiniband", "rocev2", "rocev2-spray"}; }

Result<std::vector<FabricChoice>> choose_fabrics(std::span<const std::string> names, std::span<const std::string> cases,
                                                 const scenario::Catalogue& catalogue) {
  if (names.empty()) {
    return fail("no fabric to compare");
  }
  std::vector<FabricChoice> choices;
  for (const std::string& name : names) {
    if (std::ranges::count(choices, name, &FabricChoice::name) > 0) {
      return fail("the fabric '{}' is named twice", name);
    }
    FabricChoice choice{.name = name, .case_name = {}, .settings = {}};
    const std::optional<Meaning> meaning = meaning_of(name, catalogue);
    if (meaning) {
      choice.settings.push_back(fmt::format("fabric.family={}", meaning->family));
      if (!meaning->tuning.empty()) {
        choice.settings.push_back(fmt::format("fabric.tuning={}", meaning->tuning));
      }
      describe(choice, *meaning, catalogue);
    }
    if (std::ranges::count(cases, name) > 0) {
      choice.case_name = name;
    } else if (meaning && std::ranges::count(cases, meaning->family) > 0) {
      choice.case_name = meaning->family;
    } else if (!meaning) {
      const std::vector<std::string> valid = valid_names(cases, catalogue);
      const std::vector<std::string_view> words(valid.begin(), valid.end());
      return tl::unexpected<Error>(unknown_word({.kind = "fabric", .word = name, .valid = words}));
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<scenario::Scenario> scenario_of(const FabricChoice& choice, scenario::ScenarioRequest request,
                                       const scenario::Catalogue& catalogue) {
  if (!choice.case_name.empty()) {
    request.case_name = choice.case_name;
  }
  request.settings.insert(request.settings.end(), choice.settings.begin(), choice.settings.end());
  return scenario::load_scenario(request, catalogue);
}

}  // namespace weft::study::compare
