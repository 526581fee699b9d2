// The reference of all tables and CSV files of results in docs/results.md, from the tables of records.
#pragma once

#include <string>

namespace weft::study::results {

/// Markdown: a section per record with a row per column or member.
[[nodiscard]] std::string results_reference();

}  // namespace weft::study::results
