// Scale-up domains in results: their JSON, and the text of the summary.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text_lines.h"
#include "study/results/results.h"

namespace weft::study::results {

/// Adds `tiers` and `scale_up`; nothing to a run without scale-up links.
void add_scale_up(nlohmann::ordered_json& json, const RunResults& results);

/// Lines of at most 100 columns, or of `width`; empty without scale-up links.
[[nodiscard]] std::string scale_up_text(const RunResults& results, LineWidth width = {});

}  // namespace weft::study::results
