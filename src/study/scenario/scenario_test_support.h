// What the tests of scenarios share: a catalogue, and scenarios from text.
#pragma once

#include <fmt/core.h>
#include <string>
#include <string_view>

#include "study/scenario/scenario_load.h"

namespace weft::study::scenario {

inline const Catalogue& test_catalogue() {
  static const Catalogue catalogue = Catalogue::load(std::nullopt).value();
  return catalogue;
}

/// The least that a scenario must say.
inline constexpr std::string_view kSmallScenario = R"([fabric]
family = "rocev2"
[topology]
kind = "single-switch"
hosts = 4
)";

/// The small scenario with `more` behind it.
[[nodiscard]] inline Result<Scenario> scenario_with(std::string_view more, ScenarioRequest request = {}) {
  request.file = "test.toml";
  return parse_scenario(fmt::format("{}{}", kSmallScenario, more), request, test_catalogue());
}

/// The error's message, or a text that no error has.
template <class T>
[[nodiscard]] std::string message_of(const Result<T>& scenario) {
  return scenario ? "no error" : scenario.error().message;
}

}  // namespace weft::study::scenario
