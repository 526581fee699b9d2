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

}  // namespace weft::study::results
