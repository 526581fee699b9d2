// A run's summary for people: plain text, aligned.
#pragma once

#include <string>

#include "base/text_lines.h"
#include "study/results/results.h"
#include "study/results/summary.h"

namespace weft::study::results {

/// Four significant digits and a unit: "12.35 us". Rounded, for reading only.
[[nodiscard]] std::string short_text(Duration value);
[[nodiscard]] std::string short_text(Rate value);
[[nodiscard]] std::string short_text(Bytes value);
/// "12.5 %" of 0.125.
[[nodiscard]] std::string percent(double share);

/// Within `width`, lines wrap and tables leave columns out.
[[nodiscard]] std::string summary_text(const RunResults& results, const Summary& summary, LineWidth width = {});

}  // namespace weft::study::results
