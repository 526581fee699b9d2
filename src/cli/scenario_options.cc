#include "cli/scenario_options.h"

#include <fmt/core.h>

#include <filesystem>
#include <optional>

#include "cli/shell_word.h"
#include "study/scenario/raw_value.h"
#include "study/scenario/scenario_load.h"

namespace weft::cli {
namespace {

/// Paths of a scenario begin at its folder, those of a command line where it was typed.
std::string as_in_scenario(const std::string& path, const std::string& scenario) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::absolute(scenario).lexically_normal().parent_path();
  return fs::absolute(path).lexically_normal().lexically_relative(folder).string();
}

study::scenario::ScenarioRequest request_of(const ScenarioText& text) {
  std::vector<std::string> settings = text.settings;
  if (!text.lfts.empty()) {
    settings.emplace_back("routing.engine=file");
    settings.push_back(
        fmt::format("routing.tables={}",
                    study::scenario::toml_text({.place = {}, .content = as_in_scenario(text.lfts, text.file)})));
  }
  return {.file = text.file,
          .case_name = text.case_name.empty() ? std::nullopt : std::optional<std::string>(text.case_name),
          .settings = std::move(settings)};
}

/// Errors of the settings that --lfts stands for name it, and the dump as it was typed.
Result<study::scenario::Scenario> with_lfts_as_typed(Result<study::scenario::Scenario> loaded,
                                                     const ScenarioText& text) {
  if (text.lfts.empty()) {
    return loaded;
  }
  for (const std::string key : {"routing.engine", "routing.tables"}) {
    const std::string setting = "--set " + key;
    if (!loaded && loaded.error().message.starts_with(setting)) {
      return fail("--lfts {}{}", text.lfts, loaded.error().message.substr(setting.size()));
    }
    if (loaded) {
      loaded->sources.at(key).text = "--lfts";
    }
  }
  if (loaded) {
    loaded->routing.tables = text.lfts;
  }
  return loaded;
}

}  // namespace

void add_scenario_options(CLI::App& app, ScenarioText& text) {
  app.add_option("SCENARIO", text.file, "Scenario file")->required();
  app.add_option("--case", text.case_name, "Name of the [[case]] to use");
  app.add_option("--set", text.settings, "key=value, such as switch.buffer=8MiB; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--catalogue", text.catalogue,
                 "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
}

void add_lfts_option(CLI::App& app, ScenarioText& text) {
  app.add_option("--lfts", text.lfts, "InfiniBand: forwarding tables from this dump of OpenSM, not by routing.engine");
}

std::string command_text(std::string_view subcommand, const ScenarioText& text) {
  std::string made = fmt::format("weft {} {}", subcommand, shell_word(text.file));
  made += text.case_name.empty() ? "" : " --case " + shell_word(text.case_name);
  for (const std::string& setting : text.settings) {
    made += " --set " + shell_word(setting);
  }
  return made + (text.catalogue.empty() ? "" : " --catalogue " + shell_word(text.catalogue));
}

Result<study::scenario::Catalogue> read_catalogue(const ScenarioText& text) {
  return study::scenario::Catalogue::load(text.catalogue.empty() ? std::nullopt
                                                                 : std::optional<std::string>(text.catalogue));
}

Result<study::scenario::Scenario> read_scenario(const ScenarioText& text) {
  auto catalogue = read_catalogue(text);
  return catalogue ? read_scenario(text, *catalogue) : pass_on(catalogue);
}

Result<study::scenario::Scenario> read_scenario(const ScenarioText& text, const study::scenario::Catalogue& catalogue) {
  return with_lfts_as_typed(study::scenario::load_scenario(request_of(text), catalogue), text);
}

Result<std::vector<study::scenario::Scenario>> read_cases(const ScenarioText& text) {
  if (!text.case_name.empty()) {
    auto one = read_scenario(text);
    return one ? Result<std::vector<study::scenario::Scenario>>({std::move(*one)}) : pass_on(one);
  }
  auto catalogue = read_catalogue(text);
  if (!catalogue) {
    return pass_on(catalogue);
  }
  auto scenarios = study::scenario::load_cases(request_of(text), *catalogue);
  if (!scenarios) {
    auto named = with_lfts_as_typed(pass_on(scenarios), text);
    return pass_on(named);
  }
  for (study::scenario::Scenario& scenario : *scenarios) {
    scenario = *with_lfts_as_typed(std::move(scenario), text);
  }
  return scenarios;
}

}  // namespace weft::cli
