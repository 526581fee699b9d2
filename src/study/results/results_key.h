// The name of a run in results files: equal for runs that must give equal results.
#pragma once

#include <string>
#include <string_view>

#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::results {

/// 16 hexadecimal digits of a hash over every resolved value and override, the contents of the files that they name,
/// the catalogue, and the version. The case's name and where a value comes from do not count.
[[nodiscard]] std::string run_key(const scenario::Scenario& scenario, const scenario::Catalogue& catalogue,
                                  std::string_view version);

/// The same for figures of a run that no money is in: equal where the simulations are the same. Prices, powers, what is
/// owned, names of scenario and case, and the percentiles of the summary do not count (Key::use), nor does the
/// catalogue beyond what the scenario has taken from it.
[[nodiscard]] std::string figures_key(const scenario::Scenario& scenario, std::string_view version);

}  // namespace weft::study::results
