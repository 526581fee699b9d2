// Words that recommendations share, whether money or time decides.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// "infiniband, rocev2 or uet" with " or " as `last`.
[[nodiscard]] std::string joined_names(std::span<const std::string> names, const char* last);

/// Why the step or the price of one of these may not hold, each with its name. Each has a work cost.
[[nodiscard]] std::optional<std::string> caution_of(std::span<const report::ComparedFabric* const> fabrics);

/// Which prices are the catalogue's, and so indicative, and which are given by the scenario.
[[nodiscard]] std::string prices_text(const report::WorkCost& cost);

}  // namespace weft::study::compare
