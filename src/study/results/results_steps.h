// Training steps in results: their JSON, and the text of the summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "study/results/results.h"

namespace weft::study::results {

[[nodiscard]] nlohmann::ordered_json to_json(const StepRow& step);

/// Lines of at most 100 columns; empty without steps.
[[nodiscard]] std::string steps_text(const RunResults& results);

}  // namespace weft::study::results
