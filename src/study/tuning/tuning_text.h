// A tuning report as text, with each formula beside its value, and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/text_lines.h"
#include "study/tuning/tuning_report.h"

namespace weft::study::tuning {

/// Within `width`, more kinds of ports than fit are in several tables.
[[nodiscard]] std::string tuning_text(const TuningReport& report, LineWidth width = {});

/// {"name", "family", "round_trip_s", "switches", "ports": [{"tier", "rate_bps", "ports", "bdp_bytes", "pause",
/// "mark", ...}], "senders": [{"rate_bps", "bdp_bytes", "window_bytes", "dcqcn", "queues"}], "warnings": [text]}; what
/// does not apply is absent.
[[nodiscard]] nlohmann::ordered_json tuning_json(const TuningReport& report);

}  // namespace weft::study::tuning
