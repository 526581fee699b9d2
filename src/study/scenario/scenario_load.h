// From a scenario file to a resolved Scenario: default < catalogue < file < case < --set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

struct ScenarioRequest {
  std::string file;                      // its path; names it in messages, and its folder is where its files lie
  std::optional<std::string> case_name;  // none: no case
  std::vector<std::string> settings;     // "switch.buffer=8MiB", later ones win
};

/// Reads the file. Every [[case]] is checked, chosen or not. Errors are for the user: "file:line:column: ...".
[[nodiscard]] Result<Scenario> load_scenario(const ScenarioRequest& request, const Catalogue& catalogue);

/// The same with the file's text at hand.
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text, const ScenarioRequest& request,
                                              const Catalogue& catalogue);

/// One for each case, in the order of the file; of a file without cases the one that it is. The request names none.
[[nodiscard]] Result<std::vector<Scenario>> load_cases(const ScenarioRequest& request, const Catalogue& catalogue);
[[nodiscard]] Result<std::vector<Scenario>> parse_cases(std::string_view text, const ScenarioRequest& request,
                                                        const Catalogue& catalogue);

/// Whether the file, each of its cases and the settings of the request are right by themselves: keys that exist, values
/// that they take. What family, catalogue and other keys make of them is not asked, so that who tries the scenario as
/// several networks can tell a wrong file from a network that does not suit it.
[[nodiscard]] Result<void> check_file(const ScenarioRequest& request);

/// Names of the cases, in the order of the file.
[[nodiscard]] Result<std::vector<std::string>> case_names(std::string_view text, std::string_view file);

}  // namespace weft::study::scenario
