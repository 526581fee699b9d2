// Training steps in results: their JSON, and the text of the summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text_lines.h"
#include "study/results/results.h"

namespace weft::study::results {

[[nodiscard]] nlohmann::ordered_json to_json(const StepRow& step);

/// Lines of at most 100 columns, or of `width`; empty without steps.
[[nodiscard]] std::string steps_text(const RunResults& results, LineWidth width = {});

}  // namespace weft::study::results
