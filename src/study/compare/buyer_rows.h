// The rows that buyers compare first: one text per fabric and question, each with where it is from.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "study/scenario/catalogue.h"
#include "study/scenario/scenario.h"

namespace weft::study::compare {

/// [{"label", "value", "origin"}]; origin is "emerges", "catalogue" or "not measured". `fabric` is the fabric's part of
/// the document so far. The row of its primary strength is there, and filled in by add_primary_strengths.
[[nodiscard]] nlohmann::ordered_json buyer_rows(const nlohmann::ordered_json& fabric,
                                                const scenario::Scenario& scenario,
                                                const scenario::Catalogue& catalogue);

/// What each fabric is best at among those compared; a tie is nobody's strength.
void add_primary_strengths(nlohmann::ordered_json& fabrics);

}  // namespace weft::study::compare
