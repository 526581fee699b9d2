// The options by which every subcommand that takes a scenario chooses and changes it.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::cli {

struct ScenarioText {
  std::string file;
  std::string case_name;              // empty: none
  std::vector<std::string> settings;  // "switch.buffer=8MiB"
  std::string catalogue;              // a folder; empty: the embedded entries alone
  std::string lfts{};                 // a dump of forwarding tables; empty: as the scenario says
};

/// SCENARIO, --case, --set and --catalogue (or WEFT_CATALOGUE), written into `text` while `app` parses.
void add_scenario_options(CLI::App& app, ScenarioText& text);

/// --lfts, which is short for settings of `routing`; read_scenario() adds them.
void add_lfts_option(CLI::App& app, ScenarioText& text);

/// "weft SUBCOMMAND FILE" with the options of add_scenario_options, as a shell takes it; others go behind.
[[nodiscard]] std::string command_text(std::string_view subcommand, const ScenarioText& text);

/// The catalogue with the folder's entries.
[[nodiscard]] Result<study::scenario::Catalogue> read_catalogue(const ScenarioText& text);

/// The scenario they mean. Errors are for the user, with their place.
[[nodiscard]] Result<study::scenario::Scenario> read_scenario(const ScenarioText& text);
/// The same with the catalogue at hand.
[[nodiscard]] Result<study::scenario::Scenario> read_scenario(const ScenarioText& text,
                                                              const study::scenario::Catalogue& catalogue);
/// Those of all [[case]]s of the file, unless one is named; of a file without them, the one that it is.
[[nodiscard]] Result<std::vector<study::scenario::Scenario>> read_cases(const ScenarioText& text);

}  // namespace weft::cli
