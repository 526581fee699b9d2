// A comparison for people: the table with a column per fabric, misconfigurations, bills, where time went, and the
// verdict.
#pragma once

#include <string>

#include "study/report/comparison.h"

namespace weft::study::compare {

/// `comparison` is what assemble_comparison makes. Cells are wrapped; the table is at most 22 + 19 columns per fabric
/// wide.
[[nodiscard]] std::string comparison_text(const report::Comparison& comparison);

}  // namespace weft::study::compare
