#include "study/compare/fabric_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "base/nearest_word.h"
#include "study/scenario/key_table.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::compare {
namespace {

/// Networks that are built today, the mistake that is made most, and what they are measured against. rocev2-defaults
/// and rocev2-lossy are there for the asking.
constexpr std::array<std::string_view, 10> kUsual = {
    "infiniband",     "infiniband-ar", "rocev2", "rocev2-pfc", "rocev2-spray",
    "rocev2-untuned", "uet",           "rocev1", "iwarp",      "tcp"};

struct Meaning {
  scenario::Family family{};
  std::string tuning;  // empty: the scenario's
};

/// "rocev2-pfc+drill": the network, or the case, and the scheme behind the plus sign; empty: none.
struct NameParts {
  std::string network;
  std::string scheme;
};

NameParts parts_of(const std::string& name) {
  const auto plus = name.rfind('+');
  return plus == std::string::npos ? NameParts{.network = name, .scheme = {}}
                                   : NameParts{.network = name.substr(0, plus), .scheme = name.substr(plus + 1)};
}

/// "rocev2", or "rocev2-untuned" if the catalogue has that tuning for it.
std::optional<Meaning> meaning_of(const std::string& name, const scenario::Catalogue& catalogue) {
  for (std::size_t i = 0; i < scenario::WordsOf<scenario::Family>::kWords.size(); ++i) {
    const auto own = static_cast<scenario::Family>(i);
    const std::string_view family = scenario::word_of(own);
    if (name == family) {
      return Meaning{.family = own, .tuning = {}};
    }
    for (const std::string_view tuning : catalogue.names("tuning", own)) {
      if (name == fmt::format("{}-{}", family, tuning)) {
        return Meaning{.family = own, .tuning = std::string(tuning)};
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
  const auto entry = meaning.tuning.empty() ? catalogue.find("family", scenario::word_of(meaning.family))
                                            : catalogue.find("tuning", meaning.tuning);
  if (entry) {
    choice.stands_for = (*entry)->stands_for;
    choice.needs_of_nic = (*entry)->needs_of_nic;
    choice.needs_of_switch = (*entry)->needs_of_switch;
  }
}

/// The entry of the family, or of its tuning, names that device; also where it names none.
bool is_of_family(std::string_view path, const std::string& device, const scenario::FabricSettings& fabric,
                  const scenario::Catalogue& catalogue) {
  std::optional<std::string> named;
  for (const auto& entry :
       {catalogue.find("family", scenario::word_of(fabric.family)), catalogue.find("tuning", fabric.tuning_entry)}) {
    if (!entry) {
      continue;
    }
    for (const scenario::CatalogueValue& value : (*entry)->values) {
      const auto* name = std::get_if<std::string>(&value.given.value.content);
      if (name != nullptr && scenario::path_of(value.given.at) == path) {
        named = *name;
      }
    }
  }
  return named.value_or(device) == device;
}

/// What a scheme needs beside what its network needs.
void add_need(std::string& needs, const std::string& more) {
  constexpr std::string_view kNoNeed = "nothing beside";
  if (needs.empty() || needs.starts_with(kNoNeed)) {
    needs = more;
  } else if (!more.starts_with(kNoNeed)) {
    needs += "; " + more;
  }
}

Result<void> add_scheme(FabricChoice& choice, const std::string& name, const std::optional<Meaning>& meaning,
                        const scenario::Catalogue& catalogue) {
  auto scheme = catalogue.find("scheme", name);
  if (!scheme) {
    return pass_on(scheme);
  }
  if (meaning && !(*scheme)->serves(meaning->family)) {
    return fail("'{}': the scheme '{}' does not serve {}; one of {}", choice.name, name,
                scenario::word_of(meaning->family), fmt::join(catalogue.names("scheme", meaning->family), ", "));
  }
  choice.settings.push_back(fmt::format("routing.scheme={}", name));
  choice.stands_for = (*scheme)->stands_for;
  add_need(choice.needs_of_nic, (*scheme)->needs_of_nic);
  add_need(choice.needs_of_switch, (*scheme)->needs_of_switch);
  return {};
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
    const NameParts parts = parts_of(name);
    const std::optional<Meaning> meaning = meaning_of(parts.network, catalogue);
    if (meaning) {
      choice.settings.push_back(fmt::format("fabric.family={}", scenario::word_of(meaning->family)));
      if (!meaning->tuning.empty()) {
        choice.settings.push_back(fmt::format("fabric.tuning={}", meaning->tuning));
      }
      describe(choice, *meaning, catalogue);
    }
    if (std::ranges::count(cases, parts.network) > 0) {
      choice.case_name = parts.network;
    } else if (meaning && std::ranges::count(cases, scenario::word_of(meaning->family)) > 0) {
      choice.case_name = scenario::word_of(meaning->family);
    } else if (!meaning) {
      const std::vector<std::string> valid = valid_names(cases, catalogue);
      const std::vector<std::string_view> words(valid.begin(), valid.end());
      return tl::unexpected<Error>(unknown_word({.kind = "fabric", .word = parts.network, .valid = words}));
    }
    if (!parts.scheme.empty()) {
      if (auto added = add_scheme(choice, parts.scheme, meaning, catalogue); !added) {
        return pass_on(added);
      }
    }
    choices.push_back(std::move(choice));
  }
  return choices;
}

Result<std::vector<std::string>> with_schemes(std::span<const std::string> fabrics,
                                              std::span<const std::string> schemes, scenario::Family family,
                                              const scenario::Catalogue& catalogue) {
  std::vector<std::string> names;
  std::vector<std::string> wanted(schemes.begin(), schemes.end());
  if (std::ranges::count(schemes, "all") > 0) {
    const auto all = catalogue.names("scheme");
    wanted.assign(all.begin(), all.end());
  }
  std::vector<std::string> used;
  for (const std::string& fabric : fabrics) {
    const std::optional<Meaning> meaning = meaning_of(fabric, catalogue);
    for (const std::string& name : wanted) {
      auto scheme = catalogue.find("scheme", name);
      if (!scheme) {
        return pass_on(scheme);
      }
      if ((*scheme)->serves(meaning ? meaning->family : family)) {
        names.push_back(fmt::format("{}+{}", fabric, name));
        used.push_back(name);
      }
    }
  }
  for (const std::string& name : schemes) {
    if (name != "all" && std::ranges::count(used, name) == 0) {
      return fail("the scheme '{}' serves none of {}; all of them: {}", name, fmt::join(fabrics, ", "),
                  fmt::join(catalogue.names("scheme"), ", "));
    }
  }
  return names;
}

Result<scenario::Scenario> scenario_of(const FabricChoice& choice, scenario::ScenarioRequest request,
                                       const scenario::Catalogue& catalogue) {
  if (!choice.case_name.empty()) {
    request.case_name = choice.case_name;
  }
  request.settings.insert(request.settings.end(), choice.settings.begin(), choice.settings.end());
  return scenario::load_scenario(request, catalogue);
}

std::string with_devices(const std::string& stands_for, const scenario::Scenario& scenario,
                         const scenario::Catalogue& catalogue) {
  const auto& fabric = scenario.fabric;
  const bool same_switch = is_of_family("fabric.switch", fabric.switch_entry, fabric, catalogue);
  const bool same_nic = is_of_family("fabric.nic", fabric.nic_entry, fabric, catalogue);
  if (same_switch && same_nic) {
    return stands_for;
  }
  if (scenario.hardware == scenario::Hardware::kEqual) {
    return "switches and NICs that are equal in all networks; otherwise as " + stands_for;
  }
  return fmt::format("switches {} and NICs {}; otherwise as {}", fabric.switch_entry, fabric.nic_entry, stands_for);
}

}  // namespace weft::study::compare
