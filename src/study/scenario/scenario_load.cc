#include "study/scenario/scenario_load.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/file.h"
#include "base/nearest_word.h"
#include "study/scenario/apply.h"
#include "study/scenario/given.h"
#include "study/scenario/scenario_resolve.h"

namespace weft::study::scenario {
namespace {

Result<const GivenCase*> find_case(const GivenDocument& document, const ScenarioRequest& request) {
  std::vector<std::string_view> names;
  for (const auto& given : document.cases) {
    if (given.name == *request.case_name) {
      return &given;
    }
    names.push_back(given.name);
  }
  const auto shown = printable(*request.case_name);
  if (names.empty()) {
    return fail("{}: no case '{}'; the scenario has no [[case]]", request.file, shown);
  }
  return tl::unexpected<Error>(unknown_word({.kind = "case", .word = shown, .valid = names}).at(request.file));
}

// The layers of one choice of case, the weakest first.
Result<Scenario> resolve_with(const GivenDocument& document, const GivenCase* chosen, const GivenLayer& settings,
                              const ScenarioRequest& request, const Catalogue& catalogue) {
  std::vector<ResolveLayer> layers = {{.layer = &document.layer, .origin = Origin::kFile}};
  if (chosen != nullptr) {
    layers.push_back({.layer = &chosen->layer, .origin = Origin::kCase});
  }
  layers.push_back({.layer = &settings, .origin = Origin::kSet});
  auto scenario = resolve(layers, request.file, catalogue);
  if (scenario && chosen != nullptr) {
    scenario->case_name = chosen->name;
  }
  return scenario;
}

Result<GivenLayer> layer_of(const std::vector<std::string>& settings) {
  GivenLayer layer;
  for (const auto& setting : settings) {
    if (auto added = add_setting(layer, setting); !added) {
      return pass_on(added);
    }
  }
  return layer;
}

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const ScenarioRequest& request, const Catalogue& catalogue) {
  const auto document = read_document(text, request.file);
  if (!document) {
    return tl::unexpected<Error>(document.error());
  }
  auto settings = layer_of(request.settings);
  if (!settings) {
    return pass_on(settings);
  }
  const GivenCase* chosen = nullptr;
  if (request.case_name) {
    auto found = find_case(*document, request);
    if (!found) {
      return pass_on(found);
    }
    chosen = *found;
  }
  for (const auto& other : document->cases) {
    if (&other != chosen) {
      if (auto tried = resolve_with(*document, &other, {}, request, catalogue); !tried) {
        return pass_on(tried);
      }
    }
  }
  return resolve_with(*document, chosen, *settings, request, catalogue);
}

Result<std::vector<Scenario>> parse_cases(std::string_view text, const ScenarioRequest& request,
                                          const Catalogue& catalogue) {
  WEFT_ASSERT(!request.case_name);
  const auto document = read_document(text, request.file);
  if (!document) {
    return tl::unexpected<Error>(document.error());
  }
  auto settings = layer_of(request.settings);
  if (!settings) {
    return pass_on(settings);
  }
  std::vector<const GivenCase*> chosen;
  for (const GivenCase& one : document->cases) {
    chosen.push_back(&one);
  }
  if (chosen.empty()) {
    chosen.push_back(nullptr);
  }
  std::vector<Scenario> made;
  for (const GivenCase* const one : chosen) {
    auto scenario = resolve_with(*document, one, *settings, request, catalogue);
    if (!scenario) {
      return pass_on(scenario);
    }
    made.push_back(std::move(*scenario));
  }
  return made;
}

Result<Scenario> load_scenario(const ScenarioRequest& request, const Catalogue& catalogue) {
  auto text = read_file(request.file);
  if (!text) {
    return pass_on(text);
  }
  return parse_scenario(*text, request, catalogue);
}

Result<std::vector<Scenario>> load_cases(const ScenarioRequest& request, const Catalogue& catalogue) {
  auto text = read_file(request.file);
  if (!text) {
    return pass_on(text);
  }
  return parse_cases(*text, request, catalogue);
}

Result<void> check_file(const ScenarioRequest& request) {
  auto text = read_file(request.file);
  if (!text) {
    return pass_on(text);
  }
  const auto document = read_document(*text, request.file);
  if (!document) {
    return tl::unexpected<Error>(document.error());
  }
  auto settings = layer_of(request.settings);
  if (!settings) {
    return pass_on(settings);
  }
  std::vector<std::vector<ResolveLayer>> choices = {{{.layer = &document->layer, .origin = Origin::kFile}}};
  for (const GivenCase& one : document->cases) {
    choices.push_back({choices.front().front(), {.layer = &one.layer, .origin = Origin::kCase}});
  }
  Result<void> of_settings;
  for (std::vector<ResolveLayer>& layers : choices) {
    if (auto right = check_given(layers, request.file); !right) {
      return right;
    }
    layers.push_back({.layer = &*settings, .origin = Origin::kSet});
  }
  for (const std::vector<ResolveLayer>& layers : choices) {  // a setting may be of a list that one case alone has
    of_settings = check_given(layers, request.file);
    if (of_settings) {
      break;
    }
  }
  return of_settings;
}

Result<std::vector<std::string>> case_names(std::string_view text, std::string_view file) {
  auto document = read_document(text, file);
  if (!document) {
    return pass_on(document);
  }
  std::vector<std::string> names;
  std::ranges::transform(document->cases, std::back_inserter(names), &GivenCase::name);
  return names;
}

}  // namespace weft::study::scenario
