// A resolved scenario as a file again: the values that somebody gave, in TOML; the catalogue's and defaults stay where
// they are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::plan {

struct TextOptions {
  std::vector<std::string> comment{};                                           // lines at the head
  bool (*keep)(std::string_view path) = [](std::string_view) { return true; };  // which keys
};
/// Loads as the same scenario, if all keys are kept, from the folder of the first. Cases are not in it.
[[nodiscard]] std::string scenario_text(const scenario::Scenario& scenario, const TextOptions& options = {});

/// Keys of a file that a plan decides itself: the shape, the network and its devices.
[[nodiscard]] bool is_planned(std::string_view path);

/// Whether `text` loads, can be built, and has the values of `scenario`. Errors: why not.
[[nodiscard]] Result<void> check_text(std::string_view text, const scenario::Scenario& scenario,
                                      const scenario::Catalogue& catalogue);

}  // namespace weft::study::plan
