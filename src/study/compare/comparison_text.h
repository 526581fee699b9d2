// A comparison for people: the table with a column per fabric, misconfigurations, bills, where time went, and the
// verdict.
#pragma once

#include <string>

#include "base/text_lines.h"
#include "base/text_style.h"
#include "study/report/comparison.h"

namespace weft::study::compare {

/// `comparison` is what assemble_comparison makes. Cells are wrapped; the table is 22 + 19 columns per fabric wide.
/// More fabrics than fit into `width`, or else more than six, are in several tables, one below the other; more than ten
/// have a line each, with the figures of the headline, within 100 columns.
/// In colour, headings are bold, the best step is green and the worst red.
[[nodiscard]] std::string comparison_text(const report::Comparison& comparison, LineWidth width = {},
                                          Colour colour = Colour::kNone);

}  // namespace weft::study::compare
