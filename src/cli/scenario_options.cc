#include "cli/scenario_options.h"

#include <optional>

#include "study/scenario/scenario_load.h"

namespace weft::cli {

void add_scenario_options(CLI::App& app, ScenarioText& text) {
  app.add_option("SCENARIO", text.file, "Scenario file")->required();
  app.add_option("--case", text.case_name, "Name of the [[case]] to use");
  app.add_option("--set", text.settings, "key=value, such as switch.buffer=8MiB; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--catalogue", text.catalogue,
                 "Folder with entries that are added to the catalogue or replace its own")
      ->envname("WEFT_CATALOGUE");
}

Result<study::scenario::Catalogue> read_catalogue(const ScenarioText& text) {
  return study::scenario::Catalogue::load(text.catalogue.empty() ? std::nullopt
                                                                 : std::optional<std::string>(text.catalogue));
}

Result<study::scenario::Scenario> read_scenario(const ScenarioText& text) {
  auto catalogue = read_catalogue(text);
  if (!catalogue) {
    return pass_on(catalogue);
  }
  const study::scenario::ScenarioRequest request{
      .file = text.file,
      .case_name = text.case_name.empty() ? std::nullopt : std::optional<std::string>(text.case_name),
      .settings = text.settings};
  return study::scenario::load_scenario(request, *catalogue);
}

}  // namespace weft::cli
