// Results as JSON: what `weft run --json` prints, and what scripts read. docs/results.md describes the shape.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "base/time.h"
#include "study/results/results.h"
#include "study/results/summary.h"

namespace weft::study::results {

/// For documents that keep the members of what does not exist: null then.
[[nodiscard]] nlohmann::ordered_json seconds_or_null(const std::optional<Duration>& span);

/// What switches that decide for themselves did; of results that have it.
[[nodiscard]] nlohmann::ordered_json control_json(const RunResults& results);

enum class JsonDetail : std::uint8_t { kSummary, kMessages };

/// One run. Times are in seconds, rates in bits per second, sizes in bytes; absent figures are left out.
[[nodiscard]] nlohmann::ordered_json to_json(const RunResults& results, const Summary& summary, JsonDetail detail);

}  // namespace weft::study::results
