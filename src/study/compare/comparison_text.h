// A comparison for people: the table with a column per fabric, misconfigurations, bills, where time went, and the
// verdict.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::study::compare {

/// `document` is what comparison_document makes. Cells are wrapped; the table is at most 22 + 19 columns per fabric
/// wide.
[[nodiscard]] std::string comparison_text(const nlohmann::ordered_json& document);

}  // namespace weft::study::compare
