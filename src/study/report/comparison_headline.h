// The few figures of a difference that decide: what `weft diff` prints first.
#pragma once

#include <string>
#include <vector>

#include "base/text_lines.h"
#include "base/text_style.h"
#include "study/report/comparison_diff.h"

namespace weft::study::report {

/// At most five labels, the weightiest that any fabric of both sides has: step time, waiting for communication, cost of
/// the work, price of the network, tuning risk; then flow completion, drops and others. `differences` are the figures
/// of diff_comparisons, whose verdicts these have.
[[nodiscard]] std::vector<HeadlineFigure> headline_of(const ComparedDocuments& documents,
                                                      const std::vector<FigureDifference>& differences);

/// A table with a row per label and a column per fabric, as many tables as the width asks for; empty without figures.
/// Names of fabrics are printable. In colour, what has become better is green and what has become worse red.
[[nodiscard]] std::string headline_text(const ComparisonDiff& diff, LineWidth width = {},
                                        Colour colour = Colour::kNone);

}  // namespace weft::study::report
